package transport

import "rdmatui/verbs"

// complete puts a completion on a queue. One that finds no room is lost, and the queue pair with it: see [QP.checkOverrun].
func (q *QP) complete(to *CQ, wc *verbs.WC, solicited bool) {
	if !to.push(wc, solicited) {
		q.fatal = true
	}
}

// checkOverrun ends a queue pair whose completion queue is broken; IBA 11.6.3.
func (q *QP) checkOverrun() {
	if q.fatal && q.state != verbs.QPErr {
		q.enterError()
		q.raise(verbs.EventQPFatal)
	}
}

// enterError moves to ERR and flushes; q.mu is held. A queue pair on a shared receive queue says once that it will take nothing more from
// it: what is left there may be anybody's, so nothing else tells its owner that the last completion has come; IBA 11.6.3.
func (q *QP) enterError() {
	from := q.state
	q.setState(verbs.QPErr)
	q.comp.stopTimers()
	q.flush()
	if q.rq.shared != nil && from != verbs.QPErr {
		q.raise(verbs.EventQPLastWQEReached)
	}
}

// flush completes all that is posted with WR_FLUSH_ERR: of a shared receive queue only what this queue pair has taken.
func (q *QP) flush() {
	q.comp.flushSends()
	if q.rq.holding {
		q.rq.fail(&q.rq.held, verbs.WCWRFlushErr)
	}
	for w := q.rq.oldest(); w != nil; w = q.rq.oldest() {
		q.rq.fail(w, verbs.WCWRFlushErr)
	}
}
