package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// receiveRead queues the response to a READ with the expected PSN.
func (r *responder) receiveRead(e *Engine) {
	h := &e.in.RETH
	switch {
	case r.q.attr.QPAccessFlags&verbs.RemoteRead == 0, h.DMALen > MaxMsg, !r.mayFetch():
		r.refuse(e, wire.NAKInvalidRequest)
		return
	case !r.opens(h, verbs.RemoteRead):
		r.refuse(e, wire.NAKRemoteAccess)
		return
	}
	r.takeUp(r.newReadJob(&e.in))
}

// opens reports whether the key of a request grants the whole range. For an empty range the key is ignored; IBA
// 9.7.4.1.5.
func (r *responder) opens(h *wire.RETH, right verbs.Access) bool {
	return h.DMALen == 0 || r.q.mem.Grants(h.RKey, right, h.VA, uint64(h.DMALen))
}

// mayFetch reports whether the peer may have one more READ or atomic outstanding. The peer respects max_dest_rd_atomic,
// so if repeated responses take up the room, it must have received those.
func (r *responder) mayFetch() bool {
	limit := int(r.q.attr.MaxDestRDAtomic)
	for len(r.fetches) > 0 && r.fetching() >= limit && r.fetches[0].again {
		r.fetches = append(r.fetches[:0], r.fetches[1:]...)
	}
	return r.fetching() < limit
}

// fetching counts the queued responses, except those to FLUSHes.
func (r *responder) fetching() (n int) {
	for i := range r.fetches {
		if !r.fetches[i].flush {
			n++
		}
	}
	return n
}

// maxFlushes is how many FLUSHes may wait for their responses. A requester need not count them against
// max_dest_rd_atomic; Linux does not, and has up to 128 packets in flight.
const maxFlushes = MaxWindow

// mayFlush reports whether the peer may have one more FLUSH outstanding.
func (r *responder) mayFlush() bool {
	return r.q.attr.MaxDestRDAtomic > 0 && len(r.fetches)-r.fetching() < maxFlushes
}

// takeUp queues the response to a READ or atomic with the expected PSN. It acknowledges everything before it.
func (r *responder) takeUp(j fetchJob) {
	r.fetches = append(r.fetches, j)
	r.epsn = j.last.Add(1)
	r.msn++
	if j.left == 0 { // else it is served when the data has been read
		r.q.steps.serve(r.q.eng, j.last, 0)
	}
	r.acks = 0
}

func (r *responder) newReadJob(h *wire.Packet) fetchJob {
	last := h.BTH.PSN.Add(packetsOf(h.RETH.DMALen, r.q.mtu) - 1)
	return fetchJob{psn: h.BTH.PSN, last: last, va: h.RETH.VA, rkey: h.RETH.RKey, left: h.RETH.DMALen}
}

func (r *responder) repeatedRead(e *Engine) {
	h := &e.in
	behind := r.epsn.Sub(h.BTH.PSN)
	if len(h.Payload) > 0 || packetsOf(h.RETH.DMALen, r.q.mtu) > behind ||
		r.q.attr.QPAccessFlags&verbs.RemoteRead == 0 || !r.opens(&h.RETH, verbs.RemoteRead) {
		return
	}
	r.answerAgain(r.newReadJob(h))
}

// answerAgain queues a response once more. A peer that repeats a request has gone back to it, so queued responses from
// there on are useless to it. The same response is queued once.
func (r *responder) answerAgain(j fetchJob) {
	n := len(r.fetches)
	if n > 0 {
		due := &r.fetches[n-1]
		if j.again = due.again; *due == j {
			return
		}
	}
	j.again = true
	for n > 0 && j.psn.Sub(r.fetches[n-1].last) <= 0 {
		n--
	}
	r.fetches = r.fetches[:n]
	if j.flush && r.mayFlush() || !j.flush && r.fetching() < int(r.q.attr.MaxDestRDAtomic) {
		r.fetches = append(r.fetches, j)
	}
}

