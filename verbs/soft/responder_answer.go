package soft

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// readJob is a READ of the peer's that is being answered.
type readJob struct {
	psn   wire.PSN // of the next packet
	last  wire.PSN
	va    uint64
	rkey  uint32
	left  uint32 // bytes
	begun bool
}

// receiveRead takes up a READ with the expected PSN.
func (q *qp) receiveRead(e *engine) {
	r := &q.resp
	h := &e.in.RETH
	switch {
	case q.attr.QPAccessFlags&verbs.RemoteRead == 0, h.DMALen > maxMsg, len(r.reads) >= int(q.attr.MaxDestRDAtomic):
		q.refuse(e, wire.NAKInvalidRequest)
		return
	case !q.opens(h, verbs.RemoteRead):
		q.refuse(e, wire.NAKRemoteAccess)
		return
	}
	r.reads = append(r.reads, q.newReadJob(&e.in))
	r.epsn = r.epsn.Add(packetsOf(h.DMALen, q.mtu))
	r.msn++
	r.ackDue = false // the answer acknowledges all before it
}

func (q *qp) newReadJob(h *wire.Packet) readJob {
	last := h.BTH.PSN.Add(packetsOf(h.RETH.DMALen, q.mtu) - 1)
	return readJob{psn: h.BTH.PSN, last: last, va: h.RETH.VA, rkey: h.RETH.RKey, left: h.RETH.DMALen}
}

// repeated takes a request that was executed before: a READ is answered once more, all else is only acknowledged; IBA 9.7.5.1.2. A peer
// that asks again has gone back to there, so that answers which are due from there on are of no use to it.
func (q *qp) repeated(e *engine, info wire.OpcodeInfo) {
	r := &q.resp
	if info.Operation != wire.OpRead {
		r.ackDue = true
		return
	}
	h := &e.in
	behind := r.epsn.Sub(h.BTH.PSN)
	if h.RETH.DMALen > maxMsg || packetsOf(h.RETH.DMALen, q.mtu) > behind || q.attr.QPAccessFlags&verbs.RemoteRead == 0 || !q.opens(&h.RETH, verbs.RemoteRead) {
		return
	}
	for n := len(r.reads); n > 0 && h.BTH.PSN.Sub(r.reads[n-1].last) <= 0; n-- {
		r.reads = r.reads[:n-1]
	}
	if len(r.reads) < int(q.attr.MaxDestRDAtomic) {
		r.reads = append(r.reads, q.newReadJob(h))
	}
}

// sayNAK puts a NAK of the expected PSN in line, unless one is out already.
func (q *qp) sayNAK(s wire.Syndrome) {
	r := &q.resp
	if r.quiet {
		return
	}
	r.quiet = true
	r.nak = &refusal{psn: r.epsn, syndrome: s}
}

// sayNotReady asks the peer to come again later.
func (q *qp) sayNotReady(e *engine) {
	if q.typ != verbs.RC {
		q.dropMessage(e)
		return
	}
	e.adapter.counts.rnrSent.Add(1)
	q.sayNAK(wire.RNRNAK(wire.RNRTimer(q.attr.MinRNRTimer)))
}

// refuse ends the queue pair over a request that it must not execute; IBA 9.9.3. The event is raised because no completion tells of it.
func (q *qp) refuse(e *engine, code wire.NAKCode) {
	if q.typ != verbs.RC {
		q.dropMessage(e)
		return
	}
	event := verbs.EventQPReqErr
	if code == wire.NAKRemoteAccess {
		event = verbs.EventQPAccessErr
		e.adapter.counts.accessErrors.Add(1)
	} else {
		e.adapter.counts.invalidRequests.Add(1)
	}
	q.resp.nak = &refusal{psn: q.resp.epsn, syndrome: wire.NAK(code), fatal: true, raise: true, event: event}
}

// answer sends what the responder has to say, in the order of the requests; it reports whether there is more to do at once.
func (q *qp) answer(e *engine) (more bool) {
	r := &q.resp
	for n := 0; len(r.reads) > 0; n++ {
		if n == burst || !e.ready {
			return true
		}
		q.answerRead(e, &r.reads[0])
	}
	switch {
	case r.nak != nil:
		q.sendAETH(e, r.nak.psn, r.nak.syndrome)
		q.afterNAK()
	case r.ackDue:
		q.sendAETH(e, r.epsn.Add(-1), wire.ACKUnlimited)
	}
	r.ackDue = false
	return false
}

// afterNAK carries out what a NAK means for this side.
func (q *qp) afterNAK() {
	n := q.resp.nak
	q.resp.nak = nil
	if !n.fatal {
		return
	}
	q.enterError()
	if n.raise {
		q.raise(n.event)
	}
}

func (q *qp) sendAETH(e *engine, psn wire.PSN, s wire.Syndrome) {
	h := &e.out
	h.BTH = q.bth()
	h.BTH.Opcode, h.BTH.PSN = wire.RCAcknowledge, psn
	h.AETH = wire.AETH{Syndrome: s, MSN: q.resp.msn}
	p := e.packet(q.path)
	p.Data = h.AppendHeaders(p.Data, 0)
	e.tx = append(e.tx, p)
}

// answerRead sends one packet of the oldest READ's data and takes the job off the list with the last.
func (q *qp) answerRead(e *engine, j *readJob) {
	n := min(q.mtu, int(j.left))
	var at wire.Position
	if !j.begun {
		at |= wire.Starts
	}
	if n == int(j.left) {
		at |= wire.Ends
	}
	h := &e.out
	h.BTH = q.bth()
	h.BTH.Opcode, _ = wire.FindOpcode(wire.RC, wire.OpReadResponse, at, 0)
	h.BTH.PSN = j.psn
	h.AETH = wire.AETH{Syndrome: wire.ACKUnlimited, MSN: q.resp.msn}
	p := e.packet(q.path)
	data, ok := q.readPiece(h.AppendHeaders(p.Data, n), j, n)
	if !ok {
		e.drop(p)
		q.abandonRead(e, j)
		return
	}
	p.Data = wire.AppendPad(data, n)
	e.tx = append(e.tx, p)
	j.begun = true
	j.psn = j.psn.Add(1)
	j.va += uint64(n)
	j.left -= uint32(n)
	if at&wire.Ends != 0 {
		q.resp.reads = append(q.resp.reads[:0], q.resp.reads[1:]...)
	}
}

func (q *qp) readPiece(dst []byte, j *readJob, n int) ([]byte, bool) {
	if n == 0 {
		return dst, true
	}
	m := q.regions().find(j.rkey, q.pd, verbs.RemoteRead)
	if m == nil {
		return dst, false
	}
	return m.read(dst, j.va, uint64(n))
}

// abandonRead refuses a READ whose region vanished while it was answered.
func (q *qp) abandonRead(e *engine, j *readJob) {
	psn := j.psn
	q.resp.reads = q.resp.reads[:0]
	q.refuse(e, wire.NAKRemoteAccess)
	q.resp.nak.psn = psn
}
