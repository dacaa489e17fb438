package soft

import "rdmatui/verbs"

// complete puts a completion on a queue. One that finds no room is lost, and the queue pair with it: see [qp.checkOverrun].
func (q *qp) complete(to *cq, wc *verbs.WC, solicited bool) {
	if !to.push(wc, solicited) {
		q.fatal = true
	}
}

// checkOverrun ends a queue pair whose completion queue is broken; IBA 11.6.3.
func (q *qp) checkOverrun() {
	if q.fatal && q.state != verbs.QPErr {
		q.enterError()
		q.raise(verbs.EventQPFatal)
	}
}

// failLocal ends the request at next, which cannot be sent, once all before it are complete.
func (q *qp) failLocal() {
	if q.req.next == q.sq.head.Load() {
		q.failOldest(q.sq.at(q.req.next).status)
	}
}

// failOldest completes the oldest request with an error and takes the queue pair to ERR.
func (q *qp) failOldest(status verbs.WCStatus) {
	w := q.sq.at(q.sq.head.Load())
	q.complete(q.sendCQ, &verbs.WC{WRID: w.wrID, Status: status, Opcode: completions[w.op], QPNum: q.num}, false)
	q.popSend()
	q.enterError()
}

// enterError moves to ERR and flushes; q.mu is held.
func (q *qp) enterError() {
	q.setState(verbs.QPErr)
	q.stopTimers()
	q.flush()
}

// flush completes all that is posted with WR_FLUSH_ERR.
func (q *qp) flush() {
	for q.sq.head.Load() != q.sq.tail.Load() {
		w := q.sq.at(q.sq.head.Load())
		q.complete(q.sendCQ, &verbs.WC{WRID: w.wrID, Status: verbs.WCWRFlushErr, Opcode: completions[w.op], QPNum: q.num}, false)
		q.popSend()
	}
	for w := q.rq.oldest(); w != nil; w = q.rq.oldest() {
		q.complete(q.recvCQ, &verbs.WC{WRID: w.wrID, Status: verbs.WCWRFlushErr, Opcode: verbs.WCRecv, QPNum: q.num}, false)
		q.rq.pop()
	}
}

// drained reports whether all requests that were started are complete.
func (q *qp) drained() bool { return q.sq.head.Load() == q.req.started }

// checkDrained reports, once, that a send queue in SQD has come to rest.
func (q *qp) checkDrained() {
	if q.state == verbs.QPSQD && q.attr.EnSQDAsyncNotify && q.drained() {
		q.attr.EnSQDAsyncNotify = false
		q.raise(verbs.EventSQDrained)
	}
}
