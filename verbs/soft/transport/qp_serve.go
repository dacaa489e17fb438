package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// receive processes the packet in e.in; q.mu is held.
func (q *QP) receive(e *Engine, p *link.Packet) {
	h := &e.in
	info, known := h.BTH.Opcode.Info()
	if q.state < verbs.QPRTR || q.state >= verbs.QPErr {
		e.adapter.Counts.UnknownQP.Add(1)
		return
	}
	if !q.admits(&h.BTH, info.Transport, p.Path) {
		e.adapter.Counts.WrongPeer.Add(1)
		return
	}
	e.activate(q)
	switch {
	case !known:
		q.resp.unsupported(e)
	case info.Response:
		q.comp.answered(e, info)
	default:
		q.resp.requested(e, info, p.Path)
	}
}

// admits checks a packet's header against the queue pair; IBA 9.6.1.
func (q *QP) admits(h *wire.BTH, t wire.Transport, from *link.Path) bool {
	const membership = 1 << 15
	if t != q.req.transport || h.TVer != 0 || h.PKey|membership != object.FullPKey {
		return false
	}
	if t == wire.UD { // accepts any sender; only packets to a group carry the multicast number
		return from.Dst.Addr().IsMulticast() == (h.DestQP == uint32(verbs.MaxQPN))
	}
	if from == q.known {
		return true
	}
	if from.Src.Addr() != q.path.Dst.Addr() || from.Dst.Addr() != q.path.Src.Addr() {
		return false
	}
	q.known = from
	return true
}

// requested processes a request packet.
func (r *responder) requested(e *Engine, info wire.OpcodeInfo, from *link.Path) {
	switch r.q.typ {
	case verbs.UC:
		r.requestedUC(e, info)
	case verbs.UD:
		r.requestedUD(e, info, from)
	default:
		r.requestedRC(e, info)
	}
}

// refusable reports whether a packet that cannot be decoded must be refused rather than dropped: a packet of a reliable
// connection with a reserved or unsupported opcode; IBA 9.7.4.1.4.
func refusable(h *wire.Packet, err error) bool {
	const transportShift = 5
	return err == wire.ErrOpcode && wire.Transport(h.BTH.Opcode>>transportShift) == wire.RC
}

// unsupported handles a refusable packet: it is refused if it has the expected PSN, and dropped otherwise.
func (r *responder) unsupported(e *Engine) {
	e.adapter.Counts.Malformed.Add(1)
	if r.q.typ == verbs.RC && e.in.BTH.PSN == r.epsn && (r.nak == nil || !r.nak.fatal) {
		r.refuse(e, wire.NAKInvalidRequest)
	}
}

// serve responds and sends; it reports whether there is more to do at once. q.mu is held.
func (q *QP) serve(e *Engine) (more bool) {
	if q.closed {
		return false
	}
	q.comp.checkTimers(e)
	switch q.state {
	case verbs.QPErr:
		q.flush()
	case verbs.QPRTR:
		more = q.resp.answer(e)
	case verbs.QPSQE:
		q.comp.flushSends()
	case verbs.QPRTS, verbs.QPSQD:
		more = q.resp.answer(e)
		more = q.req.send(e) || more
		q.comp.runTimer(e)
		q.comp.checkDrained()
	}
	q.checkOverrun()
	return more
}
