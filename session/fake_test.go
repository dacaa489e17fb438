package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// fake is a provider with one device, fake0. It counts live objects and returns the
// completions that a test sets. It models no device behaviour: it tests what the
// session does with objects.
type fake struct {
	alive  atomic.Int64
	closed []string // in order; guarded by mu
	mu     sync.Mutex
	stuck  string // kind of object whose Close fails
	gone   atomic.Bool
	says   atomic.Pointer[string] // a note
	blocks atomic.Pointer[blocking]
	fail   map[string]error
	events chan verbs.AsyncEvent

	cqEvents chan verbs.CQ // read by every completion channel
	cqs      []*fakeCQ
	qps      []*fakeQP
	srqs     []*fakeSRQ
	ports    []verbs.PortAttr // port numbers start at 1
	gids     []verbs.GIDEntry
	ex       *verbs.DeviceAttrEx // nil: the call is not supported

	name            string // of the device
	node, transport string // of the device; "": unknown
}

func newFake() *fake {
	return &fake{
		name: "fake0", events: make(chan verbs.AsyncEvent), cqEvents: make(chan verbs.CQ),
		fail: map[string]error{}, ports: []verbs.PortAttr{infiniBand(verbs.PortActive, 7)},
	}
}

// infiniBand returns the attributes of an InfiniBand port.
func infiniBand(state verbs.PortState, lid uint16) verbs.PortAttr {
	return verbs.PortAttr{State: state, ActiveMTU: verbs.MTU1024, LinkLayer: verbs.LinkInfiniBand, LID: lid}
}

// blocking blocks the calls of one kind until it is released.
type blocking struct {
	kind string
	end  chan struct{}
}

// block makes calls of a kind, or Close of such objects, block until release is
// called.
func (f *fake) block(kind string) (release func()) {
	b := &blocking{kind, make(chan struct{})}
	f.blocks.Store(b)
	return func() { close(b.end) }
}

func (f *fake) wait(kind string) {
	if b := f.blocks.Load(); b != nil && b.kind == kind {
		<-b.end
	}
}

func (f *fake) Name() string { return "fake" }
func (f *fake) Notes() []verbs.Note {
	if text := f.says.Load(); text != nil {
		return []verbs.Note{{Devices: []string{"fake0"}, Text: *text},
			{Devices: []string{"fake1"}, Text: *text + " elsewhere"}}
	}
	return nil
}
func (f *fake) Devices() ([]verbs.DeviceInfo, error) {
	if f.gone.Load() {
		return nil, nil
	}
	return []verbs.DeviceInfo{f.info()}, nil
}

func (f *fake) info() verbs.DeviceInfo {
	return verbs.DeviceInfo{Name: f.name, Provider: "fake", NodeType: f.node, Transport: f.transport}
}

func (f *fake) Open(string) (verbs.Device, error) {
	if err := f.fail["open"]; err != nil {
		return nil, err
	}
	return &fakeDevice{fakeObject: f.object("device"), f: f}, nil
}

type fakeObject struct {
	f    *fake
	kind string
	once *sync.Once
}

func (f *fake) object(kind string) fakeObject {
	f.alive.Add(1)
	return fakeObject{f, kind, new(sync.Once)}
}

func (o fakeObject) Close() error {
	if o.f.stuck == o.kind {
		return syscall.EBUSY
	}
	o.f.wait(o.kind)
	o.once.Do(func() {
		o.f.alive.Add(-1)
		o.f.mu.Lock()
		o.f.closed = append(o.f.closed, o.kind)
		o.f.mu.Unlock()
	})
	return nil
}

type fakeDevice struct {
	fakeObject
	f *fake
}

