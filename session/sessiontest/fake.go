package sessiontest

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

// Fake is a provider with one device, fake0. It counts live objects and returns the
// completions that a test sets. It models no device behaviour: it tests what the
// session does with objects.
type Fake struct {
	Alive  atomic.Int64
	Closed []string // in order; guarded by mu
	mu     sync.Mutex
	Stuck  string // kind of object whose Close fails
	Gone   atomic.Bool
	Says   atomic.Pointer[string] // a note
	blocks atomic.Pointer[blocking]
	Fail   map[string]error
	Events chan verbs.AsyncEvent

	CqEvents chan verbs.CQ // read by every completion channel
	Cqs      []*FakeCQ
	Qps      []*fakeQP
	Srqs     []*fakeSRQ
	Ports    []verbs.PortAttr // port numbers start at 1
	Gids     []verbs.GIDEntry
	Ex       *verbs.DeviceAttrEx // nil: the call is not supported
	InOrder  verbs.DataInOrder   // what queue pairs guarantee

	Called          string // of the device
	Node, Transport string // of the device; "": unknown
}

// NewFake returns a provider with one device, fake0, that does nothing.
func NewFake() *Fake {
	return &Fake{
		Called: "fake0", Events: make(chan verbs.AsyncEvent), CqEvents: make(chan verbs.CQ),
		Fail: map[string]error{}, Ports: []verbs.PortAttr{InfiniBand(verbs.PortActive, 7)},
	}
}

// InfiniBand returns the attributes of an InfiniBand port.
func InfiniBand(state verbs.PortState, lid uint16) verbs.PortAttr {
	return verbs.PortAttr{State: state, ActiveMTU: verbs.MTU1024, LinkLayer: verbs.LinkInfiniBand, LID: lid}
}

// blocking blocks the calls of one kind until it is released.
type blocking struct {
	kind string
	end  chan struct{}
}

// Block makes calls of a kind, or Close of such objects, block until release is
// called.
func (f *Fake) Block(kind string) (release func()) {
	b := &blocking{kind, make(chan struct{})}
	f.blocks.Store(b)
	return func() { close(b.end) }
}

func (f *Fake) wait(kind string) {
	if b := f.blocks.Load(); b != nil && b.kind == kind {
		<-b.end
	}
}

// Name implements verbs.Provider.
func (f *Fake) Name() string { return "fake" }

// Notes implements verbs.Provider.
func (f *Fake) Notes() []verbs.Note {
	if text := f.Says.Load(); text != nil {
		return []verbs.Note{{Devices: []string{"fake0"}, Text: *text},
			{Devices: []string{"fake1"}, Text: *text + " elsewhere"}}
	}
	return nil
}

// Devices implements verbs.Provider.
func (f *Fake) Devices() ([]verbs.DeviceInfo, error) {
	if f.Gone.Load() {
		return nil, nil
	}
	return []verbs.DeviceInfo{f.info()}, nil
}

func (f *Fake) info() verbs.DeviceInfo {
	return verbs.DeviceInfo{Name: f.Called, Provider: "fake", NodeType: f.Node, Transport: f.Transport}
}

// Open implements verbs.Provider.
func (f *Fake) Open(string) (verbs.Device, error) {
	if err := f.Fail["open"]; err != nil {
		return nil, err
	}
	return &fakeDevice{fakeObject: f.object("device"), f: f}, nil
}

type fakeObject struct {
	f    *Fake
	kind string
	once *sync.Once
	in   *fakePD // nil: in no protection domain
}

func (f *Fake) object(kind string) fakeObject {
	f.Alive.Add(1)
	return fakeObject{f: f, kind: kind, once: new(sync.Once)}
}

// object makes an object of the domain, which is busy until it is closed.
func (p *fakePD) object(kind string) fakeObject {
	o := p.f.object(kind)
	o.in = p
	p.users.Add(1)
	return o
}

// Close implements verbs.PD.
func (p *fakePD) Close() error {
	if p.users.Load() > 0 {
		return &verbs.BusyError{Object: p.kind}
	}
	return p.fakeObject.Close()
}

// Close implements verbs.PD and the other objects.
func (o fakeObject) Close() error {
	if o.f.Stuck == o.kind {
		return syscall.EBUSY
	}
	o.f.wait(o.kind)
	o.once.Do(func() {
		o.f.Alive.Add(-1)
		if o.in != nil {
			o.in.users.Add(-1)
		}
		o.f.mu.Lock()
		o.f.Closed = append(o.f.Closed, o.kind)
		o.f.mu.Unlock()
	})
	return nil
}

type fakeDevice struct {
	fakeObject
	f *Fake
}

// Info implements verbs.Device.
func (d *fakeDevice) Info() verbs.DeviceInfo { return d.f.info() }

