package world

import (
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// step performs one action that the seed selects.
func (w *world) step() {
	w.steps++
	for _, d := range w.domains() {
		d.events()
	}
	p := &w.plan
	kinds := []struct {
		weight int
		do     func()
	}{
		{40, w.stepSend}, {25, w.stepRecv}, {3, w.stepRefresh}, {p.windows, w.stepWindow}, {6, w.stepRevive},
		{p.destroy, w.stepDestroy}, {1, w.stepDrain},
		{p.manage, w.stepManage}, {w.attackWeight(), w.stepAttack}, {boolWeight(p.destroy > 0), w.stepCut},
		{boolWeight(p.mistakes > 0), w.stepRefused}, {1, w.stepOverrun},
		{p.rereg, w.stepRereg}, {p.groups, w.stepGroup},
	}
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	at := w.Rng.IntN(total)
	for _, k := range kinds {
		if at -= k.weight; at < 0 {
			k.do()
			return
		}
	}
}

func boolWeight(b bool) int {
	if b {
		return 1
	}
	return 0
}

// anyEnd picks a queue pair; nil if there is none.
func (w *world) anyEnd() *end {
	if len(w.ends) == 0 {
		return nil
	}
	return w.ends[w.Rng.IntN(len(w.ends))]
}

// stepSend posts a few requests in one call.
func (w *world) stepSend() {
	e := w.anyEnd()
	if e == nil || e.gone || e.stopped {
		return
	}
	for i := 0; e.state() != verbs.QPRTS && i < 4 && !w.Chance(0.2); i++ {
		e = w.anyEnd()
	}
	if s := e.state(); e.stopped || s != verbs.QPRTS && s != verbs.QPErr {
		return
	}
	var rs []*request
	var wrs []verbs.SendWR
	for range 1 + w.Rng.IntN(3) {
		if len(e.sends)+len(wrs) >= int(e.cap.MaxSendWR) {
			break
		}
		if r, wr := e.newSend(); r != nil {
			rs, wrs = append(rs, r), append(wrs, wr)
		}
	}
	e.post(rs, wrs)
}

// post posts requests to the queue pair.
func (e *end) post(rs []*request, wrs []verbs.SendWR) {
	w := e.w
	if len(wrs) == 0 {
		return
	}
	for i, r := range rs {
		r.number(&wrs[i])
		w.Tracef("post %d %s verdict %d %s at QP %s of %s, %d bytes, far at %d slot %d", r.id, r.op, r.verdict, r.why,
			e.num, e.dom.host.name, len(r.data), r.far.off, r.farSlot)
		w.requests[r.id] = r
		r.hold(1)
		r.drafts()
		e.sends = append(e.sends, r)
		if r.toGroup {
			w.announce(r)
		} else if r.takesRecv() {
			to := e.peer
			if r.dest != nil {
				to = r.dest
			}
			if to != nil && (e.typ != verbs.UD || r.verdict != never) {
				to.inbound = append(to.inbound, r)
			}
		}
		if r.verdict == never || r.window != nil || r.moving {
			e.spoil()
		}
	}
	n, err := e.qp.PostSend(wrs...)
	if err != nil || n != len(wrs) {
		w.Fail("post_send at QP %s of %s accepted %d of %d: %v", e.num, e.dom.host.name, n, len(wrs), err)
	}
}

// stepRecv posts RECVs.
func (w *world) stepRecv() {
	e := w.anyEnd()
	if e == nil || e.gone {
		return
	}
	e.feed(1 + w.Rng.IntN(4))
}

// feed posts n RECVs, or as many as fit.
func (e *end) feed(n int) {
	w := e.w
	if s := e.state(); s == verbs.QPReset {
		return
	}
	for range n {
		if e.srq != nil && len(e.srq.recvs) >= 12 || e.srq == nil && len(e.recvs) >= int(e.cap.MaxRecvWR) {
			return
		}
		slot := e.inboxSlot()
		if slot < 0 {
			return
		}
		w.lastID++
		r, wr := e.newRecv(slot)
		w.requests[r.id] = r
		var err error
		if e.srq != nil {
			e.srq.recvs = append(e.srq.recvs, r)
			_, err = e.srq.srq.PostRecv(wr)
		} else {
			r.end = e
			e.recvs = append(e.recvs, r)
			_, err = e.qp.PostRecv(wr)
		}
		w.Tracef("post RECV %d at QP %s of %s", r.id, e.num, e.dom.host.name)
		w.Must("post_recv", err)
	}
}

// newRecv makes a RECV; in a world with mistakes it may be shorter than its message, or name memory that it must not
// use.
func (e *end) newRecv(slot int) (*request, verbs.RecvWR) {
	w, p := e.w, e.dom.inbox.whole(slot)
	r := &request{id: w.lastID, recv: true, into: []slotRef{{e.dom.inbox, slot}}}
	mistaken := w.plan.mistakes > 0 && !w.ending
	switch {
	case mistaken && w.Chance(0.04):
		p.n = w.Rng.IntN(p.n + 1)
		r.local = e.dom.inbox.split(p)
	case mistaken && w.Chance(0.03):
		at := 1 + w.Rng.IntN(p.n-1)
		r.bad, r.local = true, room{{p.r, p.off, at}, {p.r, p.off + at, p.n - at}}
	default:
		r.local = e.dom.inbox.split(p)
	}
	wr := verbs.RecvWR{WRID: r.id, SGList: r.local.sges()}
	if r.bad {
		second := &wr.SGList[1]
		switch w.Rng.IntN(3) {
		case 0:
			second.LKey = w.Rng.Uint32() | 1
		case 1:
			second.LKey, second.Addr = e.dom.other.key, e.dom.other.addr
		case 2:
			second.Addr += 1 << 20
		}
	}
	return r, wr
}

// inboxSlot reserves room for a RECV. It keeps some room for queue pairs that would otherwise have no RECV at the end,
// because a peer may retry for ever.
func (e *end) inboxSlot() int {
	box := e.dom.inbox
	kept := 4 // queue pairs that may still be made
	for _, other := range e.w.ends {
		if other.dom == e.dom {
			kept++
		}
	}
	starved := e.w.ending && (e.srq == nil && len(e.recvs) == 0 || e.srq != nil && len(e.srq.recvs) == 0)
	if !starved && box.free() <= kept {
		return -1
	}
	return box.take()
}

// split returns a piece as one or two pieces, the second half first.
func (r *region) split(p piece) room {
	if p.n < 2 || r.dom.w.Chance(0.6) {
		return room{p}
	}
	at := 1 + r.dom.w.Rng.IntN(p.n-1)
	return room{{p.r, p.off + at, p.n - at}, {p.r, p.off, at}}
}

// stepRefresh writes new bytes to a source that nobody reads from.
func (w *world) stepRefresh() {
	d := sim.Pick(w.Rng, w.hosts...).dom
	if d.closed || d.source.users > 0 {
		return
	}
	b := make([]byte, 1+w.Rng.IntN(len(d.source.model)))
	random(w.Rng)(b)
	d.source.write(w.Rng.IntN(len(d.source.model)-len(b)+1), b)
}

// stepRevive takes queue pairs in ERR or SQE back to RTS.
func (w *world) stepRevive() {
	e := w.anyEnd()
	for range 6 { // prefer a queue pair that needs it
		if e != nil && e.state() != verbs.QPRTS {
			break
		}
		e = w.anyEnd()
	}
	if e == nil || e.gone || e.byManager || e.stopped {
		return
	}
	s := e.state()
	if s == verbs.QPSQE {
		w.Must("modify_qp SQE to RTS", e.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS}))
		return
	}
	if s == verbs.QPErr || e.peer != nil && !e.peer.gone && e.peer.state() == verbs.QPErr {
		w.revive(e)
	}
}

