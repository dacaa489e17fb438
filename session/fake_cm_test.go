package session

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
	*fake
	mu      sync.Mutex
	listens map[uint16]*fakeID
	dev     verbs.Device
	silent  map[string]bool // calls without an event: "resolve_addr", "connect"
	mute    atomic.Bool     // no call causes an event
	refuse  map[string]error
	calls   []string

	addrInfos []verbs.AddrInfo // the resolver's answer to every query
	looked    func()           // called when an identifier is asked for its device; set before any exists, may be nil
}

func newFakeCM() *fakeCM {
	f := &fakeCM{fake: newFake(), listens: map[uint16]*fakeID{}, silent: map[string]bool{}, refuse: map[string]error{}}
	return f
}

func (f *fakeCM) CreateEventChannel() (verbs.CMEventChannel, error) {
	if err := f.fail["event_channel"]; err != nil {
		return nil, err
	}
	return &fakeEvents{fakeObject: f.object("event channel"), f: f, came: make(chan struct{}, 1)}, nil
}

func (f *fakeCM) GetAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	if err := f.call("getaddrinfo " + node + " " + service); err != nil {
		return nil, err
	}
	if f.silent["getaddrinfo"] { // like a resolver that does not answer
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.addrInfos, nil
}

// device returns the device that all identifiers are bound to.
func (f *fakeCM) device() verbs.Device {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dev == nil {
		f.dev = managedFake{&fakeDevice{fakeObject{f.fake, "device", nil}, f.fake}}
	}
	return f.dev
}

// managedFake is the device that the manager opened.
type managedFake struct{ *fakeDevice }

func (managedFake) Close() error { return nil }

func (f *fakeCM) call(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, name)
	return f.refuse[name]
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

func (c *fakeEvents) CreateID(ps verbs.CMPortSpace) (verbs.CMID, error) {
	if err := c.f.fail["id"]; err != nil {
		return nil, err
	}
	c.count(1)
	return &fakeID{fakeObject: c.f.object("id"), f: c.f, events: c, ps: ps}, nil
}

type fakeID struct {
	fakeObject
	f           *fakeCM
	ps          verbs.CMPortSpace
	mu          sync.Mutex
	events      *fakeEvents
	bound       bool
	local, peer netip.AddrPort
	qp          *managedQP
	partner     *fakeID
	asked       verbs.CMConnParam
	closed      bool
}

