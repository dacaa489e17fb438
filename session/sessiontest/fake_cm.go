package sessiontest

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/verbs"
)

// The fake connection manager answers from a table of listeners, and delivers events
// in the order of their causes. Connected identifiers refer to each other; there is
// no network.

type fakeCM struct {
	*Fake
	mu      sync.Mutex
	listens map[uint16]*FakeID
	dev     verbs.Device
	Silent  map[string]bool // calls without an event: "resolve_addr", "connect"
	Mute    atomic.Bool     // no call causes an event
	Refuse  map[string]error
	Calls   []string

	AddrInfos []verbs.AddrInfo // the resolver's answer to every query
	Looked    func()           // called when an identifier is asked for its device; set before any exists, may be nil
}

// NewFakeCM returns a fake with a connection manager.
func NewFakeCM() *fakeCM {
	f := &fakeCM{Fake: NewFake(), listens: map[uint16]*FakeID{}, Silent: map[string]bool{}, Refuse: map[string]error{}}
	return f
}

// CreateEventChannel implements verbs.CMProvider.
func (f *fakeCM) CreateEventChannel() (verbs.CMEventChannel, error) {
	if err := f.Fail["event_channel"]; err != nil {
		return nil, err
	}
	return &fakeEvents{fakeObject: f.object("event channel"), f: f, came: make(chan struct{}, 1)}, nil
}

// GetAddrInfo implements verbs.CMProvider.
func (f *fakeCM) GetAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	if err := f.call("getaddrinfo " + node + " " + service); err != nil {
		return nil, err
	}
	if f.Silent["getaddrinfo"] { // like a resolver that does not answer
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.AddrInfos, nil
}

// device returns the device that all identifiers are bound to.
func (f *fakeCM) device() verbs.Device {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dev == nil {
		f.dev = managedFake{&fakeDevice{fakeObject: fakeObject{f: f.Fake, kind: "device"}, f: f.Fake}}
	}
	return f.dev
}

// managedFake is the device that the manager opened.
type managedFake struct{ *fakeDevice }

// Close implements verbs.Device.
func (managedFake) Close() error { return nil }

func (f *fakeCM) call(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls = append(f.Calls, name)
	return f.Refuse[name]
}

type fakeEvents struct {
	fakeObject
	f      *fakeCM
	mu     sync.Mutex
	events []verbs.CMEvent
	came   chan struct{}
	ids    int
}

func (c *fakeEvents) put(e verbs.CMEvent) {
	c.mu.Lock()
	c.events = append(c.events, e)
	c.mu.Unlock()
	select {
	case c.came <- struct{}{}:
	default:
	}
}

// GetEvent implements verbs.CMEventChannel.
func (c *fakeEvents) GetEvent(ctx context.Context) (verbs.CMEvent, error) {
	for {
		c.mu.Lock()
		if len(c.events) > 0 {
			e := c.events[0]
			c.events = c.events[1:]
			c.mu.Unlock()
			return e, nil
		}
		c.mu.Unlock()
		select {
		case <-c.came:
		case <-ctx.Done():
			return verbs.CMEvent{}, ctx.Err()
		}
	}
}

// Close implements verbs.CMEventChannel.
func (c *fakeEvents) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids > 0 {
		return syscall.EBUSY
	}
	return c.fakeObject.Close()
}

func (c *fakeEvents) count(n int) {
	c.mu.Lock()
	c.ids += n
	c.mu.Unlock()
}

// CreateID implements verbs.CMEventChannel.
func (c *fakeEvents) CreateID(ps verbs.CMPortSpace) (verbs.CMID, error) {
	if err := c.f.Fail["id"]; err != nil {
		return nil, err
	}
	c.count(1)
	return &FakeID{fakeObject: c.f.object("id"), f: c.f, events: c, ps: ps}, nil
}

// FakeID is an identifier of the fake connection manager.
type FakeID struct {
	fakeObject
	f           *fakeCM
	ps          verbs.CMPortSpace
	mu          sync.Mutex
	events      *fakeEvents
	bound       bool
	Local, Peer netip.AddrPort
	qp          *managedQP
	Partner     *FakeID
	asked       verbs.CMConnParam
	closed      bool
}

// PortSpace implements verbs.CMID.
func (i *FakeID) PortSpace() verbs.CMPortSpace { return i.ps }

// Device implements verbs.CMID.
func (i *FakeID) Device() verbs.Device {
	if i.f.Looked != nil {
		i.f.Looked()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		panic("call on a destroyed identifier")
	}
	if !i.bound {
		return nil
	}
	return i.f.device()
}

// PortNum implements verbs.CMID.
func (i *FakeID) PortNum() uint8 { return 1 }

// LocalAddr implements verbs.CMID.
func (i *FakeID) LocalAddr() netip.AddrPort { i.mu.Lock(); defer i.mu.Unlock(); return i.Local }

