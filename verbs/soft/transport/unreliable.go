package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// requestedUC takes a packet of an unreliable connection: whoever misses a packet has lost its message, and goes on with the next one
// that begins; IBA 9.8.2.
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

// dropMessage forgets the message being received, which was cut short or is wrong in itself.
func (r *responder) dropMessage(e *Engine) { r.dropMessageAs(e, verbs.WCRemInvReqErr) }

// dropMessageAs forgets a message. Its RECV stays for the next one; but what was taken from a shared queue cannot be put back in its place,
// and is completed with an error, which costs the queue pair nothing else; IBA 9.9.3, class E.
func (r *responder) dropMessageAs(e *Engine, status verbs.WCStatus) {
	q := r.q
	r.inside = false
	e.adapter.Counts.Dropped.Add(1)
	if q.rq.holding {
		q.rq.fail(&q.rq.held, status)
	}
}

// failRecvUnreliable handles a RECV that cannot take its message: one that is too small waits for another, one that is wrong in itself
// ends the queue pair; IBA 9.9.3.
func (r *responder) failRecvUnreliable(w *recvWQE, status verbs.WCStatus) {
	q := r.q
	if status == verbs.WCLocLenErr {
		r.dropMessageAs(q.eng, status)
		return
	}
	q.rq.fail(w, status)
	q.enterError()
}
