package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// requestedUC processes a packet of an unreliable connection: a missing packet loses its message, and reception resumes with the start of
// the next one; IBA 9.8.2.
func (r *responder) requestedUC(e *Engine, info wire.OpcodeInfo) {
	psn := e.in.BTH.PSN
	starts := info.Position&wire.Starts != 0
	if psn != r.epsn {
		e.adapter.Counts.OutOfSequence.Add(1)
	}
	if r.inside && (starts || psn != r.epsn) {
		r.dropMessage(e)
	}
	r.firstPacket()
	if starts || r.inside {
		r.epsn = psn
		r.expected(e, info)
	}
	r.epsn = psn.Add(1)
}

// dropMessage discards the message being received, which was truncated or is invalid.
func (r *responder) dropMessage(e *Engine) { r.dropMessageAs(e, verbs.WCRemInvReqErr) }

// dropMessageAs discards a message. Its RECV is reused for the next one, unless it came from a shared queue: it cannot be put back in its
// place there, and is completed with an error that does not affect the queue pair; IBA 9.9.3, class E.
func (r *responder) dropMessageAs(e *Engine, status verbs.WCStatus) {
	q := r.q
	r.inside = false
	e.adapter.Counts.Dropped.Add(1)
	if q.rq.holding {
		q.rq.fail(&q.rq.held, status)
	}
}

// failRecvUnreliable handles a RECV that cannot store its message: one that is too small stays for another message, one that is itself
// invalid fails the queue pair; IBA 9.9.3.
func (r *responder) failRecvUnreliable(w *recvWQE, status verbs.WCStatus) {
	q := r.q
	if status == verbs.WCLocLenErr {
		r.dropMessageAs(q.eng, status)
		return
	}
	q.rq.fail(w, status)
	q.enterError()
}