// PeerAddr implements verbs.CMID.
func (i *FakeID) PeerAddr() netip.AddrPort { i.mu.Lock(); defer i.mu.Unlock(); return i.Peer }

// QP implements verbs.CMID.
func (i *FakeID) QP() verbs.QP {
	if i.qp == nil {
		return nil
	}
	return i.qp
}

// Tell implements verbs.CMID.
func (i *FakeID) Tell(t verbs.CMEventType, change func(*verbs.CMEvent)) {
	if i.f.Mute.Load() {
		return
	}
	e := verbs.CMEvent{Type: t, ID: i}
	if change != nil {
		change(&e)
	}
	i.mu.Lock()
	events := i.events
	i.mu.Unlock()
	events.put(e)
}

// BindAddr implements verbs.CMID.
func (i *FakeID) BindAddr(src netip.AddrPort) error {
	if err := i.f.call("bind_addr"); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if src.Port() == 0 {
		src = netip.AddrPortFrom(src.Addr(), 40000)
	}
	i.Local, i.bound = src, !src.Addr().IsUnspecified()
	return nil
}

// badWays are addresses that do not resolve.
var badWays = map[string]syscall.Errno{
	"10.0.0.99": syscall.ETIMEDOUT, "10.0.0.98": syscall.ENODEV, "239.0.0.98": syscall.ENODEV,
}

// ResolveAddr implements verbs.CMID.
func (i *FakeID) ResolveAddr(_, dst netip.AddrPort, _ time.Duration) error {
	if err := i.f.call("resolve_addr"); err != nil {
		return err
	}
	if i.f.Silent["resolve_addr"] {
		return nil
	}
	if no, bad := badWays[dst.Addr().String()]; bad {
		i.Tell(verbs.CMAddrError, func(e *verbs.CMEvent) { e.Status = -int(no) })
		return nil
	}
	i.mu.Lock()
	i.Local, i.Peer, i.bound = netip.MustParseAddrPort("10.0.0.1:40001"), dst, true
	i.mu.Unlock()
	i.Tell(verbs.CMAddrResolved, nil)
	return nil
}

// ResolveRoute implements verbs.CMID.
func (i *FakeID) ResolveRoute(time.Duration) error {
	err := i.f.call("resolve_route")
	if err == nil {
		i.Tell(verbs.CMRouteResolved, nil)
	}
	return err
}

// Listen implements verbs.CMID.
func (i *FakeID) Listen(int) error {
	if err := i.f.call("listen"); err != nil {
		return err
	}
	i.f.mu.Lock()
	defer i.f.mu.Unlock()
	i.f.listens[i.Local.Port()] = i
	return nil
}

// Connect implements verbs.CMID.
func (i *FakeID) Connect(p verbs.CMConnParam) error {
	if err := i.f.call("connect"); err != nil {
		return err
	}
	i.f.mu.Lock()
	l := i.f.listens[i.Peer.Port()]
	i.f.mu.Unlock()
	if l == nil {
		i.Tell(verbs.CMRejected, func(e *verbs.CMEvent) { e.Status = int(verbs.RejectInvalidServiceID) })
		return nil
	}
	l.mu.Lock()
	events := l.events
	l.mu.Unlock()
	events.count(1)
	req := &FakeID{fakeObject: i.f.object("id"), f: i.f, events: events, ps: l.ps, bound: true,
		Local: l.Local, Peer: i.Local, Partner: i, asked: p}
	i.mu.Lock()
	i.Partner = req
	i.mu.Unlock()
	events.put(verbs.CMEvent{Type: verbs.CMConnectRequest, ID: req, ListenID: l, Conn: p,
		UD: verbs.CMUDParam{PrivateData: p.PrivateData}})
	return nil
}

// Accept implements verbs.CMID.
func (i *FakeID) Accept(p verbs.CMConnParam) error {
	if err := i.f.call("accept"); err != nil {
		return err
	}
	if i.ps == verbs.PortSpaceUDP {
		i.Partner.Tell(verbs.CMEstablished, func(e *verbs.CMEvent) {
			e.UD = verbs.CMUDParam{
				PrivateData: p.PrivateData, QPNum: 77, QKey: 0x1234567, AH: verbs.AHAttr{PortNum: 1, DLID: 5},
			}
		})
		return nil
	}
	for _, end := range []*FakeID{i, i.Partner} {
		if end.qp != nil {
			end.qp.SetState(verbs.QPRTS)
		}
	}
	i.Partner.Tell(verbs.CMEstablished, func(e *verbs.CMEvent) { e.Conn = p })
	i.Tell(verbs.CMEstablished, func(e *verbs.CMEvent) { e.Conn = i.asked })
	return nil
}

