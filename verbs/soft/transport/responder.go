package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// responder is the receiving part of a queue pair; IBA 9.7.4.
type responder struct {
	q       *QP
	epsn    wire.PSN // expected
	msn     uint32   // messages completed
	nakSent bool     // a NAK was sent: no other until the expected packet arrives
	heard   bool     // the peer has sent a packet

	// The message being received.
	inside   bool
	op       wire.Operation
	received uint64     // bytes of a SEND
	cursor   mem.Cursor // position in the RECV's list
	va       uint64     // destination of the next bytes of a WRITE
	rkey     uint32
	length   uint32 // of the WRITE
	left     uint32 // remaining bytes of the WRITE

	// Responses to send, in this order.
	fetches []fetchJob
	nak     *refusal
	acks    int // acknowledgements to send of everything before epsn

	ahead  wire.PSN      // the last PSN of those that arrived too early since nak was queued
	latest wire.PSN      // of the last processed request, new or duplicate
	saved  []atomicSaved // results of the latest atomics, oldest first
}

// refusal is a NAK that waits behind the responses to earlier READs.
type refusal struct {
	psn      wire.PSN
	syndrome wire.Syndrome
	fatal    bool // sending it moves the queue pair to ERR
	raise    bool // and raises event
	event    verbs.EventType
}

func (r *responder) reset(psn wire.PSN) {
	*r = responder{q: r.q, epsn: psn, latest: psn, fetches: r.fetches[:0], saved: r.saved[:0]}
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
	if gap && r.nak == nil && r.ahead.Sub(r.epsn) >= 0 { // packets that arrived too early were dropped and are missing from now on
		r.queueNAK(wire.NAK(wire.NAKPSNSequence))
	}
}

// refusable reports whether a packet that cannot be decoded must be refused rather than dropped: a packet of a reliable connection with a
// reserved or unsupported opcode; IBA 9.7.4.1.4.
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

// firstPacket reports once that the peer has started to send: as an event if this side is not in RTS yet, and to the connection manager,
// whose RTU may be lost or late.
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
	default:
		r.refuse(e, wire.NAKInvalidRequest)
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

// receiveSend stores a packet of a SEND in its RECV.
func (r *responder) receiveSend(e *Engine, info wire.OpcodeInfo) {
	q := r.q
	w := q.rq.take()
	if w == nil {
		r.queueRNRNAK(e)
		return
	}
	starts, ends := info.Position&wire.Starts != 0, info.Position&wire.Ends != 0
	if starts {
		r.received, r.cursor = 0, mem.Cursor{}
		// For a single element and packet, scatter itself checks everything.
		if (!ends || len(w.list) > 1) && !q.mem.Check(w.list, verbs.LocalWrite) {
			r.failRecv(e, w, verbs.WCLocProtErr, wire.NAKRemoteOperational)
			return
		}
	}
	r.received += uint64(len(e.in.Payload))
	if r.received > w.length {
		r.failRecv(e, w, verbs.WCLocLenErr, wire.NAKInvalidRequest)
		return
	}
	if !q.mem.Scatter(e.in.Payload, w.list, &r.cursor) {
		r.failRecv(e, w, verbs.WCLocProtErr, wire.NAKRemoteOperational)
		return
	}
	if info.Headers.Has(wire.HasIETH) && !q.mem.Invalidate(e.in.IETH.RKey) {
		r.cannotInvalidate(e, w)
		return
	}
	if ends {
		r.completeRecv(e, w, verbs.WCRecv, uint32(r.received), info)
	}
	r.accepted(e, info)
}

// cannotInvalidate fails the queue pair after a SEND that names a key which it must not invalidate. Only the key of a type 2 memory window
// bound on this queue pair is allowed, because the device has no fast registrations. The message itself has arrived and is acknowledged;
// its RECV reports the failure; IBA 9.9.3, class J.
func (r *responder) cannotInvalidate(e *Engine, w *recvWQE) {
	r.q.rq.fail(w, verbs.WCRemInvReqErr)
	e.adapter.Counts.InvalidRequests.Add(1)
	r.nak = &refusal{psn: e.in.BTH.PSN, syndrome: wire.ACKUnlimited, fatal: true}
}

// receiveWrite stores a packet of a WRITE. Key, range and access right are checked for the whole message before its first byte is stored.
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
	r.va += uint64(n)
	r.left -= n
	if w != nil {
		r.completeRecv(e, w, verbs.WCRecvRDMAWithImm, r.length, info)
	}
	r.accepted(e, info)
}

// opens reports whether the key of a request grants the whole range. For an empty range the key is ignored; IBA 9.7.4.1.5.
func (r *responder) opens(h *wire.RETH, right verbs.Access) bool {
	return h.DMALen == 0 || r.q.mem.Grants(h.RKey, right, h.VA, uint64(h.DMALen))
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

// failRecv completes the RECV of the current message with an error, which fails the queue pair.
func (r *responder) failRecv(e *Engine, w *recvWQE, status verbs.WCStatus, code wire.NAKCode) {
	if r.q.typ != verbs.RC {
		r.failRecvUnreliable(w, status)
		return
	}
	r.q.rq.fail(w, status)
	e.adapter.Counts.InvalidRequests.Add(1)
	r.nak = &refusal{psn: r.epsn, syndrome: wire.NAK(code), fatal: true}
}
