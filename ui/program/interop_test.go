package program

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// The tests of this file run the built program in the virtual machine, on the
// kernel's rxe0, against the stock programs.

// game is a ping-pong between rdmatui and the stock program, which is on rxe0.
type game struct {
	scenario string
	size     int
	events   bool
	weServe  bool
	gid      string // index in the stock program's GID table
}

// iterations returns fewer iterations for messages of many packets.
func (g game) iterations() string {
	if g.size > 4096 {
		return "20"
	}
	return "100"
}

func (g game) String() string {
	return fmt.Sprintf("%s, size %d, events %v, server %v", g.scenario, g.size, g.events, g.weServe)
}

// play runs both programs and checks that each received every message with every byte
// right.
func (g game) play(t *testing.T, us side) {
	port := freePort()
	common := []string{"-c", "-n", g.iterations(), "-s", strconv.Itoa(g.size), "-p", port}
	if g.events {
		common = append(common, "-e")
	}
	stock := side{[]string{vmtest.Program(t, "ibv_"+strings.Replace(g.scenario, "-", "_", 1)), "-g", g.gid, "-d",
		device}, device, address}
	our := us
	our.command = slices.Concat(us.command, []string{"-d", us.device, "scenario", g.scenario})
	var server, client *program
	if g.weServe {
		server = our.start(t, append(common, "--server")...)
		server.listening(port)
		client = stock.start(t, append(common, us.address)...)
	} else {
		server = stock.start(t, common...)
		server.listening(port)
		client = our.start(t, append(common, stock.address)...)
	}
	bothDone(t, client, server)
	for _, p := range []*program{client, server} {
		if out := p.out.String(); !strings.Contains(out, g.iterations()+" iters in ") ||
			strings.Contains(out, "invalid data") {
			t.Errorf("%s:\n%s", p.name, out)
		}
	}
}

// games returns ping-pongs in both roles: every size, polling and with events. A
// datagram is one packet.
func games(scenarios []string, sizes []int, gid string) []game {
	var all []game
	for _, scenario := range scenarios {
		for i, size := range sizes {
			if scenario == "ud-pingpong" && size > 1024 {
				continue
			}
			for _, weServe := range []bool{false, true} {
				all = append(all, game{scenario, size, (i%2 == 0) == weServe, weServe, gid})
			}
		}
	}
	return all
}

var (
	pingpongs    = []string{"rc-pingpong", "uc-pingpong", "ud-pingpong"}
	extremeSizes = []int{1, 1024, 65536} // of one byte, one full packet, the most packets
	sizesBetween = []int{64, 4096}
)

// TestPingpongWithStock plays every ping-pong against its stock program, both on the
// kernel's device.
func TestPingpongWithStock(t *testing.T) {
	vmtest.Need(t)
	playPingpongs(t, kernelSide(t), extremeSizes)
}

// TestPingpongSizesWithStock does the same with other sizes.
func TestPingpongSizesWithStock(t *testing.T) {
	vmtest.Need(t)
	playPingpongs(t, kernelSide(t), sizesBetween)
}

func playPingpongs(t *testing.T, us side, sizes []int) {
	for _, g := range games(pingpongs, sizes, "1") {
		t.Run(g.String(), func(t *testing.T) { g.play(t, us) })
	}
	nothingLeft(t)
}

// TestByHandAgainstStock brings a queue pair up one transition at a time against the
// stock program and exchanges one message with it.
func TestByHandAgainstStock(t *testing.T) {
	vmtest.Need(t)
	script, err := os.ReadFile("testdata/stock/by-hand.rdma")
	if err != nil {
		t.Fatal(err)
	}
	port := freePort()
	stock := start(t, vmtest.Program(t, "ibv_rc_pingpong"), "-d", device, "-g", "1", "-s", "64", "-n", "1", "-p", port)
	stock.listening(port)
	out, stderr, status := invoke(t, strings.ReplaceAll(string(script), "PORT", port), "run", "-")
	if status != 0 {
		t.Fatalf("status %d: %s\n%s", status, stderr, out)
	}
	if out := stock.done(); !strings.Contains(out, "1 iters in ") {
		t.Errorf("the stock program did not finish:\n%s", out)
	}
	nothingLeft(t)
}

// TestPingpongSizesDiffer: a ping-pong whose ends disagree on the size must fail,
// since its figures would be meaningless.
func TestPingpongSizesDiffer(t *testing.T) {
	vmtest.Need(t)
	ours, port := vmtest.Binary(t), freePort()
	server := start(t, ours, "scenario", "rc-pingpong", "-d", device, "-n", "10", "-s", "64", "-p", port, "--server")
	server.listening(port)
	client := start(t, ours, "scenario", "rc-pingpong", "-d", device, "-n", "10", "-s", "32", "-p", port, address)
	for _, p := range []*program{client, server} {
		if err := p.cmd.Wait(); err == nil {
			t.Errorf("%s ended well:\n%s", p.name, p.out.String())
		}
	}
	nothingLeft(t)
}