// Reject implements verbs.CMID.
func (i *FakeID) Reject(data []byte) error {
	if err := i.f.call("reject"); err != nil {
		return err
	}
	i.Partner.Tell(verbs.CMRejected, func(e *verbs.CMEvent) {
		e.Status, e.Conn.PrivateData = int(verbs.RejectConsumerDefined), data
	})
	return nil
}

// Disconnect implements verbs.CMID.
func (i *FakeID) Disconnect() error {
	if err := i.f.call("disconnect"); err != nil {
		return err
	}
	if i.qp != nil {
		i.qp.SetState(verbs.QPErr)
	}
	i.mu.Lock()
	partner := i.Partner
	i.Partner = nil
	i.mu.Unlock()
	if partner != nil {
		partner.mu.Lock()
		partner.Partner = nil
		partner.mu.Unlock()
		partner.Tell(verbs.CMDisconnected, nil)
		i.Tell(verbs.CMDisconnected, nil)
	}
	return nil
}

// Establish implements verbs.CMID.
func (i *FakeID) Establish() error { return i.f.call("establish") }

// Notify implements verbs.CMID.
func (i *FakeID) Notify(t verbs.EventType) error { return i.f.call("notify " + t.String()) }

// SetOption implements verbs.CMID.
func (i *FakeID) SetOption(o verbs.CMOption, v uint64) error {
	return i.f.call(fmt.Sprintf("set_option %s %d", o, v))
}

// InitQPAttr implements verbs.CMID.
func (i *FakeID) InitQPAttr(st verbs.QPState) (verbs.QPAttr, error) {
	a := verbs.QPAttr{Mask: verbs.AttrState, QPState: st}
	switch st {
	case verbs.QPInit:
		a.Mask |= verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags
		a.PortNum = 1
	case verbs.QPRTR:
		a.Mask |= verbs.AttrRQPSN | verbs.AttrDestQPN
		a.RQPSN, a.DestQPNum = 0x123, 0x77
	}
	return a, i.f.call("init_qp_attr")
}

// managedQP is a queue pair whose state its identifier changes.
type managedQP struct {
	*fakeQP
	id *FakeID
}

// Close implements verbs.QP.
func (q *managedQP) Close() error {
	q.id.mu.Lock()
	q.id.qp = nil
	q.id.mu.Unlock()
	return q.fakeQP.Close()
}

// CreateQP implements verbs.CMID.
func (i *FakeID) CreateQP(pd verbs.PD, spec verbs.QPSpec) (verbs.QP, error) {
	if err := i.f.call("create_qp"); err != nil {
		return nil, err
	}
	qp, err := pd.CreateQP(spec)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.qp = &managedQP{qp.(*fakeQP), i}
	i.qp.SetState(verbs.QPInit)
	return i.qp, nil
}

// JoinMulticast implements verbs.CMID.
func (i *FakeID) JoinMulticast(group netip.Addr) error {
	if err := i.f.call("join " + group.String()); err != nil {
		return err
	}
	i.Tell(verbs.CMMulticastJoin, func(e *verbs.CMEvent) {
		e.UD = verbs.CMUDParam{QPNum: 0xffffff, QKey: 0x1234567, AH: verbs.AHAttr{PortNum: 1, DLID: 0xc001}}
	})
	return nil
}

// LeaveMulticast implements verbs.CMID.
func (i *FakeID) LeaveMulticast(group netip.Addr) error { return i.f.call("leave " + group.String()) }

// Migrate implements verbs.CMID.
func (i *FakeID) Migrate(to verbs.CMEventChannel) error {
	if err := i.f.call("migrate"); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	from, target := i.events, to.(*fakeEvents)
	from.count(-1)
	target.count(1)
	from.mu.Lock()
	var moved []verbs.CMEvent
	from.events = slices.DeleteFunc(from.events, func(e verbs.CMEvent) bool {
		if e.ID == i {
			moved = append(moved, e)
		}
		return e.ID == i
	})
	from.mu.Unlock()
	for _, e := range moved {
		target.put(e)
	}
	i.events = target
	return nil
}

// Close implements verbs.CMID.
func (i *FakeID) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.qp != nil {
		return syscall.EBUSY
	}
	if !i.closed {
		i.closed = true
		i.events.count(-1)
		for _, e := range i.events.dropUnread(i) {
			_ = e.ID.Close()
		}
	}
	return i.fakeObject.Close()
}

// dropUnread removes a listener's unread requests: no program knows their identifiers, so the kernel destroys them with
// the listener.
func (c *fakeEvents) dropUnread(listener *FakeID) (dropped []verbs.CMEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = slices.DeleteFunc(c.events, func(e verbs.CMEvent) bool {
		if e.Type == verbs.CMConnectRequest && e.ListenID == listener {
			dropped = append(dropped, e)
			return true
		}
		return false
	})
	return dropped
}
