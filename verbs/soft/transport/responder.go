package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

func (r *responder) reset(psn wire.PSN) {
	*r = responder{q: r.q, epsn: psn, latest: psn, fetches: r.fetches[:0], saved: r.saved[:0]}
}

func (r *responder) requestedRC(e *Engine, info wire.OpcodeInfo) {
	h := &e.in
	if r.nak != nil && r.nak.fatal {
		return // the queue pair is about to fail
	}
	switch ahead := h.BTH.PSN.Sub(r.epsn); {
	case ahead > 0:
		e.adapter.Counts.OutOfSequence.Add(1)
		if r.nak == nil || h.BTH.PSN.Sub(r.ahead) > 0 {
			r.ahead = h.BTH.PSN
		}
		r.queueNAK(wire.NAK(wire.NAKPSNSequence))
		return
	case ahead < 0:
		e.adapter.Counts.Duplicates.Add(1)
		r.repeated(e, info)
		r.latest = h.BTH.PSN
		return
	}
	gap := r.nak != nil && r.nak.syndrome == wire.NAK(wire.NAKPSNSequence)
	r.latest, r.nakSent, r.nak = h.BTH.PSN, false, nil
	r.firstPacket()
	r.expected(e, info)
	// packets that arrived too early were dropped and are missing from now on
	if gap && r.nak == nil && r.ahead.Sub(r.epsn) >= 0 {
		r.queueNAK(wire.NAK(wire.NAKPSNSequence))
	}
}

// firstPacket reports once that the peer has started to send: as an event if this side is not in RTS yet, and to the
// connection manager, whose RTU may be lost or late.
func (r *responder) firstPacket() {
	q := r.q
	if r.heard {
		return
	}
	r.heard = true
	if q.state == verbs.QPRTR {
		q.raise(verbs.EventCommEst)
	}
	if q.owner != nil {
		q.owner.Heard()
	}
}

// expected executes the packet with the expected PSN.
func (r *responder) expected(e *Engine, info wire.OpcodeInfo) {
	if !r.fits(e, info) {
		r.refuse(e, wire.NAKInvalidRequest)
		return
	}
	switch info.Operation {
	case wire.OpSend:
		r.receiveSend(e, info)
	case wire.OpWrite:
		r.receiveWrite(e, info)
	case wire.OpRead:
		r.receiveRead(e)
	case wire.OpCompareSwap, wire.OpFetchAdd:
		r.receiveAtomic(e, info)
	case wire.OpFlush:
		r.receiveFlush(e)
	case wire.OpAtomicWrite:
		r.receiveAtomicWrite(e)
	}
}

// repeated handles a duplicate request: a READ is answered again, an atomic with its first result, everything else is
// only acknowledged; IBA 9.7.5.1.2.
func (r *responder) repeated(e *Engine, info wire.OpcodeInfo) {
	switch info.Operation {
	case wire.OpRead:
		r.repeatedRead(e)
	case wire.OpCompareSwap, wire.OpFetchAdd:
		r.repeatedAtomic(e, info)
	case wire.OpFlush, wire.OpAtomicWrite: // already executed; must not undo what the peer did afterwards
		r.answerAgain(placementJob(&e.in, info.Operation))
	default:
		r.acks = max(r.acks, 1)
	}
}

// fits checks a packet's place in its message and its length against the earlier packets; IBA 9.7.4.1.
func (r *responder) fits(e *Engine, info wire.OpcodeInfo) bool {
	starts, ends := info.Position&wire.Starts != 0, info.Position&wire.Ends != 0
	if starts == r.inside || !starts && info.Operation != r.op {
		return false
	}
	n, mtu := len(e.in.Payload), r.q.mtu
	switch {
	case !info.Payload:
		return n == 0
	case !ends:
		return n == mtu
	case !starts:
		return n > 0 && n <= mtu
	}
	return n <= mtu
}

// accepted advances past a packet of a SEND or WRITE.
func (r *responder) accepted(e *Engine, info wire.OpcodeInfo) {
	r.epsn = r.epsn.Add(1)
	r.op, r.inside = info.Operation, info.Position&wire.Ends == 0
	if !r.inside {
		r.msn++
	}
	if e.in.BTH.AckReq && r.q.typ == verbs.RC {
		r.acks = max(r.acks, 1)
	}
}