// TestDevicesAgreeWithDevinfo compares every value that ibv_devinfo prints with
// rdmatui's value of the same name.
func TestDevicesAgreeWithDevinfo(t *testing.T) {
	vmtest.Need(t)
	out, err := exec.Command(vmtest.Binary(t), "devices", "--json", device).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Name     string                     `json:"name"`
		Provider string                     `json:"provider"`
		NodeGUID string                     `json:"node_guid"`
		Attr     map[string]json.RawMessage `json:"device_attr"`
		Ports    []struct {
			PortNum   int    `json:"port_num"`
			State     string `json:"state"`
			LinkLayer string `json:"link_layer"`
			ActiveMTU int    `json:"active_mtu"`
			GIDs      []struct {
				Index             int
				GID, Type, Netdev string
			} `json:"gids"`
		} `json:"ports"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(got.Attr) != 40 {
		t.Errorf("%d attributes, want 40", len(got.Attr))
	}
	if got.Name != device || got.Provider != "ibverbs" || len(got.Ports) != 1 {
		t.Fatalf("%+v", got)
	}
	values := devinfo(t)
	compared := 0
	for name, want := range values {
		raw, ok := got.Attr[name]
		if !ok {
			continue
		}
		compared++
		if have := strings.Trim(string(raw), `"`); !sameValue(name, have, want) {
			t.Errorf("%s is %s, ibv_devinfo says %s", name, have, want)
		}
	}
	if compared < 38 {
		t.Errorf("only %d attributes could be compared", compared)
	}
	port := got.Ports[0]
	if port.PortNum != 1 || port.State != "ACTIVE" || port.LinkLayer != "ETHERNET" ||
		!strings.HasPrefix(values["active_mtu"], strconv.Itoa(port.ActiveMTU)+" ") {
		t.Errorf("port %+v, ibv_devinfo says active_mtu %s", port, values["active_mtu"])
	}
	found := false
	for _, g := range port.GIDs {
		found = found || g.GID == "::ffff:10.9.0.1" && g.Type == "ROCE_V2" && g.Netdev == "d0"
	}
	if !found {
		t.Errorf("the GID of %s is not among %+v", address, port.GIDs)
	}
}

var devinfoLine = regexp.MustCompile(`^\s*([a-zA-Z_]+):\s+(.*)$`)

func devinfo(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command(vmtest.Program(t, "ibv_devinfo"), "-v", "-d", device).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		if m := devinfoLine.FindStringSubmatch(sc.Text()); m != nil {
			if _, twice := values[m[1]]; !twice {
				values[m[1]] = strings.TrimSpace(m[2])
			}
		}
	}
	return values
}

// sameValue compares rdmatui's value with ibv_devinfo's text of it, which may be
// hexadecimal, or carry a prefix or a remark.
func sameValue(name, have, want string) bool {
	want, _, _ = strings.Cut(want, " ")
	if name == "atomic_cap" {
		return "ATOMIC_"+have == want
	}
	a, errA := strconv.ParseUint(have, 0, 64)
	b, errB := strconv.ParseUint(want, 0, 64)
	if errA == nil && errB == nil {
		return a == b
	}
	return have == want
}

// TestExchangeIsNotTrusted sends the ping-pong server an invalid record, and has
// another client stay silent. The stock client is still served.
func TestExchangeIsNotTrusted(t *testing.T) {
	vmtest.Need(t)
	port := freePort()
	server := start(t, vmtest.Binary(t), "scenario", "rc-pingpong", "-d", device, "-n", "10", "-p", port, "--server")
	server.listening(port)
	for _, text := range []string{"", strings.Repeat("\x1b]0;pwned\x07", 40)} {
		var conn net.Conn
		// it may listen on its other addresses first
		eventually(t, "the server does not listen on "+address, func() (ok bool) {
			var err error
			conn, err = net.Dial("tcp", net.JoinHostPort(address, port))
			return err == nil
		})
		defer conn.Close()
		fmt.Fprint(conn, text)
	}
	client := start(t, vmtest.Program(t, "ibv_rc_pingpong"), "-d", device, "-g", "1", "-n", "10", "-p", port, address)
	bothDone(t, client, server)
	if out := server.out.String(); strings.Contains(out, "\x1b]0;pwned") || !strings.Contains(out, "disconnected ") {
		t.Errorf("it does not say that it refused a client, or lets the client's escape sequence through: %q", out)
	}
	nothingLeft(t)
}
