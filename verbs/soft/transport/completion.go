package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
)

// succeed completes the oldest request. It frees the slot before the completion becomes visible, so that a program that
// sees the completion can post again.
func (c *completer) succeed(w *sendWQE) {
	q := c.q
	signalled := q.sigAll || w.flags&verbs.SendSignaled != 0
	wc := verbs.WC{WRID: w.wrID, Opcode: w.op.Traits().Completion, QPNum: q.num}
	if w.brings() {
		wc.ByteLen = w.length
	}
	if wc.Opcode == verbs.WCSend {
		q.dev.adapter.Counts.Sends.Add(1)
	}
	q.ended(signalled)
	c.pop()
	if signalled {
		q.complete(q.sendCQ, &wc, false)
	}
}

// pop removes the oldest request from the ring.
func (c *completer) pop() {
	q := c.q
	r := &q.req
	head := q.sq.head.Load()
	if head == r.next {
		r.next++
		r.off, r.cursor = 0, mem.Cursor{}
	} else if q.sq.at(head).fetches() {
		r.reads--
	}
	if head == r.started {
		r.started++
	}
	q.sq.head.Store(head + 1)
	c.into = mem.Cursor{}
}

// settle completes the oldest requests as long as they are local and executed.
func (c *completer) settle() {
	for c.outstanding() {
		w := c.q.sq.at(c.q.sq.head.Load())
		if !w.done {
			return
		}
		c.succeed(w)
	}
}

// outstanding reports whether any request waits for an acknowledgement.
func (c *completer) outstanding() bool { return c.q.sq.head.Load() != c.q.req.started }

// failLocal fails the request at next, which cannot be sent, once all earlier ones are complete.
func (c *completer) failLocal() {
	q := c.q
	if q.req.next == q.sq.head.Load() {
		c.failOldest(q.sq.at(q.req.next).status)
	}
}

// failOldest completes the oldest request with an error. It moves the queue pair to ERR or, for an unreliable service,
// only its send queue to SQE; IBA 10.3.1.
func (c *completer) failOldest(status verbs.WCStatus) {
	q := c.q
	c.endOldest(status)
	if q.typ == verbs.RC {
		q.enterError()
		return
	}
	q.setState(verbs.QPSQE)
	c.flushSends()
}

// endOldest removes the oldest send request from the ring and completes it with an error.
func (c *completer) endOldest(status verbs.WCStatus) {
	q := c.q
	w := q.sq.at(q.sq.head.Load())
	wc := verbs.WC{WRID: w.wrID, Status: status, Opcode: w.op.Traits().Completion, QPNum: q.num}
	q.ended(true)
	c.pop()
	q.complete(q.sendCQ, &wc, false)
}

func (c *completer) flushSends() {
	for c.q.sq.head.Load() != c.q.sq.tail.Load() {
		c.endOldest(verbs.WCWRFlushErr)
	}
}

// drained reports whether all requests that were started are complete.
func (c *completer) drained() bool { return c.q.sq.head.Load() == c.q.req.started }

// checkDrained raises SQ_DRAINED once when a send queue in SQD has drained.
func (c *completer) checkDrained() {
	if c.q.state == verbs.QPSQD && c.notifyDrained && c.drained() {
		c.notifyDrained = false
		c.q.raise(verbs.EventSQDrained)
	}
}

// complete adds a completion to a queue. If the queue is full, the completion is lost and the queue pair fails: see
// [QP.checkOverrun].
func (q *QP) complete(to *CQ, wc *verbs.WC, solicited bool) {
	if !to.push(wc, solicited) {
		q.fatal = true
	}
}

// checkOverrun moves a queue pair to ERR after its completion queue overran; IBA 11.6.3.
func (q *QP) checkOverrun() {
	if q.fatal && q.state != verbs.QPErr {
		q.enterError()
		q.raise(verbs.EventQPFatal)
	}
}

// enterError moves to ERR and flushes; q.mu is held. A queue pair on a shared receive queue raises one event to say
// that it takes no more requests from it: the remaining requests may belong to others, so nothing else marks its last
// completion; IBA 11.6.3.
func (q *QP) enterError() {
	from := q.state
	q.setState(verbs.QPErr)
	q.comp.stopTimers()
	q.flush()
	if q.rq.shared != nil && from != verbs.QPErr {
		q.raise(verbs.EventQPLastWQEReached)
	}
}

// flush completes all posted requests with WR_FLUSH_ERR; of a shared receive queue, only those that this queue pair has
// taken.
func (q *QP) flush() {
	q.comp.flushSends()
	if q.rq.holding {
		q.endRecv(&q.rq.held, verbs.WCWRFlushErr)
	}
	for w := q.rq.oldest(); w != nil; w = q.rq.oldest() {
		q.endRecv(w, verbs.WCWRFlushErr)
	}
}

// endRecv completes the RECV that [recvQueue.take] returned with an error.
func (q *QP) endRecv(w *recvWQE, status verbs.WCStatus) {
	wc := verbs.WC{WRID: w.wrID, Status: status, Opcode: verbs.WCRecv, QPNum: q.num}
	q.rq.done()
	q.complete(q.recvCQ, &wc, false)
}

func (c *completer) stopTimers() {
	c.clock.timer.Stop()
	c.clock.fired.Store(false)
	c.clock.set = false
	c.clock.stop()
	c.rnr.timer.Stop()
	c.rnr.fired.Store(false)
	c.rnr.waiting = false
}