// QueryDevice implements verbs.Device.
func (d *fakeDevice) QueryDevice() (verbs.DeviceAttr, error) {
	return verbs.DeviceAttr{PhysPortCnt: uint8(len(d.f.Ports)), MaxQPWR: 1 << 14, MaxSGE: 4, MaxCQE: 1 << 20,
		MaxMRSize: 1 << 30, MaxQPRDAtom: 16, MaxQPInitRDAtom: 16, MaxSRQWR: 1024, MaxSRQSGE: 4}, d.f.Fail["query"]
}

// QueryDeviceEx implements verbs.Device.
func (d *fakeDevice) QueryDeviceEx() (verbs.DeviceAttrEx, error) {
	if d.f.Ex != nil {
		return *d.f.Ex, nil
	}
	return verbs.DeviceAttrEx{}, verbs.ErrUnsupported
}

// QueryPort implements verbs.Device.
func (d *fakeDevice) QueryPort(port uint8) (verbs.PortAttr, error) {
	if port < 1 || int(port) > len(d.f.Ports) {
		return verbs.PortAttr{}, verbs.NewOpError("ibv_query_port", "", syscall.EINVAL)
	}
	if err := d.f.Fail[fmt.Sprint("port ", port)]; err != nil {
		return verbs.PortAttr{}, err
	}
	return d.f.Ports[port-1], d.f.Fail["query_port"]
}

// QueryGIDTable implements verbs.Device.
func (d *fakeDevice) QueryGIDTable() ([]verbs.GIDEntry, error) { return d.f.Gids, d.f.Fail["gids"] }

// QueryGID implements verbs.Device.
func (d *fakeDevice) QueryGID(uint8, int) (verbs.GIDEntry, error) {
	return verbs.GIDEntry{}, d.f.Fail["gid"]
}

// QueryPKey implements verbs.Device.
func (d *fakeDevice) QueryPKey(uint8, int) (uint16, error) { return 0xffff, d.f.Fail["pkey"] }

// AllocPD implements verbs.Device.
func (d *fakeDevice) AllocPD() (verbs.PD, error) {
	if err := d.f.Fail["pd"]; err != nil {
		return nil, err
	}
	return &fakePD{fakeObject: d.f.object("pd"), f: d.f}, nil
}

// CreateCompChannel implements verbs.Device.
func (d *fakeDevice) CreateCompChannel() (verbs.CompChannel, error) {
	if err := d.f.Fail["comp_channel"]; err != nil {
		return nil, err
	}
	return &fakeChannel{d.f.object("channel"), d.f.CqEvents}, nil
}

// CreateCQ implements verbs.Device.
func (d *fakeDevice) CreateCQ(spec verbs.CQSpec) (verbs.CQ, error) {
	if err := d.f.Fail["cq"]; err != nil {
		return nil, err
	}
	cq := &FakeCQ{fakeObject: d.f.object("cq"), cqe: spec.CQE}
	d.f.Cqs = append(d.f.Cqs, cq)
	return cq, nil
}

