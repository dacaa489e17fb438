package program

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
)

const (
	inARow   = 1000 // connections, one group after the other
	together = 8    // connections of a group
	atOnce   = 64   // connections at the same time
)

// alive counts what a process holds; the counts must not grow.
type alive struct{ files, goroutines int }

func countAlive() alive {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return alive{goroutines: runtime.NumGoroutine()}
	}
	return alive{len(files), runtime.NumGoroutine()}
}

// noMore waits until there is no more than before: goroutines take a moment to end.
func noMore(before alive) error {
	var now alive
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		now = countAlive()
		if now.files <= before.files && now.goroutines <= before.goroutines {
			return nil
		}
	}
	return fmt.Errorf("%+v before, %+v now", before, now)
}

// connectMany connects one group after the other, then all at once. It logs its progress, since a slow run under load
// would look like a hang.
func connectMany(m verbs.CMProvider, dst netip.AddrPort, row int) error {
	for i := 0; i < row; i += together {
		if i > 0 && i%(20*together) == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d connections\n", i, row)
		}
		if err := connectAll(m, dst, min(together, row-i)); err != nil {
			return fmt.Errorf("connections from %d on: %w", i, err)
		}
	}
	return connectAll(m, dst, atOnce)
}

// serveMany is the other end of connectMany; begun is called when it listens.
func serveMany(m verbs.CMProvider, at netip.AddrPort, row int, begun func()) error {
	h, err := newHost(m, at)
	if err != nil {
		return err
	}
	begun()
	if err := h.serve(row + atOnce); err != nil {
		return err
	}
	// The last group may still be closing when all at once begin.
	if h.most < atOnce || h.most > atOnce+together {
		return fmt.Errorf("%d connections at a time, want %d", h.most, atOnce)
	}
	return h.close()
}

// manyAt is the address where a device is served.
func manyAt(addr string) netip.AddrPort { return netip.AddrPortFrom(netip.MustParseAddr(addr), 7999) }

// manyVariable tells this test binary that it is an end of many connections, and
// which. Each end is a separate process, so that its files and goroutines can be
// counted, and one of them runs in the network namespace of the software device.
const manyVariable = "RDMATUI_TEST_MANY"

// manyRoles are the ends.
var manyRoles = map[string]func() error{
	"both on rxe0": func() error {
		m := native.New()
		if err := connectToItself(m, 1); err != nil { // the library keeps what it allocated for the first
			return err
		}
		before := countAlive()
		if err := connectToItself(m, inARow); err != nil {
			return err
		}
		return noMore(before)
	},
	"rxe0": func() error {
		m := native.New()
		if err := connectToItself(m, 1); err != nil {
			return err
		}
		before := countAlive()
		served := serveAside(m, inARow/2)
		if err := errors.Join(connectMany(m, manyAt(peerAddress), inARow/2), <-served); err != nil {
			return err
		}
		return noMore(before)
	},
	"the software device": func() error {
		m := soft.New(soft.Options{UDP: &soft.UDPOptions{Addrs: []netip.Addr{netip.MustParseAddr(peerAddress)}}})
		if _, err := m.Devices(); err != nil { // the provider keeps the port that it claims now
			return err
		}
		before := countAlive()
		if err := serveMany(m, manyAt(peerAddress), inARow/2, func() { fmt.Println(manyListens) }); err != nil {
			return err
		}
		if err := connectMany(m, manyAt(address), inARow/2); err != nil {
			return err
		}
		return noMore(before)
	},
}

const manyListens = "listens"

// manyMain is the main function of an end.
func manyMain(role string) (status int) {
	if err := manyRoles[role](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serveAside runs serveMany on rxe0 in a goroutine; it returns once that listens or
// has failed.
func serveAside(m verbs.CMProvider, row int) (served <-chan error) {
	listening, done := make(chan struct{}), make(chan error, 1)
	go func() {
		err := serveMany(m, manyAt(address), row, func() { close(listening) })
		done <- err
	}()
	select {
	case <-listening:
	case err := <-done:
		done <- err
	}
	return done
}

// connectToItself has both ends on rxe0.
func connectToItself(m verbs.CMProvider, row int) error {
	served := serveAside(m, row)
	return errors.Join(connectMany(m, manyAt(address), row), <-served)
}

// manyEnd prepares the process of an end, which may run as long as the whole test.
func manyEnd(t *testing.T, role string, before ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := append(before, self)
	p := lasting(t, command[0], command[1:]...).shown()
	p.name = role
	p.cmd.Env = append(os.Environ(), manyVariable+"="+role)
	return p
}

// thousandOnRXE has both ends on the kernel's device.
func thousandOnRXE(t *testing.T) {
	p := manyEnd(t, "both on rxe0")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.done()
	nothingLeft(t)
}

// thousandWithSoft has one end on the software device: first one role, then the
// other.
func thousandWithSoft(t *testing.T) {
	soft := manyEnd(t, "the software device", "ip", "netns", "exec", "peer")
	said := soft.startTold(t)
	eventually(t, "the software device does not listen", func() bool { return strings.Contains(said(), manyListens) })
	kernel := manyEnd(t, "rxe0")
	if err := kernel.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bothDone(t, kernel, soft)
	nothingLeft(t)
}
