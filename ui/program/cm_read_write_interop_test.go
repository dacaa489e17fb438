package program

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// bothModes runs a test for both operations and in both roles.
func bothModes(t *testing.T, test func(t *testing.T, op string, weServe bool)) {
	for _, op := range []string{"write", "read"} {
		for _, weServe := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, server %v", op, weServe), func(t *testing.T) { test(t, op, weServe) })
		}
	}
}

// TestReadWriteWithPartner plays read-write against a partner that shares only the
// message format, on software devices of this process.
func TestReadWriteWithPartner(t *testing.T) {
	bothModes(t, func(t *testing.T, op string, weServe bool) {
		provider := soft.New(soft.Options{})
		s := session.New(session.Options{Providers: []verbs.Provider{provider}})
		p := scenario.DefaultParams("read-write")
		p.Op, p.Server, p.Wait = op, weServe, patience
		g := newGeek(t, provider, op, geekText(op, weServe))
		if !weServe {
			p.Address, p.Port = "127.0.0.1", g.serve()
		}
		listening, ours := make(chan struct{}), make(chan error, 1)
		go func() {
			err := uitest.RunScenario(t.Context(), s, p, func(l *script.Line) {
				if strings.HasPrefix(l.Text, "rdma_get_cm_event CONNECT_REQUEST") {
					close(listening)
				}
			})
			ours <- errors.Join(err, s.Close())
		}()
		if weServe {
			select {
			case <-listening:
			case err := <-ours:
				t.Fatal(err)
			}
			g.connect(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), p.Port))
		} else {
			g.accept()
		}
		g.talk(weServe)
		if err := <-ours; err != nil {
			t.Fatal(err)
		}
		g.verify(ourText(weServe))
		if !strings.Contains(readBack(s), g.text) {
			t.Errorf("ours has read %s, not %q", readBack(s), g.text)
		}
	})
}

// readBack returns the result of a session's last read_mem.
func readBack(s *session.Session) (result string) {
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindCommand && strings.HasPrefix(e.Command.Line, "read_mem") {
			result = e.Command.Result
		}
	}
	return result
}

// readWriteOnRxe plays read-write against the partner on the kernel's device.
func readWriteOnRxe(t *testing.T, us side) {
	bothModes(t, func(t *testing.T, op string, weServe bool) {
		g := newGeek(t, native.New(), op, geekText(op, weServe))
		args := []string{"scenario", "read-write", "--op", op}
		var ours *program
		if weServe {
			port := freePort()
			n, _ := strconv.Atoi(port)
			ours = us.serving(t, append(args, "-p", port, "--server")...)
			g.connect(netip.AddrPortFrom(netip.MustParseAddr(us.address), uint16(n)))
		} else {
			port := strconv.Itoa(int(g.serve()))
			ours = us.start(t, append(args, "-p", port, address)...)
			g.accept()
		}
		g.talk(weServe)
		if out := ours.done(); !strings.Contains(out, g.text) {
			t.Errorf("%q is not in\n%s", g.text, out)
		}
		g.verify(ourText(weServe))
	})
}

// TestReadWriteOnRxe has both programs on the kernel's device.
func TestReadWriteOnRxe(t *testing.T) {
	vmtest.Need(t)
	if alone(t) {
		readWriteOnRxe(t, kernelSide(t))
	}
}

// TestSoftReadWriteOnRxe has rdmatui on the software device.
func TestSoftReadWriteOnRxe(t *testing.T) {
	vmtest.Need(t)
	if alone(t) {
		readWriteOnRxe(t, softSide(t, peerAddress))
	}
}

// serving starts rdmatui as server and waits until it listens on a connection manager
// port.
func (s side) serving(t testing.TB, args ...string) *program {
	t.Helper()
	server := s.prepare(t, args...)
	said, err := os.Create(filepath.Join(t.TempDir(), "server"))
	if err != nil {
		t.Fatal(err)
	}
	both := io.MultiWriter(said, &server.out)
	server.cmd.Stdout, server.cmd.Stderr = both, both
	if err := server.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { said.Close() })
	eventually(t, "our server does not listen", func() bool {
		b, _ := os.ReadFile(said.Name())
		return bytes.Contains(b, []byte("= listening at"))
	})
	return server
}