// stepDrain stops a send queue for a while.
func (w *world) stepDrain() {
	e := w.anyEnd()
	if e == nil || e.gone || e.byManager || e.stopped || e.state() != verbs.QPRTS {
		return
	}
	w.Tracef("SQD of QP %s of %s", e.num, e.dom.host.name)
	w.Must("modify_qp SQD", e.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPSQD}))
	e.stopped = true
	w.After(w.Gap(20*w.plan.pace), e.resume)
}

// resume restarts a stopped send queue after it has drained.
func (e *end) resume() {
	if e.gone || !e.stopped {
		return
	}
	attr, _, err := e.qp.Query(verbs.AttrState)
	e.w.Must("query_qp", err)
	if attr.QPState == verbs.QPSQD && attr.SQDraining {
		e.w.After(time.Millisecond, e.resume)
		return
	}
	e.stopped = false
	if attr.QPState == verbs.QPSQD {
		e.w.Must("modify_qp SQD to RTS", e.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS}))
	}
}

// stepDestroy destroys an object that is in use.
func (w *world) stepDestroy() {
	switch w.Rng.IntN(5) {
	case 0:
		if e := w.anyEnd(); e != nil && !e.byManager {
			peer := e.peer
			e.close()
			if peer != nil && w.Chance(0.5) {
				w.After(w.Gap(10*w.plan.pace), func() { peer.closeByHand() })
			}
			w.After(w.Gap(20*w.plan.pace), func() {
				if !w.ending {
					w.newPair()
				}
			})
		}
	case 1:
		if e := w.anyEnd(); e != nil && !e.gone {
			w.Tracef("ERR of QP %s of %s", e.num, e.dom.host.name)
			e.spoil()
			w.Must("modify_qp ERR", e.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		}
	case 2:
		if d := sim.Pick(w.Rng, w.hosts...).dom; !d.closed && d.doomed.mr != nil {
			d.closeDoomed()
		}
	case 3:
		if e := w.anyEnd(); e != nil && !e.gone && !e.byManager && !e.stopped {
			w.revive(e)
		}
	case 4:
		if h := sim.Pick(w.Rng, w.hosts...); w.Chance(0.3) && len(w.hosts) > 2 {
			w.leave(h)
		}
	}
}

func (e *end) closeByHand() {
	if !e.byManager {
		e.close()
	}
}

// closeDoomed deregisters the region: from now on none of its bytes may be sent.
func (d *domain) closeDoomed() {
	w := d.w
	for _, e := range w.ends {
		e.spoiled = true
	}
	w.Settle()
	w.Tracef("deregister doomed of %s", d.host.name)
	if w.Must("dereg_mr", d.doomed.mr.Close()) {
		d.doomed.mr = nil
		w.Settle()
		w.secrets.open[d.marked] = false
	}
}

// leave closes all objects that a host has made without the connection manager, and its device, during traffic.
func (w *world) leave(h *host) {
	if h.dom.closed || w.leaving() >= len(w.hosts)-2 {
		return
	}
	w.Tracef("%s closes its device", h.name)
	h.dom.closeAll()
}

func (w *world) leaving() (n int) {
	for _, h := range w.hosts {
		if h.dom.closed {
			n++
		}
	}
	return n
}

// stepCut disconnects a host from the network for a while.
func (w *world) stepCut() {
	h := sim.Pick(w.Rng, w.hosts...)
	_, local := h.dom.gid(0)
	until := w.Now() + w.Gap(50*w.plan.pace)
	w.Net.Cut[h.addr], w.Net.Cut[local] = until, until
	w.perfect = false
}
