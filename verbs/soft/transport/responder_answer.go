package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// fetchJob is a request of the peer's that is to be answered by more than an acknowledgement: a READ, an atomic, a FLUSH or an
// ATOMIC_WRITE. The last two are answered as a READ of no bytes. The peer counts on max_dest_rd_atomic of them.
type fetchJob struct {
	psn   wire.PSN // of the next packet
	last  wire.PSN
	again bool // the answer was given before
	extra int  // copies of the next packet, for a peer that has asked more than once
	flush bool

	// Of a READ.
	va    uint64
	rkey  uint32
	left  uint32 // bytes
	begun bool

	atomic bool
	orig   uint64 // the answer to an atomic
}

// receiveRead takes up a READ with the expected PSN.
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

// mayFetch reports whether the peer may have one more READ or atomic outstanding. It knows of max_dest_rd_atomic; so where the room is
// taken by answers that are being repeated, it must have got those.
func (r *responder) mayFetch() bool {
	limit := int(r.q.attr.MaxDestRDAtomic)
	for len(r.fetches) > 0 && r.fetching() >= limit && r.fetches[0].again {
		r.fetches = append(r.fetches[:0], r.fetches[1:]...)
	}
	return r.fetching() < limit
}

// fetching counts the answers that are due, but for those to FLUSHes.
func (r *responder) fetching() (n int) {
	for i := range r.fetches {
		if !r.fetches[i].flush {
			n++
		}
	}
	return n
}

// takeUp lines up the answer to a READ or atomic with the expected PSN. It acknowledges all before it.
func (r *responder) takeUp(j fetchJob) {
	r.fetches = append(r.fetches, j)
	r.epsn = j.last.Add(1)
	r.msn++
	r.acks = 0
}

func (r *responder) newReadJob(h *wire.Packet) fetchJob {
	last := h.BTH.PSN.Add(packetsOf(h.RETH.DMALen, r.q.mtu) - 1)
	return fetchJob{psn: h.BTH.PSN, last: last, va: h.RETH.VA, rkey: h.RETH.RKey, left: h.RETH.DMALen}
}

// repeated takes a request that was executed before: a READ is answered once more, an atomic as it was the first time, all else is only
// acknowledged; IBA 9.7.5.1.2.
func (r *responder) repeated(e *Engine, info wire.OpcodeInfo) {
	switch info.Operation {
	case wire.OpRead:
		r.repeatedRead(e)
	case wire.OpCompareSwap, wire.OpFetchAdd:
		r.repeatedAtomic(e, info)
	case wire.OpFlush, wire.OpAtomicWrite: // it was carried out, and what the peer did afterwards must not be undone
		r.answerAgain(placementJob(&e.in, info.Operation))
	default:
		if e.in.BTH.PSN == r.latest { // copies in a row are answered by copies in a row
			r.acks = min(r.acks+1, MaxCopies)
		} else {
			r.acks = max(r.acks, 1)
		}
	}
}

func (r *responder) repeatedRead(e *Engine) {
	h := &e.in
	behind := r.epsn.Sub(h.BTH.PSN)
	if len(h.Payload) > 0 || h.RETH.DMALen > MaxMsg || packetsOf(h.RETH.DMALen, r.q.mtu) > behind ||
		r.q.attr.QPAccessFlags&verbs.RemoteRead == 0 || !r.opens(&h.RETH, verbs.RemoteRead) {
		return
	}
	r.answerAgain(r.newReadJob(h))
}

// answerAgain lines up an answer once more. A peer that asks again has gone back to there, so that answers which are due from there on are
// of no use to it; but where the same is due already, it is given in as many copies as it was asked for.
func (r *responder) answerAgain(j fetchJob) {
	n := len(r.fetches)
	if n > 0 {
		due := &r.fetches[n-1]
		j.again, j.extra = due.again, due.extra
		if *due == j {
			due.extra = min(due.extra+1, MaxCopies-1)
			return
		}
	}
	j.again, j.extra = true, 0
	for n > 0 && j.psn.Sub(r.fetches[n-1].last) <= 0 {
		n--
	}
	r.fetches = r.fetches[:n]
	if j.flush && r.mayFlush() || !j.flush && r.fetching() < int(r.q.attr.MaxDestRDAtomic) {
		r.fetches = append(r.fetches, j)
	}
}

// queueNAK puts a NAK of the expected PSN in line, unless one is out already.
func (r *responder) queueNAK(s wire.Syndrome) {
	if r.nakSent {
		return
	}
	r.nakSent = true
	r.nak = &refusal{psn: r.epsn, syndrome: s}
}

// queueRNRNAK asks the peer to come again later.
func (r *responder) queueRNRNAK(e *Engine) {
	if r.q.typ != verbs.RC {
		r.dropMessage(e)
		return
	}
	e.adapter.Counts.RNRSent.Add(1)
	r.queueNAK(wire.RNRNAK(wire.RNRTimer(r.q.attr.MinRNRTimer)))
}

// refuse ends the queue pair over a request that it must not execute; IBA 9.9.3. The event is raised because no completion tells of it.
func (r *responder) refuse(e *Engine, code wire.NAKCode) {
	if r.q.typ != verbs.RC {
		r.dropMessage(e)
		return
	}
	event := verbs.EventQPReqErr
	if code == wire.NAKRemoteAccess {
		event = verbs.EventQPAccessErr
		e.adapter.Counts.AccessErrors.Add(1)
	} else {
		e.adapter.Counts.InvalidRequests.Add(1)
	}
	r.nak = &refusal{psn: r.epsn, syndrome: wire.NAK(code), fatal: true, raise: true, event: event}
}

// answer sends what the responder has to answer, in the order of the requests; it reports whether there is more to do at once.
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

// sendACKs acknowledges what has been received, where no answer has to go first. That comes before anybody else can have the queue
// pair's lock: a program that sees the message and ends the queue pair at once must not take the acknowledgement with it.
func (r *responder) sendACKs(e *Engine) {
	if r.q.state < verbs.QPRTR || r.q.state >= verbs.QPErr || len(r.fetches) > 0 || r.nak != nil {
		return
	}
	for ; r.acks > 0; r.acks-- {
		r.sendAETH(e, r.epsn.Add(-1), wire.ACKUnlimited)
		e.acks++
	}
}

// afterNAK carries out what a NAK means for this side.
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

// answerFetch sends one packet of the oldest answer and takes it off the list with the last.
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
	case j.extra > 0:
		j.extra--
	case j.psn == j.last:
		r := &q.resp
		r.fetches = append(r.fetches[:0], r.fetches[1:]...)
	default:
		j.begun = true
		j.psn = j.psn.Add(1)
		j.va += uint64(n)
		j.left -= uint32(n)
	}
}

// position is the place of the next n bytes in the answer to a READ.
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

// abandonRead refuses a READ whose region vanished while it was answered.
func (r *responder) abandonRead(e *Engine, j *fetchJob) {
	psn := j.psn
	r.fetches = r.fetches[:0]
	r.refuse(e, wire.NAKRemoteAccess)
	r.nak.psn = psn
}