func (d *fakeDevice) Info() verbs.DeviceInfo { return d.f.info() }
func (d *fakeDevice) QueryDevice() (verbs.DeviceAttr, error) {
	return verbs.DeviceAttr{PhysPortCnt: uint8(len(d.f.ports)), MaxQPWR: 1 << 14, MaxSGE: 4, MaxCQE: 1 << 20,
		MaxMRSize: 1 << 30, MaxQPRDAtom: 16, MaxQPInitRDAtom: 16, MaxSRQWR: 1024, MaxSRQSGE: 4}, d.f.fail["query"]
}
func (d *fakeDevice) QueryDeviceEx() (verbs.DeviceAttrEx, error) {
	if d.f.ex != nil {
		return *d.f.ex, nil
	}
	return verbs.DeviceAttrEx{}, verbs.ErrUnsupported
}
func (d *fakeDevice) QueryPort(port uint8) (verbs.PortAttr, error) {
	if port < 1 || int(port) > len(d.f.ports) {
		return verbs.PortAttr{}, verbs.NewOpError("ibv_query_port", "", syscall.EINVAL)
	}
	if err := d.f.fail[fmt.Sprint("port ", port)]; err != nil {
		return verbs.PortAttr{}, err
	}
	return d.f.ports[port-1], d.f.fail["query_port"]
}
func (d *fakeDevice) QueryGIDTable() ([]verbs.GIDEntry, error) { return d.f.gids, d.f.fail["gids"] }
func (d *fakeDevice) QueryGID(uint8, int) (verbs.GIDEntry, error) {
	return verbs.GIDEntry{}, d.f.fail["gid"]
}
func (d *fakeDevice) QueryPKey(uint8, int) (uint16, error) { return 0xffff, d.f.fail["pkey"] }
func (d *fakeDevice) AllocPD() (verbs.PD, error) {
	if err := d.f.fail["pd"]; err != nil {
		return nil, err
	}
	return &fakePD{d.f.object("pd"), d.f}, nil
}
func (d *fakeDevice) CreateCompChannel() (verbs.CompChannel, error) {
	if err := d.f.fail["comp_channel"]; err != nil {
		return nil, err
	}
	return &fakeChannel{d.f.object("channel"), d.f.cqEvents}, nil
}
func (d *fakeDevice) CreateCQ(spec verbs.CQSpec) (verbs.CQ, error) {
	if err := d.f.fail["cq"]; err != nil {
		return nil, err
	}
	cq := &fakeCQ{fakeObject: d.f.object("cq"), cqe: spec.CQE}
	d.f.cqs = append(d.f.cqs, cq)
	return cq, nil
}
func (d *fakeDevice) GetAsyncEvent(ctx context.Context) (verbs.AsyncEvent, error) {
	select {
	case e := <-d.f.events:
		return e, nil
	case <-ctx.Done():
		return verbs.AsyncEvent{}, ctx.Err()
	}
}

// fakeChannel delivers events for the queues that a test sends to events.
type fakeChannel struct {
	fakeObject
	events chan verbs.CQ
}

func (c *fakeChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	select {
	case cq := <-c.events:
		return cq, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fakeCQ returns the completions of next; nil: none.
type fakeCQ struct {
	fakeObject
	cqe   int
	polls atomic.Int64
	acked atomic.Int64
	next  atomic.Pointer[func([]verbs.WC) int]
}

func (c *fakeCQ) CQE() int { return c.cqe }
func (c *fakeCQ) Poll(wcs []verbs.WC) (int, error) {
	c.polls.Add(1)
	if err := c.f.fail["poll"]; err != nil {
		return 0, err
	}
	if next := c.next.Load(); next != nil {
		return (*next)(wcs), nil
	}
	return 0, nil
}
func (c *fakeCQ) ReqNotify(bool) error { return c.f.fail["notify"] }
func (c *fakeCQ) AckEvents(n int)      { c.acked.Add(int64(n)) }

type fakePD struct {
	fakeObject
	f *fake
}

func (d *fakeDevice) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	if err := d.f.fail["dm"]; err != nil {
		return nil, err
	}
	return &fakeDM{d.f.object("dm"), spec}, nil
}

type fakeDM struct {
	fakeObject
	spec verbs.DMSpec
}

func (m *fakeDM) Spec() verbs.DMSpec                     { return m.spec }
func (m *fakeDM) ReadAt(p []byte, _ int64) (int, error)  { return len(p), nil }
func (m *fakeDM) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

func (p *fakePD) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	if err := p.f.fail["mr"]; err != nil {
		return nil, err
	}
	return &fakeMR{p.f.object("mr"), spec, make([]byte, spec.Length)}, nil
}
func (p *fakePD) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	if err := p.f.fail["qp"]; err != nil {
		return nil, err
	}
	q := &fakeQP{fakeObject: p.f.object("qp"), spec: spec, num: verbs.QPN(17 + len(p.f.qps)), f: p.f}
	p.f.qps = append(p.f.qps, q)
	return q, nil
}
func (p *fakePD) CreateAH(a verbs.AHAttr) (verbs.AH, error) {
	if err := p.f.fail["ah"]; err != nil {
		return nil, err
	}
	return &fakeAH{p.f.object("ah"), a}, nil
}

