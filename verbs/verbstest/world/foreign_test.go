package world

import (
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// lodger is a queue pair of the foreign domain with a window onto the region of that domain. It is connected to itself.
type lodger struct {
	cq verbs.CQ
	qp verbs.QP
	mw verbs.MW
}

func (d *domain) addLodger() {
	w := d.w
	cq, err := d.dev.CreateCQ(verbs.CQSpec{CQE: 2})
	if !w.Must("create_cq", err) {
		return
	}
	qp, err := d.foreign.CreateQP(verbs.QPSpec{
		QPType: verbs.RC, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxSendSGE: 1},
	})
	if !w.Must("create_qp", err) {
		return
	}
	e := &end{w: w, dom: d, qp: qp, num: qp.Num(), typ: verbs.RC, mtu: verbs.MTU256, retry: 1, rnr: 1}
	e.peer = e
	w.bringUp(e)
	mw, err := d.foreign.AllocMW(verbs.MWType1)
	if !w.Must("alloc_mw", err) {
		return
	}
	d.lodger = &lodger{cq, qp, mw}
	whole := verbs.MWBinding{
		MR: d.other.mr, Addr: d.other.addr,
		Length: uint64(len(d.other.model)), Access: verbs.RemoteRead | verbs.RemoteWrite | verbs.RemoteAtomic,
	}
	w.Must("bind_mw", qp.BindMW(mw, 0, verbs.SendSignaled, whole))
	synctest.Wait()
	var wc [1]verbs.WC
	if n, err := cq.Poll(wc[:]); n != 1 || err != nil || wc[0].Failed() {
		w.Fail("a window of the foreign domain: %d completions, %v, %v", n, wc[0].Status, err)
	}
}

func (l *lodger) close(w *world) {
	w.Must("destroy_qp", l.qp.Close())
	w.Must("dealloc_mw", l.mw.Close())
	w.Must("destroy_cq", l.cq.Close())
}

// stepRefused posts requests that the device must refuse, or fail, because they mix protection domains.
func (w *world) stepRefused() {
	e := w.anyEnd()
	if e == nil || e.stopped || e.dom.closed || !e.usable() || len(e.sends) >= int(e.cap.MaxSendWR) {
		return
	}
	d := e.dom
	switch {
	case e.typ == verbs.UD:
		e.postElsewhere()
	case e.typ == verbs.RC && w.plan.windows > 0 && w.Chance(0.5):
		d.bindForeignRegion(e)
	case e.typ == verbs.RC && w.plan.windows > 0 && len(d.strays) < 4:
		d.bindForeignWindow(e)
	}
}

// postElsewhere sends a datagram by an address handle of another domain. The device detects that when it executes the
// request.
func (e *end) postElsewhere() {
	w, d := e.w, e.dom
	if d.elsewhere == nil {
		ah, err := d.foreign.CreateAH(d.vector(d, e.gidIndex))
		if !w.Must("create_ah", err) {
			return
		}
		d.elsewhere = ah
	}
	w.lastID++
	r := &request{
		id: w.lastID, end: e, op: verbs.WRSend, signaled: true, verdict: never,
		why: "an address handle of another protection domain", farSlot: -1,
	}
	e.post([]*request{r}, []verbs.SendWR{{
		WRID: r.id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, AH: d.elsewhere, RemoteQPN: e.num,
		RemoteQKey: e.qkey,
	}})
}

// bindForeignRegion binds a window to a region of another domain.
func (d *domain) bindForeignRegion(e *end) {
	w := d.w
	mw, err := d.pd.AllocMW(verbs.MWType1)
	if !w.Must("alloc_mw", err) {
		return
	}
	if e.qp.BindMW(mw, 0, 0, d.foreignBinding()) == nil {
		w.Fail("QP %s of %s accepts the binding of a window to a region of another protection domain",
			e.num, d.host.name)
	}
	w.Must("dealloc_mw", mw.Close())
}

func (d *domain) foreignBinding() verbs.MWBinding {
	return verbs.MWBinding{MR: d.other.mr, Addr: d.other.addr, Length: 8, Access: verbs.RemoteRead}
}

// bindForeignWindow binds a window of another domain to a region of that domain. The device detects that when it
// executes the binding.
func (d *domain) bindForeignWindow(e *end) {
	w := d.w
	typ := sim.Pick(w.Rng, verbs.MWType1, verbs.MWType2)
	mw, err := d.foreign.AllocMW(typ)
	if !w.Must("alloc_mw", err) {
		return
	}
	d.strays = append(d.strays, mw)
	w.lastID++
	r := &request{
		id: w.lastID, end: e, op: verbs.WRBindMW, signaled: true, verdict: never,
		why: "a window of another protection domain", farSlot: -1,
	}
	if typ == verbs.MWType2 {
		bind := &verbs.BindWR{MW: mw, RKey: verbs.NextRKey(mw.RKey()), MWBinding: d.foreignBinding()}
		e.post([]*request{r},
			[]verbs.SendWR{{WRID: r.id, Opcode: verbs.WRBindMW, SendFlags: verbs.SendSignaled, Bind: bind}})
		return
	}
	w.requests[r.id] = r
	e.sends = append(e.sends, r)
	e.spoil()
	w.Must("bind_mw", e.qp.BindMW(mw, r.id, verbs.SendSignaled, d.foreignBinding()))
}

// closeForeign closes the objects of the foreign domain except the region.
func (d *domain) closeForeign() {
	for _, mw := range d.strays {
		d.w.Must("dealloc_mw", mw.Close())
	}
	if d.lodger != nil {
		d.lodger.close(d.w)
	}
	if d.elsewhere != nil {
		d.w.Must("destroy_ah", d.elsewhere.Close())
	}
}
