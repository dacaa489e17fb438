package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// queueNAK queues a NAK of the expected PSN, unless one was already sent.
func (r *responder) queueNAK(s wire.Syndrome) {
	if r.nakSent {
		return
	}
	r.nakSent = true
	r.nak = &refusal{psn: r.epsn, syndrome: s}
}

// queueRNRNAK asks the peer to retry later.
func (r *responder) queueRNRNAK(e *Engine) {
	if r.q.typ != verbs.RC {
		r.dropMessage(e)
		return
	}
	e.adapter.Counts.RNRSent.Add(1)
	r.queueNAK(wire.RNRNAK(wire.RNRTimer(r.q.attr.MinRNRTimer)))
}

// refuse fails the queue pair after a request that it must not execute; IBA 9.9.3. It raises the event because no
// completion reports the failure.
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

// failRecv completes the RECV of the current message with an error, which fails the queue pair.
func (r *responder) failRecv(e *Engine, w *recvWQE, status verbs.WCStatus, code wire.NAKCode) {
	if r.q.typ != verbs.RC {
		r.failRecvUnreliable(w, status)
		return
	}
	r.q.endRecv(w, status)
	e.adapter.Counts.InvalidRequests.Add(1)
	r.nak = &refusal{psn: r.epsn, syndrome: wire.NAK(code), fatal: true}
}

// cannotInvalidate fails the queue pair after a SEND that names a key which it must not invalidate. Only the key of a
// type 2 memory window bound on this queue pair is allowed, because the device has no fast registrations. The message
// itself has arrived and is acknowledged; its RECV reports the failure; IBA 9.9.3, class J.
func (r *responder) cannotInvalidate(e *Engine, w *recvWQE) {
	r.q.endRecv(w, verbs.WCRemInvReqErr)
	e.adapter.Counts.InvalidRequests.Add(1)
	r.nak = &refusal{psn: e.in.BTH.PSN, syndrome: wire.ACKUnlimited, fatal: true}
}

// dropMessage discards the message being received, which was truncated or is invalid.
func (r *responder) dropMessage(e *Engine) { r.dropMessageAs(e, verbs.WCRemInvReqErr) }

// dropMessageAs discards a message. Its RECV is reused for the next one, unless it came from a shared queue: it cannot
// be put back in its place there, and is completed with an error that does not affect the queue pair; IBA 9.9.3, class
// E.
func (r *responder) dropMessageAs(e *Engine, status verbs.WCStatus) {
	q := r.q
	r.inside = false
	e.adapter.Counts.Dropped.Add(1)
	if q.rq.holding {
		q.endRecv(&q.rq.held, status)
	}
}

// failRecvUnreliable handles a RECV that cannot store its message: one that is too small stays for another message, one
// that is itself invalid fails the queue pair; IBA 9.9.3.
func (r *responder) failRecvUnreliable(w *recvWQE, status verbs.WCStatus) {
	q := r.q
	if status == verbs.WCLocLenErr {
		r.dropMessageAs(q.eng, status)
		return
	}
	q.endRecv(w, status)
	q.enterError()
}
