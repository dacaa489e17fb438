package connections

import (
	"net/netip"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/ui/screen/steps"
)

// defaultPort is the port of librdmacm's examples.
const defaultPort = "7471"

// wish is what the user wants of an identifier.
type wish struct {
	name    string // of the identifier
	serves  bool   // it listens; otherwise it connects
	addr    string // of the peer, or its own; "": any
	port    string
	private string // the argument private_data of the next step, "" for none
	known   bool   // the address has been asked for
	region  string // of the peer, as arguments of peer; "" for none
	all     bool   // "run all" has sent the request: the region in the answer is recorded at once
}

// setAddress parses "host", "host:port", "host port", and for a server also "port".
func (w *wish) setAddress(text string) {
	w.known, w.addr, w.port = true, strings.TrimSpace(text), defaultPort
	if host, port, ok := strings.Cut(w.addr, " "); ok {
		w.addr, w.port = host, strings.TrimSpace(port)
		return
	}
	if a, err := netip.ParseAddrPort(w.addr); err == nil {
		w.addr, w.port = a.Addr().String(), strconv.Itoa(int(a.Port()))
		return
	}
	if _, err := strconv.ParseUint(w.addr, 10, 16); err == nil && w.serves {
		w.addr, w.port = "", w.addr
		return
	}
	if host, port, ok := strings.Cut(w.addr, ":"); ok && !strings.Contains(port, ":") {
		w.addr, w.port = host, port
	}
}

// address formats the address as setAddress takes it.
func (w *wish) address() string {
	switch {
	case !w.known:
		return ""
	case w.addr == "":
		return w.port
	}
	return w.addr + " " + w.port
}

// peer returns the end of a line that names an address.
func (w *wish) peer() string {
	if w.addr == "" {
		return " port=" + steps.Word(w.port)
	}
	return " " + steps.Word(w.addr) + " port=" + steps.Word(w.port)
}

// data returns the end of a line that sends private data.
func (w *wish) data() string {
	if w.private == "" {
		return ""
	}
	return " private_data=" + w.private
}

// privateArg makes typed text an argument: numbers, hex and patterns keep the syntax
// of the command language, everything else is text.
func privateArg(text string) string {
	form, _, found := strings.Cut(text, ":")
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, `"`), strings.HasPrefix(text, "0x"),
		found && (form == "pattern" || command.NumberSize(form) > 0):
		return text
	}
	return syntax.Quote(text)
}