func (i *fakeID) PortSpace() verbs.CMPortSpace { return i.ps }
func (i *fakeID) Device() verbs.Device {
	if i.f.looked != nil {
		i.f.looked()
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
func (i *fakeID) PortNum() uint8            { return 1 }
func (i *fakeID) LocalAddr() netip.AddrPort { i.mu.Lock(); defer i.mu.Unlock(); return i.local }
func (i *fakeID) PeerAddr() netip.AddrPort  { i.mu.Lock(); defer i.mu.Unlock(); return i.peer }
func (i *fakeID) QP() verbs.QP {
	if i.qp == nil {
		return nil
	}
	return i.qp
}

func (i *fakeID) tell(t verbs.CMEventType, change func(*verbs.CMEvent)) {
	if i.f.mute.Load() {
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

func (i *fakeID) BindAddr(src netip.AddrPort) error {
	if err := i.f.call("bind_addr"); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if src.Port() == 0 {
		src = netip.AddrPortFrom(src.Addr(), 40000)
	}
	i.local, i.bound = src, !src.Addr().IsUnspecified()
	return nil
}

// badWays are addresses that do not resolve.
var badWays = map[string]syscall.Errno{
	"10.0.0.99": syscall.ETIMEDOUT, "10.0.0.98": syscall.ENODEV, "239.0.0.98": syscall.ENODEV,
}

func (i *fakeID) ResolveAddr(_, dst netip.AddrPort, _ time.Duration) error {
	if err := i.f.call("resolve_addr"); err != nil {
		return err
	}
	if i.f.silent["resolve_addr"] {
		return nil
	}
	if no, bad := badWays[dst.Addr().String()]; bad {
		i.tell(verbs.CMAddrError, func(e *verbs.CMEvent) { e.Status = -int(no) })
		return nil
	}
	i.mu.Lock()
	i.local, i.peer, i.bound = netip.MustParseAddrPort("10.0.0.1:40001"), dst, true
	i.mu.Unlock()
	i.tell(verbs.CMAddrResolved, nil)
	return nil
}

func (i *fakeID) ResolveRoute(time.Duration) error {
	err := i.f.call("resolve_route")
	if err == nil {
		i.tell(verbs.CMRouteResolved, nil)
	}
	return err
}

func (i *fakeID) Listen(int) error {
	if err := i.f.call("listen"); err != nil {
		return err
	}
	i.f.mu.Lock()
	defer i.f.mu.Unlock()
	i.f.listens[i.local.Port()] = i
	return nil
}

func (i *fakeID) Connect(p verbs.CMConnParam) error {
	if err := i.f.call("connect"); err != nil {
		return err
	}
	i.f.mu.Lock()
	l := i.f.listens[i.peer.Port()]
	i.f.mu.Unlock()
	if l == nil {
		i.tell(verbs.CMRejected, func(e *verbs.CMEvent) { e.Status = int(verbs.RejectInvalidServiceID) })
		return nil
	}
	l.mu.Lock()
	events := l.events
	l.mu.Unlock()
	events.count(1)
	req := &fakeID{fakeObject: i.f.object("id"), f: i.f, events: events, ps: l.ps, bound: true,
		local: l.local, peer: i.local, partner: i, asked: p}
	i.mu.Lock()
	i.partner = req
	i.mu.Unlock()
	events.put(verbs.CMEvent{Type: verbs.CMConnectRequest, ID: req, ListenID: l, Conn: p,
		UD: verbs.CMUDParam{PrivateData: p.PrivateData}})
	return nil
}

func (i *fakeID) Accept(p verbs.CMConnParam) error {
	if err := i.f.call("accept"); err != nil {
		return err
	}
	if i.ps == verbs.PortSpaceUDP {
		i.partner.tell(verbs.CMEstablished, func(e *verbs.CMEvent) {
			e.UD = verbs.CMUDParam{
				PrivateData: p.PrivateData, QPNum: 77, QKey: 0x1234567, AH: verbs.AHAttr{PortNum: 1, DLID: 5},
			}
		})
		return nil
	}
	for _, end := range []*fakeID{i, i.partner} {
		if end.qp != nil {
			end.qp.setState(verbs.QPRTS)
		}
	}
	i.partner.tell(verbs.CMEstablished, func(e *verbs.CMEvent) { e.Conn = p })
	i.tell(verbs.CMEstablished, func(e *verbs.CMEvent) { e.Conn = i.asked })
	return nil
}

func (i *fakeID) Reject(data []byte) error {
	if err := i.f.call("reject"); err != nil {
		return err
	}
	i.partner.tell(verbs.CMRejected, func(e *verbs.CMEvent) {
		e.Status, e.Conn.PrivateData = int(verbs.RejectConsumerDefined), data
	})
	return nil
}

func (i *fakeID) Disconnect() error {
	if err := i.f.call("disconnect"); err != nil {
		return err
	}
	if i.qp != nil {
		i.qp.setState(verbs.QPErr)
	}
	i.mu.Lock()
	partner := i.partner
	i.partner = nil
	i.mu.Unlock()
	if partner != nil {
		partner.mu.Lock()
		partner.partner = nil
		partner.mu.Unlock()
		partner.tell(verbs.CMDisconnected, nil)
		i.tell(verbs.CMDisconnected, nil)
	}
	return nil
}

func (i *fakeID) Establish() error               { return i.f.call("establish") }
func (i *fakeID) Notify(t verbs.EventType) error { return i.f.call("notify " + t.String()) }
func (i *fakeID) SetOption(o verbs.CMOption, v uint64) error {
	return i.f.call(fmt.Sprintf("set_option %s %d", o, v))
}

func (i *fakeID) InitQPAttr(st verbs.QPState) (verbs.QPAttr, error) {
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
	id *fakeID
}

func (q *managedQP) Close() error {
	q.id.mu.Lock()
	q.id.qp = nil
	q.id.mu.Unlock()
	return q.fakeQP.Close()
}

func (i *fakeID) CreateQP(pd verbs.PD, spec verbs.QPSpec) (verbs.QP, error) {
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
	i.qp.setState(verbs.QPInit)
	return i.qp, nil
}

func (i *fakeID) JoinMulticast(group netip.Addr) error {
	if err := i.f.call("join " + group.String()); err != nil {
		return err
	}
	i.tell(verbs.CMMulticastJoin, func(e *verbs.CMEvent) {
		e.UD = verbs.CMUDParam{QPNum: 0xffffff, QKey: 0x1234567, AH: verbs.AHAttr{PortNum: 1, DLID: 0xc001}}
	})
	return nil
}
func (i *fakeID) LeaveMulticast(group netip.Addr) error { return i.f.call("leave " + group.String()) }

func (i *fakeID) Migrate(to verbs.CMEventChannel) error {
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

func (i *fakeID) Close() error {
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
func (c *fakeEvents) dropUnread(listener *fakeID) (dropped []verbs.CMEvent) {
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