type fakeAH struct {
	fakeObject
	attr verbs.AHAttr
}

func (a *fakeAH) Attr() verbs.AHAttr { return a.attr }

type fakeMR struct {
	fakeObject
	spec  verbs.MRSpec
	bytes []byte
}

func (m *fakeMR) Spec() verbs.MRSpec { return m.spec }
func (m *fakeMR) Addr() uint64       { return 0x1000 }
func (m *fakeMR) LKey() uint32       { return 0x11 }
func (m *fakeMR) RKey() uint32       { return 0x12 }
func (m *fakeMR) ReadAt(p []byte, off int64) (int, error) {
	if err := m.f.fail["read_mr"]; err != nil {
		return 0, err
	}
	return copy(p, m.bytes[off:]), nil
}
func (m *fakeMR) WriteAt(p []byte, off int64) (int, error) {
	if err := m.f.fail["write_mr"]; err != nil {
		return 0, err
	}
	if off+int64(len(p)) > int64(len(m.bytes)) {
		return 0, fmt.Errorf("outside")
	}
	return copy(m.bytes[off:], p), nil
}

// fakeQP accepts every modify that the transition table allows.
type fakeQP struct {
	fakeObject
	f     *fake
	spec  verbs.QPSpec
	num   verbs.QPN
	mu    sync.Mutex
	state verbs.QPState
	attr  verbs.QPAttr // as set
	sends []verbs.SendWR

	groups []verbs.GID // attached groups: it cannot be closed before they are left
}

func (q *fakeQP) Num() verbs.QPN     { return q.num }
func (q *fakeQP) Type() verbs.QPType { return q.spec.QPType }
func (q *fakeQP) Cap() verbs.QPCap   { return q.spec.Cap }
func (q *fakeQP) Modify(a verbs.QPAttr) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if transition.Check(q.spec.QPType, q.state, a) != nil {
		return verbs.NewOpError("ibv_modify_qp", "", syscall.EINVAL)
	}
	if a.Mask&verbs.AttrState != 0 {
		q.state = a.QPState
	}
	fields.Merge(&q.attr, &a)
	return nil
}
func (q *fakeQP) setState(s verbs.QPState) {
	q.mu.Lock()
	q.state = s
	q.mu.Unlock()
}
func (q *fakeQP) Query(mask verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return verbs.QPAttr{Mask: mask, QPState: q.state}, verbs.QPInitAttr{QPType: q.spec.QPType}, q.f.fail["query_qp"]
}
func (q *fakeQP) PostSend(wrs ...verbs.SendWR) (int, error) {
	q.f.wait("post_send")
	if err := q.f.fail["post_send"]; err != nil {
		return 0, err
	}
	q.sends = append(q.sends, wrs...)
	return len(wrs), nil
}
func (q *fakeQP) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	if q.spec.SRQ != nil {
		return 0, verbs.NewOpError("ibv_post_recv", "", syscall.EINVAL)
	}
	if err := q.f.fail["post_recv"]; err != nil {
		return 0, err
	}
	return len(wrs), nil
}
