package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

func (r *requester) reset(t wire.Transport, psn wire.PSN, head uint32) {
	*r = requester{q: r.q, transport: t, next: head, started: head, psn: psn, top: psn, window: MaxWindow}
}

// send sends what the window and the state allow; it reports whether it stopped only to let others send.
func (r *requester) send(e *Engine) (more bool) {
	q := r.q
	for range burst {
		if q.comp.rnr.waiting {
			return false
		}
		if !e.ready {
			return r.next != q.sq.tail.Load()
		}
		w := r.upNext()
		if w == nil || !r.mayGo(w) {
			return false
		}
		if w.op.Traits().Local() {
			r.doLocal(w)
			continue
		}
		r.sendPacket(e, w)
	}
	return true
}

// upNext returns the next request to send, nil if there is none.
func (r *requester) upNext() *sendWQE {
	q := r.q
	if r.next == q.sq.tail.Load() {
		return nil
	}
	w := q.sq.at(r.next)
	if r.next == r.started {
		if q.state == verbs.QPSQD {
			return nil
		}
		r.start(w)
	}
	if w.status != verbs.WCSuccess {
		q.comp.failLocal()
		return nil
	}
	return w
}

// start assigns a request its PSNs and does the local checks.
func (r *requester) start(w *sendWQE) {
	q := r.q
	packets := 0
	if !w.op.Traits().Local() {
		packets = w.packets(q.mtu)
	}
	w.first = r.psn
	w.last = r.psn.Add(packets - 1)
	r.off, r.cursor = 0, mem.Cursor{}
	q.fetch(r.started, w)
	r.started++
	switch {
	case w.fetches() && q.attr.MaxRDAtomic == 0:
		w.status = verbs.WCLocQPOpErr
	case q.typ == verbs.UD && w.foreign: // C10-10
		w.status = verbs.WCLocQPOpErr
	case q.typ == verbs.UD && w.length > uint32(q.mtu):
		w.status = verbs.WCLocLenErr
	case w.flags&verbs.SendInline != 0 || w.op.Traits().Copied:
	case !q.mem.Check(w.list, w.localRight()):
		w.status = verbs.WCLocProtErr
	}
}

// mayGo checks the request at next against the window, the limit of READs and atomics, and its fence.
func (r *requester) mayGo(w *sendWQE) bool {
	q := r.q
	switch {
	case q.typ == verbs.RC && r.psn.Sub(q.comp.una) >= r.window:
		return false
	case r.off > 0: // one part of a READ at a time: the peer must never see it as more than one READ
		return !w.brings() || r.psn == q.comp.una
	case w.fetches() && r.reads >= int(q.attr.MaxRDAtomic):
		return false
	}
	return w.flags&verbs.SendFence == 0 || r.reads == 0
}

// sendPacket sends the next packet of a request and advances.
func (r *requester) sendPacket(e *Engine, w *sendWQE) {
	q := r.q
	switch t := w.op.Traits(); {
	case t.Atomic:
		r.sendAtomic(e, w)
		return
	case t.Receives:
		r.sendRead(e, w)
		return
	case t.Placement():
		r.sendPlacement(e, w)
		return
	}
	n := min(q.mtu, int(w.length-r.off))
	r.requestHeaders(&e.out, w, n)
	path := q.path
	if q.typ == verbs.UD {
		path = w.path
		r.datagramHeaders(&e.out, w)
	}
	p := e.packet(path)
	p.Data = e.out.AppendHeaders(p.Data, n)
	data, ok := r.payload(p.Data, w, n)
	if !ok {
		e.drop(p)
		w.status = verbs.WCLocProtErr
		return
	}
	p.Data = wire.AppendPad(data, n)
	e.tx = append(e.tx, p)
	r.off += uint32(n)
	r.sentUpTo(e, r.psn.Add(1), w)
}

// sendRead requests the missing data of a READ, or a part of it.
func (r *requester) sendRead(e *Engine, w *sendWQE) {
	behind := r.askedUpTo(w)
	n := min(w.length-r.off, uint32(behind.Sub(r.psn)*r.q.mtu))
	h := &e.out
	h.RETH = wire.RETH{VA: w.remote + uint64(r.off), RKey: w.rkey, DMALen: n}
	r.off += n
	r.sendWhole(e, w, nil, behind)
}

// doLocal executes a local request in its turn, and skips it when earlier requests are being sent again. The request
// completes after all earlier ones.
func (r *requester) doLocal(w *sendWQE) {
	if !w.done && !r.execute(w) {
		w.status = verbs.WCMWBindErr
		return
	}
	w.done = true
	r.next++
	r.q.comp.settle()
}

func (r *requester) execute(w *sendWQE) bool {
	if w.op.Traits().Invalid {
		return r.q.mem.Invalidate(w.invalidate)
	}
	return r.q.mem.Bind(w.bind)
}