// answer sends the queued responses in the order of the requests; it reports whether there is more to do at once.
func (r *responder) answer(e *Engine) (more bool) {
	for n := 0; len(r.fetches) > 0; n++ {
		if n == burst || !e.ready {
			return true
		}
		r.answerFetch(e, &r.fetches[0])
	}
	if r.nak != nil {
		r.acks = 0
		r.sendAETH(e, r.nak.psn, r.nak.syndrome)
		r.afterNAK()
	}
	r.sendACKs(e)
	return false
}

// sendACKs acknowledges received packets, unless a response must be sent first. It does so before the queue pair's lock
// is released: a program that sees the message and destroys the queue pair at once must not discard the
// acknowledgement.
func (r *responder) sendACKs(e *Engine) {
	if r.q.state < verbs.QPRTR || r.q.state >= verbs.QPErr || len(r.fetches) > 0 || r.nak != nil {
		return
	}
	for ; r.acks > 0; r.acks-- {
		r.sendAETH(e, r.epsn.Add(-1), wire.ACKUnlimited)
		e.acks++
	}
}

// afterNAK applies the effects of a sent NAK to this side.
func (r *responder) afterNAK() {
	n := r.nak
	r.nak = nil
	if !n.fatal {
		return
	}
	r.q.enterError()
	if n.raise {
		r.q.raise(n.event)
	}
}

func (r *responder) sendAETH(e *Engine, psn wire.PSN, s wire.Syndrome) {
	h := &e.out
	h.BTH = r.q.bth()
	h.BTH.Opcode, h.BTH.PSN = wire.RCAcknowledge, psn
	h.AETH = wire.AETH{Syndrome: s, MSN: r.msn}
	p := e.packet(r.q.path)
	p.Data = h.AppendHeaders(p.Data, 0)
	e.tx = append(e.tx, p)
}

// answerFetch sends one packet of the oldest response and removes the response after its last packet.
func (r *responder) answerFetch(e *Engine, j *fetchJob) {
	q := r.q
	h := &e.out
	h.BTH = q.bth()
	h.BTH.PSN = j.psn
	h.AETH = wire.AETH{Syndrome: wire.ACKUnlimited, MSN: r.msn}
	n := 0
	if j.atomic {
		h.BTH.Opcode, h.AtomicAckETH.Orig = wire.RCAtomicAcknowledge, j.orig
	} else {
		n = min(q.mtu, int(j.left))
		h.BTH.Opcode, _ = wire.FindOpcode(wire.RC, wire.OpReadResponse, j.position(n), 0)
	}
	p := e.packet(q.path)
	data, ok := r.readPiece(h.AppendHeaders(p.Data, n), j, n)
	if !ok {
		e.drop(p)
		r.abandonRead(e, j)
		return
	}
	p.Data = wire.AppendPad(data, n)
	e.tx = append(e.tx, p)
	switch {
	case j.psn == j.last:
		r := &q.resp
		if n > 0 {
			q.steps.serve(e, j.last, 0)
		}
		r.fetches = append(r.fetches[:0], r.fetches[1:]...)
	default:
		j.begun = true
		j.psn = j.psn.Add(1)
		j.va += uint64(n)
		j.left -= uint32(n)
	}
}

// position returns the position of the next n bytes in the response to a READ.
func (j *fetchJob) position(n int) (at wire.Position) {
	if !j.begun {
		at |= wire.Starts
	}
	if n == int(j.left) {
		at |= wire.Ends
	}
	return at
}

func (r *responder) readPiece(dst []byte, j *fetchJob, n int) ([]byte, bool) {
	if n == 0 {
		return dst, true
	}
	return r.q.mem.Read(dst, j.rkey, j.va, uint64(n))
}

// abandonRead refuses a READ whose region was deregistered while it was being answered.
func (r *responder) abandonRead(e *Engine, j *fetchJob) {
	psn := j.psn
	r.fetches = r.fetches[:0]
	r.refuse(e, wire.NAKRemoteAccess)
	r.nak.psn = psn
}
