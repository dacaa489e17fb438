package session_test

import (
	"context"
	"slices"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// errBroken is the error of a call that fails although it could be carried out.
const errBroken = syscall.EREMOTE

// breaker makes one call of a provider fail.
type breaker struct {
	mu     sync.Mutex
	left   int            // calls until the one that fails; 0: none fails
	failed string         // the call that failed, "" for none
	spared []string       // calls that do not fail
	only   string         // the only call that can fail; "": any
	made   map[string]int // how often each call was made
	known  map[any]any    // the broken objects by those that they stand for
}

// at makes the n-th call from now on fail, not counting those that are spared; 0: none. It returns the call that failed
// before, "" for none.
func (b *breaker) at(n int, spared ...string) (failed string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failed, b.failed, b.left, b.spared = b.failed, "", n, spared
	return failed
}

// call counts a call and returns its error.
func (b *breaker) call(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made[name]++
	if b.left == 0 || b.only != "" && b.only != name || slices.Contains(b.spared, name) {
		return nil
	}
	if b.left--; b.left > 0 {
		return nil
	}
	b.failed = name
	return verbs.NewOpError(name, "", errBroken)
}

// standIn returns the broken object that stands for another one.
func standIn[T any](b *breaker, of any, make func() T) T {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.known[of]; ok {
		return known.(T)
	}
	made := make()
	b.known[of] = made
	return made
}

// broken carries out a call unless it is the one that fails.
func broken[T, W any](b *breaker, name string, call func() (T, error), wrap func(T) W) (w W, err error) {
	if err := b.call(name); err != nil {
		return w, err
	}
	got, err := call()
	if err != nil {
		return w, err
	}
	return wrap(got), nil
}

func same[T any](v T) T { return v }

// do carries out a call without a result unless it is the one that fails.
func (b *breaker) do(name string, call func() error) error {
	if err := b.call(name); err != nil {
		return err
	}
	return call()
}

// brokenProvider is the software provider, any call of which can be made to fail.
type brokenProvider struct {
	*soft.Provider
	b *breaker
}

func newBroken(p *soft.Provider) *brokenProvider {
	return &brokenProvider{p, &breaker{known: map[any]any{}, made: map[string]int{}}}
}

func (p *brokenProvider) Open(name string) (verbs.Device, error) {
	return broken(p.b, "open", func() (verbs.Device, error) { return p.Provider.Open(name) }, p.b.device)
}

type brokenDevice struct {
	verbs.Device
	verbs.RTValuesQuerier
	b *breaker
}

func (b *breaker) device(d verbs.Device) verbs.Device {
	if d == nil {
		return nil
	}
	return standIn(b, d, func() verbs.Device {
		clock, _ := d.(verbs.RTValuesQuerier)
		return &brokenDevice{d, clock, b}
	})
}

func (d *brokenDevice) QueryDevice() (verbs.DeviceAttr, error) {
	return broken(d.b, "query_device", d.Device.QueryDevice, same)
}

func (d *brokenDevice) QueryDeviceEx() (verbs.DeviceAttrEx, error) {
	return broken(d.b, "query_device_ex", d.Device.QueryDeviceEx, same)
}

func (d *brokenDevice) QueryPort(port uint8) (verbs.PortAttr, error) {
	return broken(d.b, "query_port", func() (verbs.PortAttr, error) { return d.Device.QueryPort(port) }, same)
}

func (d *brokenDevice) QueryGIDTable() ([]verbs.GIDEntry, error) {
	return broken(d.b, "query_gid_table", d.Device.QueryGIDTable, same)
}

func (d *brokenDevice) QueryGID(port uint8, index int) (verbs.GIDEntry, error) {
	return broken(d.b, "query_gid", func() (verbs.GIDEntry, error) { return d.Device.QueryGID(port, index) }, same)
}

func (d *brokenDevice) QueryPKey(port uint8, index int) (uint16, error) {
	return broken(d.b, "query_pkey", func() (uint16, error) { return d.Device.QueryPKey(port, index) }, same)
}

func (d *brokenDevice) QueryRTValuesEx() (verbs.RTValues, error) {
	return broken(d.b, "query_rt_values_ex", d.RTValuesQuerier.QueryRTValuesEx, same)
}

func (d *brokenDevice) AllocPD() (verbs.PD, error) {
	return broken(d.b, "alloc_pd", d.Device.AllocPD, func(p verbs.PD) verbs.PD { return &brokenPD{p, d.b} })
}

func (d *brokenDevice) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	return broken(d.b, "alloc_dm", func() (verbs.DM, error) { return d.Device.AllocDM(spec) },
		func(m verbs.DM) verbs.DM { return &brokenDM{m, d.b} })
}

