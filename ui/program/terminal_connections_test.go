package program

import (
	"net"
	"regexp"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
	"rdmatui/verbs/wire"
)

var reachedAt = regexp.MustCompile(`reached at +(127[0-9.]+) \(soft0\)`)

// TestConnectionsJourney connects two processes by keys alone: one listens, in a
// terminal without colours, the other sends requests with private data. The first
// request is rejected with a reason, the second accepted; the peer's bytes never
// reach the terminal unescaped.
func TestConnectionsJourney(t *testing.T) {
	probe, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 1, 2, 4), Port: wire.Port})
	if err != nil {
		t.Skipf("the port of RoCEv2 cannot be had here: %v", err)
	}
	probe.Close()
	server := open(t, 80, 24, []string{"PATH=/bin", "TERM=xterm", "NO_COLOR=1", "LANG=C"}, "--provider", "soft")
	server.Until("soft0", "GID ")
	server.Keys("5")
	server.Until("no identifier yet", "l  as a server")
	server.Keys("l", "enter", "b")
	server.Until("listener1 is in LISTENING", "reached at", "(soft0)")
	found := reachedAt.FindStringSubmatch(server.Screen())
	if found == nil {
		t.Fatalf("no address is told:\n%s", server.Screen())
	}

	client := open(t, 120, 40, terminalEnv(), "--provider", "soft")
	client.Until("soft0", "GID ")
	client.Keys("5")
	client.Until("no identifier yet")
	ask(client, found[1])
	server.Until("listener1-1 asks for a connection", `0x1b5b324a`)
	server.Keys("R")
	server.Until("reject, with private data")
	server.Type("busy")
	server.Keys("enter")
	server.Until("The peer rejected the request")
	client.Until("REJECTED: reason 28 CONSUMER_DEFINED", `"busy"`)
	client.Keys("b")
	client.Until("No identifier yet")
	ask(client, found[1])
	server.Until("listener1-2 asks for a connection")
	server.Keys("a")
	server.Until("listener1-2 is in CONNECTED", "accept ")
	client.Until("conn1 is in CONNECTED", "together", "ESTABLISHED")
	client.Keys("d")
	server.Until("listener1-2 is in DISCONNECTED")
	server.Keys("enter")
	client.Until("conn1 is in DISCONNECTED")
	for _, tm := range []*uitest.Terminal{client, server} {
		tm.Keys("q")
		tm.Until("objects exist")
		tm.Keys("y")
		if status := tm.Wait(); status != 0 {
			t.Errorf("exit status %d", status)
		}
		tm.Restored()
	}
}

// TestConnectionsOnRXE has both ends on the kernel's device, through librdmacm.
func TestConnectionsOnRXE(t *testing.T) {
	vmtest.Need(t)
	tm := open(t, 120, 40, terminalEnv(), "--provider", "ibverbs")
	tm.Until("rxe0", "GID ")
	tm.Keys("5")
	tm.Until("no identifier yet", "manager: that of ibverbs, with rxe0")
	tm.Keys("l", "enter", "b")
	tm.Until("listener1 is in LISTENING", "10.9.0.1 (rxe0)")
	ask(tm, "10.9.0.1")
	tm.Until("listener1-1 asks for a connection", "0x1b5b324a")
	tm.Keys("a")
	tm.Until("listener1-1 is in CONNECTED", "ESTABLISHED")
	tm.Keys("o", "o")
	tm.Until("conn1 is in CONNECTED", "peer's gid     ::ffff:10.9.0.1")
	tm.Keys("d")
	tm.Until("DISCONNECTED      listener1-1")
	tm.Keys("o")
	tm.Until("listener1-1 is in DISCONNECTED")
	tm.Keys("enter")
	tm.Until("DISCONNECTED      conn1")
	leave(t, tm, "objects exist")
}

// ask makes a connection request with private data that would clear a screen.
func ask(tm *uitest.Terminal, address string) {
	tm.Keys("c")
	tm.Until("connect to:")
	tm.Type(address)
	tm.Keys("enter")
	tm.Until("new: conn1, a client")
	tm.Keys("P")
	tm.Until("private data:")
	tm.Type("0x1b5b324a")
	tm.Keys("enter")
	tm.Until("b run all")
	tm.Keys("b")
}
