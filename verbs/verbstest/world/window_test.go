package world

import (
	"slices"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// windowState is the known state of a window.
type windowState int

const (
	unbound windowState = iota
	binding             // posted
	bound
	unbinding
	unclear
)

// window is a memory window onto a slot of the region that only windows expose.
type window struct {
	mw     verbs.MW
	dom    *domain
	typ    verbs.MWType
	state  windowState
	end    *end // the queue pair on which it was bound
	slot   int
	part   piece
	access verbs.Access
	zero   bool // its addresses begin at 0
	secret int  // its content while a peer may read it; -1: not a secret
	key    uint32
}

// stepWindow makes, binds, uses or destroys a window.
func (w *world) stepWindow() {
	e := w.anyEnd()
	for i := 0; !e.mayBind(); i++ {
		if i == 6 {
			return
		}
		e = w.anyEnd()
	}
	d := e.dom
	switch w.Rng.IntN(7) {
	case 0, 1:
		d.bindWindow(e)
	case 2, 3:
		if m := d.someWindow(bound); m != nil {
			m.takeAway()
		}
	default:
		e.useWindow()
	}
}

// mayBind reports whether windows can be bound on the queue pair and its peer can access memory through them.
func (e *end) mayBind() bool {
	return e != nil && e.typ == verbs.RC && e.peer != nil && !e.peer.gone && !e.stopped &&
		e.dom.shown != nil && e.usable()
}

func (d *domain) someWindow(states ...windowState) *window {
	var some []*window
	for _, m := range d.windows {
		if slices.Contains(states, m.state) {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return some[d.w.Rng.IntN(len(some))]
}

// bindWindow posts a binding on a queue pair.
func (d *domain) bindWindow(e *end) {
	w := d.w
	m := d.someWindow(unbound)
	if m == nil {
		if len(d.windows) >= 4 {
			return
		}
		typ := sim.Pick(w.Rng, verbs.MWType1, verbs.MWType2)
		mw, err := d.pd.AllocMW(typ)
		if !w.Must("alloc_mw", err) {
			return
		}
		m = &window{mw: mw, dom: d, typ: typ}
		d.windows = append(d.windows, m)
	}
	slot := d.shown.take()
	if slot < 0 || len(e.sends) >= int(e.cap.MaxSendWR) {
		if slot >= 0 {
			d.shown.release(slot)
		}
		return
	}
	p := d.shown.whole(slot)
	n := 8 + w.Rng.IntN(p.n/8)*8
	n = min(n, p.n)
	m.slot, m.part = slot, piece{d.shown, p.off + w.Rng.IntN((p.n-n)/8+1)*8, n}
	if m.zero = m.typ == verbs.MWType2 && w.Chance(0.5); m.zero && n > 8 {
		by := w.Rng.IntN(8) // so that nothing is aligned
		m.part.off, m.part.n = m.part.off+by, n-by
	}
	m.access = sim.Pick(w.Rng, verbs.RemoteRead, verbs.RemoteWrite, verbs.RemoteRead|verbs.RemoteWrite)
	if w.Chance(0.5) {
		m.access |= verbs.RemoteAtomic
	}
	m.fill()
	m.state, m.end = binding, e
	info := verbs.MWBinding{
		MR: d.shown.mr, Addr: d.shown.addr + uint64(m.part.off), Length: uint64(m.part.n), Access: m.access,
	}
	if m.zero {
		info.Access |= verbs.ZeroBased
	}
	m.post(e, true, info)
}

// fill writes a secret into memory that a peer may read from now on. Memory open to atomics gets other bytes, because
// their answers must contain no secret.
func (m *window) fill() {
	w, b := m.dom.w, make([]byte, m.part.n)
	m.secret = -1
	switch {
	case m.access&verbs.RemoteAtomic != 0:
		random(w.Rng)(b)
	case m.access&verbs.RemoteRead != 0:
		m.secret = w.secrets.add(true)
		w.secrets.fill(m.secret)(b)
	default:
		return
	}
	m.dom.shown.write(m.part.off, b)
}

// post posts a binding, or the end of one.
func (m *window) post(e *end, bind bool, info verbs.MWBinding) {
	w := m.dom.w
	w.lastID++
	r := &request{
		id: w.lastID, end: e, op: verbs.WRBindMW, signaled: true, verdict: may, farSlot: -1, window: m, bind: bind,
	}
	switch {
	case m.typ == verbs.MWType1:
		w.Tracef("post %d bind_mw %v at QP %s of %s", r.id, bind, e.num, e.dom.host.name)
		w.requests[r.id] = r
		e.sends = append(e.sends, r)
		e.spoil()
		w.Must("bind_mw", e.qp.BindMW(m.mw, r.id, verbs.SendSignaled, info))
		m.key = m.mw.RKey()
	case bind:
		m.key = verbs.NextRKey(m.mw.RKey())
		e.post([]*request{r}, []verbs.SendWR{{
			WRID: r.id, Opcode: verbs.WRBindMW,
			SendFlags: verbs.SendSignaled, Bind: &verbs.BindWR{MW: m.mw, RKey: m.key, MWBinding: info},
		}})
	default:
		r.op = verbs.WRLocalInv
		e.post([]*request{r},
			[]verbs.SendWR{{WRID: r.id, Opcode: verbs.WRLocalInv, SendFlags: verbs.SendSignaled, InvalidateKey: m.key}})
	}
}

// takeAway ends a binding in one of several ways.
func (m *window) takeAway() {
	w, e := m.dom.w, m.end
	if e.gone || e.stopped || !e.usable() || len(e.sends) >= int(e.cap.MaxSendWR) || w.Chance(0.15) {
		m.closeNow()
		return
	}
	if peer := e.peer; m.typ == verbs.MWType2 && peer != nil && !peer.gone && w.Chance(0.5) {
		if peer.stopped || !peer.usable() || len(peer.sends) >= int(peer.cap.MaxSendWR) {
			return
		}
		m.state = unbinding
		w.lastID++
		r := &request{
			id: w.lastID, end: peer, op: verbs.WRSendWithInv, signaled: true, verdict: may, farSlot: -1, inv: m.key,
		}
		peer.gather(r, w.length(w.plan.slot))
		peer.spoil()
		peer.post([]*request{r}, []verbs.SendWR{{WRID: r.id, Opcode: r.op, SendFlags: verbs.SendSignaled,
			InvalidateKey: m.key, SGList: r.local.sges()}})
		return
	}
	m.state = unbinding
	m.post(e, false, verbs.MWBinding{})
}

// closeNow deallocates the window, bound or not.
func (m *window) closeNow() {
	w := m.dom.w
	w.Settle()
	if !w.Must("dealloc_mw", m.mw.Close()) {
		return
	}
	w.Settle()
	m.shut()
	m.dom.windows = slices.DeleteFunc(m.dom.windows, func(other *window) bool { return other == m })
}

// done is called when a binding, or its end, is complete.
func (m *window) done(r *request) {
	switch {
	case r.bind && m.state == binding:
		m.state = bound
	case !r.bind:
		m.shut()
		if peer := r.end.peer; r.op == verbs.WRLocalInv && peer != nil && m.dom.w.Chance(0.5) {
			m.dom.w.After(m.dom.w.Gap(m.dom.w.plan.pace), func() { peer.tryShut(m) })
		}
	}
}

// failed is called when a binding, or its end, was flushed. It may have been executed before, so that the state of the
// window is unknown until it is closed.
func (m *window) failed(*request) {
	if m.state != unbound && m.state != unclear {
		m.state = unclear
		m.dom.w.After(m.dom.w.Gap(10*time.Microsecond), func() {
			if m.state == unclear {
				m.closeNow()
			}
		})
	}
}

// shut is called when the window no longer exposes memory.
func (m *window) shut() {
	if m.state == unbound {
		return
	}
	m.state = unbound
	if m.secret >= 0 {
		m.dom.w.secrets.open[m.secret] = false
	}
	m.dom.shown.release(m.slot)
}

// invalidated is called when a SEND has arrived that invalidates a key.
func (d *domain) invalidated(e *end, r *request) {
	if r.op != verbs.WRSendWithInv {
		return
	}
	for _, m := range d.windows {
		if m.key == r.inv && m.typ == verbs.MWType2 && m.end == e {
			m.shut()
		}
	}
}

// windowsGone is called when a queue pair is closed or reset: type 2 windows bound on it no longer expose memory.
func (d *domain) windowsGone(e *end) {
	for _, m := range d.windows {
		if m.end == e && m.typ == verbs.MWType2 && m.state != unbound {
			m.shut()
		}
	}
}

// useWindow accesses memory through a window of the peer.
func (e *end) useWindow() {
	if m := e.peer.dom.someWindow(binding, bound, unbinding, unbound); m != nil {
		e.reach(m)
	}
}

// tryShut accesses memory through a window that was just invalidated.
func (e *end) tryShut(m *window) {
	if !e.gone && !e.stopped && e.usable() && m.state == unbound && slices.Contains(m.dom.windows, m) {
		e.reach(m)
	}
}

// rights maps each operation to the right of a window that it needs.
var rights = map[verbs.WROpcode]verbs.Access{
	verbs.WRRDMARead: verbs.RemoteRead, verbs.WRRDMAWrite: verbs.RemoteWrite,
	verbs.WRAtomicFetchAndAdd: verbs.RemoteAtomic, verbs.WRAtomicCmpAndSwp: verbs.RemoteAtomic,
}

// reach posts a READ, a WRITE or an atomic through a window.
func (e *end) reach(m *window) {
	w, d := e.w, e.peer.dom
	if m.part.n == 0 || len(e.sends) >= int(e.cap.MaxSendWR) {
		return
	}
	r := &request{
		end: e, op: sim.Pick(w.Rng, verbs.WRRDMARead, verbs.WRRDMAWrite), farSlot: -1, verdict: may, signaled: true,
	}
	n := min(1+w.Rng.IntN(m.part.n), e.dom.landing.slot)
	off := w.Rng.IntN(m.part.n - n + 1)
	share := 0.1
	if m.access&verbs.RemoteAtomic != 0 {
		share = 0.6
	}
	if m.part.n >= 8 && w.Chance(share) {
		r.op, n, off = sim.Pick(w.Rng, verbs.WRAtomicFetchAndAdd, verbs.WRAtomicCmpAndSwp), 8, w.Rng.IntN(m.part.n/8)*8
	}
	wr := verbs.SendWR{Opcode: r.op, RKey: m.key, CompareAdd: w.Rng.Uint64(), Swap: w.Rng.Uint64()}
	var start uint64
	if !m.zero {
		start = d.shown.addr + uint64(m.part.off)
	}
	wr.RemoteAddr = start + uint64(off)
	if r.op.Traits().Receives && !e.land(r, n) {
		return
	}
	switch {
	case r.isAtomic():
		d.shown.maybe = append(d.shown.maybe, draft{m.part.off + off, nil, n})
	case r.op == verbs.WRRDMAWrite:
		e.gather(r, n)
		d.shown.maybe = append(d.shown.maybe, draft{m.part.off + off, r.data, n})
	}
	switch {
	case m.state == unbound:
		r.forbid("the window shows nothing")
	case m.access&rights[r.op] == 0:
		r.forbid("the window does not give the right")
	case m.typ == verbs.MWType2 && m.end != e.peer:
		r.forbid("the window is bound on another queue pair")
	case r.isAtomic() && (m.part.off+off)%8 != 0:
		r.forbid("the word is not aligned")
	case e.peer.stingy && r.op != verbs.WRRDMAWrite:
		r.forbid("the peer answers none")
	case w.Chance(0.1):
		wr.RemoteAddr = start + uint64(m.part.n-n+1)
		r.forbid("beyond the window's end")
	}
	e.flags(r, &wr)
	e.spoil()
	e.post([]*request{r}, []verbs.SendWR{wr})
}