// GetAsyncEvent implements verbs.Device.
func (d *fakeDevice) GetAsyncEvent(ctx context.Context) (verbs.AsyncEvent, error) {
	select {
	case e := <-d.f.Events:
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

// GetCQEvent implements verbs.CompChannel.
func (c *fakeChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	select {
	case cq := <-c.events:
		return cq, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// FakeCQ returns the completions of next; nil: none.
type FakeCQ struct {
	fakeObject
	cqe   int
	Polls atomic.Int64
	Acked atomic.Int64
	Next  atomic.Pointer[func([]verbs.WC) int]
}

// CQE implements verbs.CQ.
func (c *FakeCQ) CQE() int { return c.cqe }

// Poll implements verbs.CQ.
func (c *FakeCQ) Poll(wcs []verbs.WC) (int, error) {
	c.Polls.Add(1)
	if err := c.f.Fail["poll"]; err != nil {
		return 0, err
	}
	if next := c.Next.Load(); next != nil {
		return (*next)(wcs), nil
	}
	return 0, nil
}

// ReqNotify implements verbs.CQ.
func (c *FakeCQ) ReqNotify(bool) error { return c.f.Fail["notify"] }

// AckEvents implements verbs.CQ.
func (c *FakeCQ) AckEvents(n int) { c.Acked.Add(int64(n)) }

type fakePD struct {
	fakeObject
	f     *Fake
	users atomic.Int64
}

// AllocDM implements verbs.Device.
func (d *fakeDevice) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	if err := d.f.Fail["dm"]; err != nil {
		return nil, err
	}
	return &fakeDM{d.f.object("dm"), spec}, nil
}

type fakeDM struct {
	fakeObject
	spec verbs.DMSpec
}

// Spec implements verbs.DM.
func (m *fakeDM) Spec() verbs.DMSpec { return m.spec }

// ReadAt implements verbs.DM.
func (m *fakeDM) ReadAt(p []byte, _ int64) (int, error) { return len(p), nil }

// WriteAt implements verbs.DM.
func (m *fakeDM) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

// RegMR implements verbs.PD.
func (p *fakePD) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	if err := p.f.Fail["mr"]; err != nil {
		return nil, err
	}
	return &fakeMR{p.object("mr"), spec, make([]byte, spec.Length)}, nil
}

// CreateQP implements verbs.PD.
func (p *fakePD) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	if err := p.f.Fail["qp"]; err != nil {
		return nil, err
	}
	q := &fakeQP{fakeObject: p.object("qp"), Spec: spec, Number: verbs.QPN(17 + len(p.f.Qps)), f: p.f}
	p.f.Qps = append(p.f.Qps, q)
	return q, nil
}

// CreateAH implements verbs.PD.
func (p *fakePD) CreateAH(a verbs.AHAttr) (verbs.AH, error) {
	if err := p.f.Fail["ah"]; err != nil {
		return nil, err
	}
	return &fakeAH{p.object("ah"), a}, nil
}

type fakeAH struct {
	fakeObject
	attr verbs.AHAttr
}

// Attr implements verbs.AH.
func (a *fakeAH) Attr() verbs.AHAttr { return a.attr }

type fakeMR struct {
	fakeObject
	spec  verbs.MRSpec
	bytes []byte
}

// Spec implements verbs.MR.
func (m *fakeMR) Spec() verbs.MRSpec { return m.spec }

// Addr implements verbs.MR.
func (m *fakeMR) Addr() uint64 { return 0x1000 }

// LKey implements verbs.MR.
func (m *fakeMR) LKey() uint32 { return 0x11 }

// RKey implements verbs.MR.
func (m *fakeMR) RKey() uint32 { return 0x12 }

// ReadAt implements verbs.MR.
func (m *fakeMR) ReadAt(p []byte, off int64) (int, error) {
	if err := m.f.Fail["read_mr"]; err != nil {
		return 0, err
	}
	return copy(p, m.bytes[off:]), nil
}

// WriteAt implements verbs.MR.
func (m *fakeMR) WriteAt(p []byte, off int64) (int, error) {
	if err := m.f.Fail["write_mr"]; err != nil {
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
	f      *Fake
	Spec   verbs.QPSpec
	Number verbs.QPN
	mu     sync.Mutex
	state  verbs.QPState
	Attr   verbs.QPAttr // as set
	sends  []verbs.SendWR

	Groups []verbs.GID // attached groups: it cannot be closed before they are left
}

// Num implements verbs.QP.
func (q *fakeQP) Num() verbs.QPN { return q.Number }

// Type implements verbs.QP.
func (q *fakeQP) Type() verbs.QPType { return q.Spec.QPType }

// Cap implements verbs.QP.
func (q *fakeQP) Cap() verbs.QPCap { return q.Spec.Cap }

// Modify implements verbs.QP.
func (q *fakeQP) Modify(a verbs.QPAttr) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if transition.Check(q.Spec.QPType, q.state, a) != nil {
		return verbs.NewOpError("ibv_modify_qp", "", syscall.EINVAL)
	}
	if a.Mask&verbs.AttrState != 0 {
		q.state = a.QPState
	}
	fields.Merge(&q.Attr, &a)
	return nil
}

// QueryDataInOrder implements verbs.DataInOrderQuerier.
func (q *fakeQP) QueryDataInOrder(verbs.WROpcode, verbs.DataInOrderFlags) (verbs.DataInOrder, error) {
	return q.f.InOrder, q.f.Fail["data_in_order"]
}

// SetState implements verbs.QP.
func (q *fakeQP) SetState(s verbs.QPState) {
	q.mu.Lock()
	q.state = s
	q.mu.Unlock()
}

// Query implements verbs.QP.
func (q *fakeQP) Query(mask verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return verbs.QPAttr{Mask: mask, QPState: q.state}, verbs.QPInitAttr{QPType: q.Spec.QPType}, q.f.Fail["query_qp"]
}

// PostSend implements verbs.QP.
func (q *fakeQP) PostSend(wrs ...verbs.SendWR) (int, error) {
	q.f.wait("post_send")
	if err := q.f.Fail["post_send"]; err != nil {
		return 0, err
	}
	q.sends = append(q.sends, wrs...)
	return len(wrs), nil
}

// PostRecv implements verbs.QP.
func (q *fakeQP) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	if q.Spec.SRQ != nil {
		return 0, verbs.NewOpError("ibv_post_recv", "", syscall.EINVAL)
	}
	if err := q.f.Fail["post_recv"]; err != nil {
		return 0, err
	}
	return len(wrs), nil
}