func (d *brokenDevice) CreateCompChannel() (verbs.CompChannel, error) {
	return broken(d.b, "create_comp_channel", d.Device.CreateCompChannel,
		func(c verbs.CompChannel) verbs.CompChannel { return &brokenChannel{c, d.b} })
}

func (d *brokenDevice) CreateCQ(spec verbs.CQSpec) (verbs.CQ, error) {
	if c, ok := spec.Channel.(*brokenChannel); ok {
		spec.Channel = c.CompChannel
	}
	return broken(d.b, "create_cq", func() (verbs.CQ, error) { return d.Device.CreateCQ(spec) }, d.b.cq)
}

func (d *brokenDevice) GetAsyncEvent(ctx context.Context) (verbs.AsyncEvent, error) {
	e, err := d.Device.GetAsyncEvent(ctx)
	if e.QP != nil {
		e.QP = d.b.qp(e.QP)
	}
	if e.CQ != nil {
		e.CQ = d.b.cq(e.CQ)
	}
	if e.SRQ != nil {
		e.SRQ = d.b.srq(e.SRQ)
	}
	return e, err
}

func (d *brokenDevice) Close() error { return d.b.do("close_device", d.Device.Close) }

type brokenChannel struct {
	verbs.CompChannel
	b *breaker
}

func (c *brokenChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	return broken(c.b, "get_cq_event", func() (verbs.CQ, error) { return c.CompChannel.GetCQEvent(ctx) }, c.b.cq)
}

func (c *brokenChannel) Close() error { return c.b.do("destroy_comp_channel", c.CompChannel.Close) }

// softCQ is what a queue of the software device can do.
type softCQ interface {
	verbs.CQ
	verbs.CQResizer
	verbs.FillTeller
	verbs.CQWaker
}

type brokenCQ struct {
	softCQ
	b *breaker
}

func (b *breaker) cq(q verbs.CQ) verbs.CQ {
	return standIn(b, q, func() verbs.CQ { return &brokenCQ{q.(softCQ), b} })
}

func (q *brokenCQ) Poll(wcs []verbs.WC) (int, error) {
	return broken(q.b, "poll_cq", func() (int, error) { return q.softCQ.Poll(wcs) }, same)
}

func (q *brokenCQ) ReqNotify(solicited bool) error {
	return q.b.do("req_notify_cq", func() error { return q.softCQ.ReqNotify(solicited) })
}

func (q *brokenCQ) Resize(cqe int) error {
	return q.b.do("resize_cq", func() error { return q.softCQ.Resize(cqe) })
}

func (q *brokenCQ) Close() error { return q.b.do("destroy_cq", q.softCQ.Close) }

type brokenPD struct {
	verbs.PD
	b *breaker
}

func (p *brokenPD) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	if m, ok := spec.Backing.DM.(*brokenDM); ok {
		spec.Backing.DM = m.DM
	}
	return broken(p.b, "reg_mr", func() (verbs.MR, error) { return p.PD.RegMR(spec) },
		func(m verbs.MR) verbs.MR { return &brokenMR{m, p.b} })
}

// sound returns a spec with the objects that broken ones stand for.
func sound(spec verbs.QPSpec) verbs.QPSpec {
	for _, q := range []*verbs.CQ{&spec.SendCQ, &spec.RecvCQ} {
		if b, ok := (*q).(*brokenCQ); ok {
			*q = b.softCQ
		}
	}
	if q, ok := spec.SRQ.(*brokenSRQ); ok {
		spec.SRQ = q.SRQ
	}
	return spec
}

func (p *brokenPD) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	return broken(p.b, "create_qp", func() (verbs.QP, error) { return p.PD.CreateQP(sound(spec)) }, p.b.qp)
}

func (p *brokenPD) CreateSRQ(spec verbs.SRQSpec) (verbs.SRQ, error) {
	return broken(p.b, "create_srq", func() (verbs.SRQ, error) { return p.PD.CreateSRQ(spec) }, p.b.srq)
}

func (p *brokenPD) CreateAH(a verbs.AHAttr) (verbs.AH, error) {
	return broken(p.b, "create_ah", func() (verbs.AH, error) { return p.PD.CreateAH(a) },
		func(a verbs.AH) verbs.AH { return &brokenAH{a, p.b} })
}

func (p *brokenPD) AllocMW(t verbs.MWType) (verbs.MW, error) {
	return broken(p.b, "alloc_mw", func() (verbs.MW, error) { return p.PD.AllocMW(t) },
		func(w verbs.MW) verbs.MW { return &brokenMW{w, p.b} })
}

func (p *brokenPD) Close() error { return p.b.do("dealloc_pd", p.PD.Close) }

type brokenAH struct {
	verbs.AH
	b *breaker
}

func (a *brokenAH) Close() error { return a.b.do("destroy_ah", a.AH.Close) }

type brokenMW struct {
	verbs.MW
	b *breaker
}

