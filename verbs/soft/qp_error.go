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

// failOldest completes the oldest request with an error and takes the queue pair to ERR, or where nobody waits for an answer its send
// queue alone to SQE; IBA 10.3.1.
func (q *qp) failOldest(status verbs.WCStatus) {
	q.endOldest(status)
	if q.typ == verbs.RC {
		q.enterError()
		return
	}
	q.setState(verbs.QPSQE)
	q.flushSends()
}

// endOldest takes the oldest send request out of the ring and completes it with an error.
func (q *qp) endOldest(status verbs.WCStatus) {
	w := q.sq.at(q.sq.head.Load())
	wc := verbs.WC{WRID: w.wrID, Status: status, Opcode: completions[w.op], QPNum: q.num}
	q.popSend()
	q.complete(q.sendCQ, &wc, false)
}

// endRecv completes the receive request that takeRecv returned with an error.
func (q *qp) endRecv(w *recvWQE, status verbs.WCStatus) {
	wc := verbs.WC{WRID: w.wrID, Status: status, Opcode: verbs.WCRecv, QPNum: q.num}
	q.doneRecv()
	q.complete(q.recvCQ, &wc, false)
}

// enterError moves to ERR and flushes; q.mu is held. A queue pair on a shared receive queue says once that it will take nothing more from
// it: what is left there may be anybody's, so nothing else tells its owner that the last completion has come; IBA 11.6.3.
func (q *qp) enterError() {
	from := q.state
	q.setState(verbs.QPErr)
	q.stopTimers()
	q.flush()
	if q.srq != nil && from != verbs.QPErr {
		q.raise(verbs.EventQPLastWQEReached)
	}
}

// flush completes all that is posted with WR_FLUSH_ERR: of a shared receive queue only what this queue pair has taken.
func (q *qp) flush() {
	q.flushSends()
	if q.holding {
		q.endRecv(&q.held, verbs.WCWRFlushErr)
	}
	for w := q.rq.oldest(); w != nil; w = q.rq.oldest() {
		q.endRecv(w, verbs.WCWRFlushErr)
	}
}

func (q *qp) flushSends() {
	for q.sq.head.Load() != q.sq.tail.Load() {
		q.endOldest(verbs.WCWRFlushErr)
	}
}

// drained reports whether all requests that were started are complete.
func (q *qp) drained() bool { return q.sq.head.Load() == q.req.started }

// checkDrained reports, once, that a send queue in SQD has come to rest.
func (q *qp) checkDrained() {
	if q.state == verbs.QPSQD && q.tellDrained && q.drained() {
		q.tellDrained = false
		q.raise(verbs.EventSQDrained)
	}
}
