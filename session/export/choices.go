package export

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rdmatui/session/command"
)

// choices holds the values that differ between hosts: the program's user can set them
// with -D, or with an option.
type choices struct {
	device  string // name of the first device opened
	port    string // first port number used
	gid     string // first GID table row used
	service string // first port of a peer or listener
	hosts   []define
	devices []define
	gids    []define
}

// define is a value that differs between hosts.
type define struct{ name, value string }

// scan finds the GID table row and the port that are used first, since earlier lines
// may refer to them.
func (c *choices) scan(steps []*Step) {
	for _, s := range steps {
		for _, cmd := range []command.Command{s.Full, s.Cmd} {
			if cmd.Spec != nil && c.gid == "" && cmd.Has("sgid_index") && cmd.IsResolved("sgid_index") {
				c.gid = fmt.Sprint(cmd.Uint("sgid_index"))
			}
			if cmd.Spec != nil && c.port == "" && slices.Contains(onPort, cmd.Spec) && cmd.Has("port_num") &&
				cmd.IsResolved("port_num") {
				c.port = fmt.Sprint(cmd.Uint("port_num"))
			}
		}
		c.scan(s.Inner)
	}
}

// onPort are the commands that use a port; others only query one.
var onPort = []*command.Spec{command.OpenDevice, command.ModifyQP, command.CreateAH}

// option is a value that the program's user can set.
type option struct {
	letter      byte
	variable    string
	declaration string
	define      string
	value       string // C
	take        string // what to do with optarg, in C
	doc         string
}

func (c *choices) options() []option {
	all := []option{
		{'d', "device_name", "static const char *device_name = DEVICE;", "DEVICE", literal([]byte(c.device)),
			"device_name = optarg;", "DEVICE"},
		{'i', "port_num", "static uint8_t port_num = PORT;", "PORT", c.port,
			"port_num = (uint8_t)atoi(optarg);", "PORT"},
		{'g', "gid_index", "static uint8_t gid_index = GID_INDEX;", "GID_INDEX", c.gid,
			"gid_index = (uint8_t)atoi(optarg);", "GID_INDEX"},
		{'a', "server_name", "static const char *server_name = SERVER;", "SERVER", `""`,
			"server_name = optarg;", "SERVER"},
		{'p', "server_port", "static int server_port = SERVER_PORT;", "SERVER_PORT", c.service,
			"server_port = atoi(optarg);", "SERVER_PORT"},
	}
	if len(c.hosts) > 0 {
		all[3].value = literal([]byte(c.hosts[0].value))
	}
	return all
}

// defines writes the values that can be set at compile time.
func (c *choices) defines(b *strings.Builder, options []option, words map[string]bool) {
	var all []define
	for _, o := range options {
		all = append(all, define{o.define, o.value})
	}
	for _, more := range [][]define{asText(c.devices), asText(c.hosts[min(1, len(c.hosts)):]), c.gids} {
		for _, d := range more {
			if words[d.name] {
				all = append(all, d)
			}
		}
	}
	b.WriteString("\n")
	for _, d := range all {
		fmt.Fprintf(b, "#ifndef %s\n#define %s %s\n#endif\n", d.name, d.name,
			strings.ReplaceAll(d.value, "\n", " \\\n"))
	}
	if len(all) > 0 {
		b.WriteString("\n")
	}
}

func asText(list []define) []define {
	out := make([]define, len(list))
	for i, d := range list {
		out[i] = define{d.name, literal([]byte(d.value))}
	}
	return out
}

// takeOptions writes the parsing of the command line.
func takeOptions(b *strings.Builder, options []option) {
	letters, usage := "", ""
	for _, o := range options {
		letters += string(o.letter) + ":"
		usage += fmt.Sprintf(" [-%c %s]", o.letter, o.doc)
	}
	fmt.Fprintf(b, "\n\twhile ((option = getopt(argc, argv, \"%s\")) != -1) {\n\t\tswitch (option) {\n", letters)
	for _, o := range options {
		fmt.Fprintf(b, "\t\tcase '%c':\n\t\t\t%s\n\t\t\tbreak;\n", o.letter, o.take)
	}
	fmt.Fprintf(b, "\t\tdefault:\n\t\t\tfprintf(stderr, \"usage: %%s%s\\n\", argv[0]);\n\t\t\treturn 2;\n\t\t}\n\t}\n",
		usage)
}

// anyPort returns the configurable port.
func (c *choices) anyPort() string {
	if c.port == "" {
		c.port = "1"
	}
	return "port_num"
}

// gidRow returns a row of the GID table: the configurable one if they are equal.
func (c *choices) gidRow(text string) string {
	if text == c.gid {
		return "gid_index"
	}
	return defined(&c.gids, "GID_INDEX", text, 2)
}

// host returns a host name: the configurable one if they are equal.
func (c *choices) host(name string) string {
	if d := defined(&c.hosts, "SERVER", name, 1); d != "SERVER" {
		return d
	}
	return "server_name"
}

// servicePort returns a port of a peer, likewise.
func (c *choices) servicePort(port string) string {
	if c.service == "" && port != "0" {
		c.service = port
	}
	if port == c.service {
		return "server_port"
	}
	return port
}

// address returns a socket address for a host and a port given separately, or
// together.
func (c *choices) address(host, port string) string {
	if a, err := netip.ParseAddrPort(host); err == nil {
		host = a.Addr().String()
		if a.Port() != 0 {
			port = c.servicePort(fmt.Sprint(a.Port()))
		}
	}
	if host == "" {
		return fmt.Sprintf("address_of(NULL, %s)", port)
	}
	return fmt.Sprintf("address_of(%s, %s)", c.host(host), port)
}

// defined returns the name of a value at the top of the program; different values
// have different names.
func defined(list *[]define, stem, value string, first int) string {
	for _, d := range *list {
		if d.value == value {
			return d.name
		}
	}
	name := stem
	if n := len(*list) + first; n > 1 {
		name = fmt.Sprintf("%s_%d", stem, n)
	}
	*list = append(*list, define{name, value})
	return name
}
