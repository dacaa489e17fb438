package cm

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// fakeContext is an opening of a device that creates one queue pair.
type fakeContext struct {
	Context
	ended bool
	qp    *fakeQP
}

func (c *fakeContext) Retain() bool                                { return !c.ended }
func (c *fakeContext) Release()                                    {}
func (c *fakeContext) CheckPD(verbs.PD) error                      { return nil }
func (c *fakeContext) CreateQP(verbs.PD, verbs.QPSpec) (QP, error) { return c.qp, nil }

// fakeQP refuses to move to one state.
type fakeQP struct {
	QP
	refuses verbs.QPState
	moves   []verbs.QPState
	owner   object.Owner
	closed  bool
}

func (q *fakeQP) Num() verbs.QPN              { return 9 }
func (q *fakeQP) SetOwner(owner object.Owner) { q.owner = owner }
func (q *fakeQP) Close() error                { q.closed = true; return nil }
func (q *fakeQP) Modify(attr verbs.QPAttr) error {
	if attr.QPState == q.refuses {
		return syscall.EBUSY
	}
	q.moves = append(q.moves, attr.QPState)
	return nil
}

var fakeAddr = netip.MustParseAddr("127.0.0.1")

// onFake makes an identifier bound to a device that is open.
func onFake(t *testing.T, space verbs.CMPortSpace, c Context) *ID {
	t.Helper()
	d := &device{addrs: []netip.Addr{fakeAddr}}
	m := newManager(d)
	m.KernelRoutes = func() bool { return false }
	m.Memory = memory.New(1<<20, "a test's")
	m.contexts[d] = c
	channel, err := m.CreateEventChannel()
	if err != nil {
		t.Fatal(err)
	}
	id, err := channel.CreateID(space)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.BindAddr(netip.AddrPortFrom(fakeAddr, 7)); err != nil {
		t.Fatal(err)
	}
	return id.(*ID)
}

// TestQueuePairRefusesState: a queue pair that cannot be moved up is closed, and the identifier stays without one.
func TestQueuePairRefusesState(t *testing.T) {
	const none = verbs.QPErr
	up := []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS}
	for _, tt := range []struct {
		space   verbs.CMPortSpace
		typ     verbs.QPType
		refuses verbs.QPState
		moves   []verbs.QPState
	}{
		{verbs.PortSpaceTCP, verbs.RC, verbs.QPInit, nil}, {verbs.PortSpaceTCP, verbs.RC, none, up[:1]},
		{verbs.PortSpaceUDP, verbs.UD, verbs.QPInit, nil}, {verbs.PortSpaceUDP, verbs.UD, verbs.QPRTR, up[:1]},
		{verbs.PortSpaceUDP, verbs.UD, verbs.QPRTS, up[:2]}, {verbs.PortSpaceUDP, verbs.UD, none, up},
	} {
		q := &fakeQP{refuses: tt.refuses}
		id := onFake(t, tt.space, &fakeContext{qp: q})
		made, err := id.CreateQP(struct{ verbs.PD }{}, verbs.QPSpec{QPType: tt.typ})
		fails := tt.refuses != none
		if errors.Is(err, syscall.EBUSY) != fails || (made == nil) != fails || (id.QP() == nil) != fails ||
			(q.owner == nil) != fails || q.closed != fails || !slices.Equal(q.moves, tt.moves) {
			t.Errorf("%+v: %v, moved to %v, closed %t, owner %v", tt, err, q.moves, q.closed, q.owner)
		}
	}
}

// TestRequestWithoutResources: a request for which there is no memory, or whose device has been closed, leaves nothing
// behind.
func TestRequestWithoutResources(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ended bool   // the device's context
		left  uint64 // bytes of memory
		want  error
	}{
		{"enough", false, object.ObjectBytes, nil},
		{"no memory", false, object.ObjectBytes - 1, syscall.ENOMEM},
		{"the device has been closed", true, object.ObjectBytes, syscall.ENODEV},
	} {
		c := &fakeContext{}
		listener := onFake(t, verbs.PortSpaceTCP, c)
		m := listener.manager
		if err := listener.Listen(0); err != nil {
			t.Fatal(err)
		}
		m.Memory = memory.New(tt.left, "a test's")
		c.ended = tt.ended
		from, err := link.NewPath(netip.AddrPortFrom(fakeAddr.Next(), 1), netip.AddrPortFrom(fakeAddr, wire.Port))
		if err != nil {
			t.Fatal(err)
		}
		made, err := m.newRequest(&incoming{device: listener.device, from: from}, listener,
			&wire.CMIP{Src: from.Src, Dst: fakeAddr}, 0)
		if !errors.Is(err, tt.want) || (made == nil) != (tt.want != nil) || len(m.byLocal) == 1 != (tt.want == nil) ||
			(m.Memory.Used() == 0) != (tt.want != nil) {
			t.Errorf("%s: %v, %d connections, %d bytes", tt.name, err, len(m.byLocal), m.Memory.Used())
		}
		if users := len(m.ports); users != 1 { // the listener's
			t.Errorf("%s: %d ports", tt.name, users)
		}
		if made == nil {
			if _, connected := listener.Connection(); connected {
				t.Errorf("%s: the listener has a connection", tt.name)
			}
			m.Memory = memory.New(1<<20, "a test's")
			// busy with an identifier that is left
			if err := errors.Join(m.Memory.Take(2*object.ObjectBytes), listener.Close(),
				listener.channel.Close()); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
}

// TestListenWithoutPorts: an identifier that gets no port does not listen.
func TestListenWithoutPorts(t *testing.T) {
	bound := onFake(t, verbs.PortSpaceTCP, &fakeContext{})
	m := bound.manager
	for port := firstFreePort; port <= lastFreePort; port++ {
		m.ports[portKey{verbs.PortSpaceTCP, uint16(port)}] = []*ID{bound}
	}
	id, err := bound.channel.CreateID(verbs.PortSpaceTCP)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.Listen(0); !errors.Is(err, syscall.EADDRNOTAVAIL) || id.LocalAddr().IsValid() {
		t.Errorf("%v, at %s", err, id.LocalAddr())
	}
	delete(m.ports, portKey{verbs.PortSpaceTCP, 40000})
	if err := id.Listen(0); err != nil || id.LocalAddr().Port() != 40000 {
		t.Errorf("%v, at %s", err, id.LocalAddr())
	}
}
