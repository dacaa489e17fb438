package cm

import (
	"net/netip"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// device has addresses and counts the sent packets.
type device struct {
	Device
	addrs []netip.Addr
	sent  int
}

func (d *device) Addrs() []netip.Addr        { return d.addrs }
func (d *device) SendMAD(*link.Path, []byte) { d.sent++ }
func (d *device) SourcePort() uint16         { return 0xc000 }
func (d *device) Open() (Context, error)     { return nil, syscall.ENODEV }

// newManager makes a manager of one device, whose addresses the kernel routes.
func newManager(d *device) *Manager {
	var m Manager
	m.Init(Config{
		Devices:      func() []Device { return []Device{d} },
		KernelRoutes: func() bool { return true },
		Random:       &object.Random{Next: func() uint64 { return 5 << 32 }},
		Crashed:      verbs.CrashHook(nil),
	})
	return &m
}

// TestCMLoopbackOfAnotherProcess routes to a loopback address although the source address that the kernel would choose
// belongs to no device.
func TestCMLoopbackOfAnotherProcess(t *testing.T) {
	m := newManager(&device{addrs: []netip.Addr{netip.MustParseAddr("127.0.0.77")}})
	for _, tt := range []struct{ dst, want string }{
		{"127.0.0.1", "127.0.0.77"},
		{"127.0.0.5", "127.0.0.77"},
		{"127.0.0.77", "127.0.0.77"},
	} {
		got, err := m.source(netip.Addr{}, netip.MustParseAddr(tt.dst))
		if err != nil || got.String() != tt.want {
			t.Errorf("to %s from %s, %v, want %s", tt.dst, got, err, tt.want)
		}
	}
	bound := netip.MustParseAddr("127.0.0.9")
	if got, err := m.source(bound, netip.MustParseAddr("127.0.0.1")); err != nil || got != bound {
		t.Errorf("bound to %s, sends from %s, %v", bound, got, err)
	}
}

// TestCMLateTimer lets a timer fire after the connection has changed state: it does nothing.
func TestCMLateTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := new(device)
		m := newManager(d)
		c := &conn{manager: m, device: d}
		m.mu.Lock()
		c.ask(StateREQSent, new(wire.CMReq), 15, time.Second)
		time.Sleep(c.period) // the timer has fired, and waits for the lock
		for range 1000 {
			runtime.Gosched()
		}
		c.stop()
		m.mu.Unlock()
		synctest.Wait()
		if d.sent != 1 || c.left != 15 {
			t.Errorf("%d retries left, %d messages sent", c.left, d.sent)
		}
	})
}

// TestCMCommIDs draws communication IDs: none is 0, and no two connections share one.
func TestCMCommIDs(t *testing.T) {
	m := newManager(new(device))
	var draws []uint32
	m.Random = &object.Random{Next: func() uint64 { n := draws[0]; draws = draws[1:]; return uint64(n) << 32 }}
	for _, tt := range []struct {
		draws []uint32
		want  uint32
	}{{[]uint32{1}, 1}, {[]uint32{0, 2}, 2}, {[]uint32{7, 0, 7, 9}, 9}} {
		draws, m.byLocal = tt.draws, map[uint32]*conn{7: nil}
		m.byLocal[7] = new(conn)
		if got := m.commID(); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.draws, got, tt.want)
		}
	}
}

// TestCMInboxFull delivers more messages than fit while nobody reads: the rest is refused, and reading makes room
// again.
func TestCMInboxFull(t *testing.T) {
	read := 0
	b := inbox{reading: true, read: func(items []arrival) { read += len(items) }}
	for i := range object.MaxMADs + 2 {
		if took := b.put(arrival{}); took != (i < object.MaxMADs) {
			t.Fatalf("item %d: %t", i, took)
		}
	}
	b.drain()
	if read != object.MaxMADs || b.reading || !b.put(arrival{}) {
		t.Errorf("%d items were read", read)
	}
}

// TestDisconnectedAlone: the end of a connection whose identifier is closed is told to nobody.
func TestDisconnectedAlone(t *testing.T) {
	new(conn).disconnected(0)
}