// placed records that the data of a packet is in memory, if the packet ends its message.
func (r *responder) placed(e *Engine, ends bool) {
	if ends {
		r.q.steps.serve(e, e.in.BTH.PSN, 0)
	}
}

// receiveSend stores a packet of a SEND in its RECV. Only the part of the list that the bytes need is checked, as NICs
// and rxe do: elements and bytes behind the message may be invalid.
func (r *responder) receiveSend(e *Engine, info wire.OpcodeInfo) {
	q := r.q
	w := q.rq.take()
	if w == nil {
		r.queueRNRNAK(e)
		return
	}
	ends := info.Position&wire.Ends != 0
	if info.Position&wire.Starts != 0 {
		r.received, r.cursor = 0, mem.Cursor{}
	}
	r.received += uint64(len(e.in.Payload))
	if r.received > w.length {
		r.failRecv(e, w, verbs.WCLocLenErr, wire.NAKInvalidRequest)
		return
	}
	if !q.rq.mem.Scatter(e.in.Payload, w.list, &r.cursor) {
		r.failRecv(e, w, verbs.WCLocProtErr, wire.NAKRemoteOperational)
		return
	}
	r.placed(e, ends)
	if info.Headers.Has(wire.HasIETH) && !q.mem.Invalidate(e.in.IETH.RKey) {
		r.cannotInvalidate(e, w)
		return
	}
	if ends {
		r.completeRecv(e, w, verbs.WCRecv, uint32(r.received), info)
	}
	r.accepted(e, info)
}

// receiveWrite stores a packet of a WRITE. Key, range and access right are checked for the whole message before its
// first byte is stored.
func (r *responder) receiveWrite(e *Engine, info wire.OpcodeInfo) {
	q := r.q
	if info.Position&wire.Starts != 0 {
		h := &e.in.RETH
		if q.attr.QPAccessFlags&verbs.RemoteWrite == 0 || h.DMALen > MaxMsg {
			r.refuse(e, wire.NAKInvalidRequest)
			return
		}
		if !r.opens(h, verbs.RemoteWrite) {
			r.refuse(e, wire.NAKRemoteAccess)
			return
		}
		r.va, r.rkey, r.length, r.left = h.VA, h.RKey, h.DMALen, h.DMALen
	}
	n := uint32(len(e.in.Payload))
	ends := info.Position&wire.Ends != 0
	if n > r.left || ends != (n == r.left) {
		r.refuse(e, wire.NAKInvalidRequest)
		return
	}
	var w *recvWQE
	if info.Headers.Has(wire.HasImmDt) {
		if w = q.rq.take(); w == nil {
			r.queueRNRNAK(e)
			return
		}
	}
	if n > 0 && !q.mem.Write(r.rkey, r.va, e.in.Payload) {
		r.refuse(e, wire.NAKRemoteAccess)
		return
	}
	r.placed(e, ends)
	r.va += uint64(n)
	r.left -= n
	if w != nil {
		r.completeRecv(e, w, verbs.WCRecvRDMAWithImm, r.length, info)
	}
	r.accepted(e, info)
}

// completeRecv completes the RECV of the current message.
func (r *responder) completeRecv(e *Engine, w *recvWQE, op verbs.WCOpcode, n uint32, info wire.OpcodeInfo) {
	q := r.q
	wc := verbs.WC{WRID: w.wrID, Opcode: op, ByteLen: n, QPNum: q.num}
	if info.Headers.Has(wire.HasImmDt) {
		wc.WCFlags |= verbs.WCWithImm
		wc.ImmData = e.in.ImmDt.Data
	}
	if info.Headers.Has(wire.HasIETH) {
		wc.WCFlags |= verbs.WCWithInv
		wc.InvalidatedRKey = e.in.IETH.RKey
	}
	q.rq.done()
	e.adapter.Counts.Recvs.Add(1)
	q.complete(q.recvCQ, &wc, e.in.BTH.Solicited)
}