func (w *brokenMW) Close() error { return w.b.do("dealloc_mw", w.MW.Close) }

type brokenDM struct {
	verbs.DM
	b *breaker
}

func (m *brokenDM) ReadAt(p []byte, off int64) (int, error) {
	return broken(m.b, "memcpy_from_dm", func() (int, error) { return m.DM.ReadAt(p, off) }, same)
}

func (m *brokenDM) WriteAt(p []byte, off int64) (int, error) {
	return broken(m.b, "memcpy_to_dm", func() (int, error) { return m.DM.WriteAt(p, off) }, same)
}

func (m *brokenDM) Close() error { return m.b.do("free_dm", m.DM.Close) }

type brokenMR struct {
	verbs.MR
	b *breaker
}

func (m *brokenMR) ReadAt(p []byte, off int64) (int, error) {
	return broken(m.b, "read", func() (int, error) { return m.MR.ReadAt(p, off) }, same)
}

func (m *brokenMR) WriteAt(p []byte, off int64) (int, error) {
	return broken(m.b, "write", func() (int, error) { return m.MR.WriteAt(p, off) }, same)
}

func (m *brokenMR) Rereg(c verbs.MRChange) error {
	if p, ok := c.PD.(*brokenPD); ok {
		c.PD = p.PD
	}
	return m.b.do("rereg_mr", func() error { return m.MR.Rereg(c) })
}

func (m *brokenMR) Close() error { return m.b.do("dereg_mr", m.MR.Close) }

type brokenSRQ struct {
	verbs.SRQ
	b *breaker
}

func (b *breaker) srq(q verbs.SRQ) verbs.SRQ {
	return standIn(b, q, func() verbs.SRQ { return &brokenSRQ{q, b} })
}

func (q *brokenSRQ) Modify(a verbs.SRQAttr) error {
	return q.b.do("modify_srq", func() error { return q.SRQ.Modify(a) })
}

func (q *brokenSRQ) Query() (verbs.SRQAttr, error) {
	return broken(q.b, "query_srq", q.SRQ.Query, same)
}

func (q *brokenSRQ) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	return broken(q.b, "post_srq_recv", func() (int, error) { return q.SRQ.PostRecv(wrs...) }, same)
}

func (q *brokenSRQ) Close() error { return q.b.do("destroy_srq", q.SRQ.Close) }

// softQP is what a queue pair of the software device can do.
type softQP interface {
	verbs.QP
	verbs.StepRecorder
}

type brokenQP struct {
	softQP
	b *breaker
}

func (b *breaker) qp(q verbs.QP) verbs.QP {
	if q == nil {
		return nil
	}
	return standIn(b, q, func() verbs.QP { return &brokenQP{q.(softQP), b} })
}

func (q *brokenQP) Modify(a verbs.QPAttr) error {
	return q.b.do("modify_qp", func() error { return q.softQP.Modify(a) })
}

func (q *brokenQP) Query(mask verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	if err := q.b.call("query_qp"); err != nil {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, err
	}
	return q.softQP.Query(mask)
}

func (q *brokenQP) PostSend(wrs ...verbs.SendWR) (int, error) {
	whole := make([]verbs.SendWR, len(wrs))
	for i, wr := range wrs {
		if a, ok := wr.AH.(*brokenAH); ok {
			wr.AH = a.AH
		}
		if wr.Bind != nil {
			bind := *wr.Bind
			if w, ok := bind.MW.(*brokenMW); ok {
				bind.MW = w.MW
			}
			bind.MWBinding = soundBinding(bind.MWBinding)
			wr.Bind = &bind
		}
		whole[i] = wr
	}
	return broken(q.b, "post_send", func() (int, error) { return q.softQP.PostSend(whole...) }, same)
}

func (q *brokenQP) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	return broken(q.b, "post_recv", func() (int, error) { return q.softQP.PostRecv(wrs...) }, same)
}

func soundBinding(bind verbs.MWBinding) verbs.MWBinding {
	if m, ok := bind.MR.(*brokenMR); ok {
		bind.MR = m.MR
	}
	return bind
}

func (q *brokenQP) BindMW(mw verbs.MW, id uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	if w, ok := mw.(*brokenMW); ok {
		mw = w.MW
	}
	return q.b.do("bind_mw", func() error { return q.softQP.BindMW(mw, id, flags, soundBinding(bind)) })
}

func (q *brokenQP) AttachMcast(gid verbs.GID, lid uint16) error {
	return q.b.do("attach_mcast", func() error { return q.softQP.AttachMcast(gid, lid) })
}

func (q *brokenQP) DetachMcast(gid verbs.GID, lid uint16) error {
	return q.b.do("detach_mcast", func() error { return q.softQP.DetachMcast(gid, lid) })
}

func (q *brokenQP) Close() error { return q.b.do("destroy_qp", q.softQP.Close) }
