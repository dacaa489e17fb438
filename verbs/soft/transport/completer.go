package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// completer is the part of a queue pair that processes responses: it completes requests in the order in which they were posted, and has
// lost ones sent again; IBA 9.7.5 and 9.7.6.
type completer struct {
	q             *QP
	una           wire.PSN   // the oldest unacknowledged PSN
	into          mem.Cursor // destination of the data of the READ at sq.head
	asked         bool       // una was sent again after it was found lost, and has not advanced since
	retries       uint8      // since the last progress
	rnrTries      uint8
	tries         tries // for display only; the two fields above decide
	clock         ackTimer
	rnr           rnrTimer
	notifyDrained bool // SQ_DRAINED is to be raised
}

// reset starts at the given PSN. The timers are stopped by stopTimers.
func (c *completer) reset(psn wire.PSN) {
	c.una, c.into, c.asked, c.retries, c.rnrTries = psn, mem.Cursor{}, false, 0, 0
	c.tries = tries{}
}

// answered processes a response; IBA 9.7.5.
func (c *completer) answered(e *Engine, info wire.OpcodeInfo) {
	q := c.q
	if q.state < verbs.QPRTS || q.typ != verbs.RC {
		return
	}
	h := &e.in
	r := &q.req
	if h.BTH.PSN.Sub(c.una) < -1 || h.BTH.PSN.Sub(r.top) >= 0 {
		return // of requests never sent, or completed long ago
	}
	switch info.Operation {
	case wire.OpReadResponse:
		c.readResponse(e, info)
	case wire.OpAtomicAcknowledge:
		c.atomicResponse(e)
	case wire.OpAcknowledge:
		c.acknowledgement(e)
	}
}

func (c *completer) acknowledgement(e *Engine) {
	h := &e.in
	psn := h.BTH.PSN
	switch s := h.AETH.Syndrome; s.Kind() {
	case wire.SyndromeACK:
		if missing := c.acknowledge(e, psn); missing {
			c.resend(e)
		}
	case wire.SyndromeRNR:
		if !c.acknowledge(e, psn.Add(-1)) && psn == c.una {
			c.notReady(e, s.RNRTimer())
		}
	case wire.SyndromeNAK:
		if c.acknowledge(e, psn.Add(-1)) {
			c.resend(e)
		} else if psn == c.una {
			c.refused(e, s.NAKCode())
		}
	}
}

// nakStatuses maps the peer's NAK codes to the status of the failed request.
var nakStatuses = map[wire.NAKCode]verbs.WCStatus{
	wire.NAKInvalidRequest:    verbs.WCRemInvReqErr,
	wire.NAKRemoteAccess:      verbs.WCRemAccessErr,
	wire.NAKRemoteOperational: verbs.WCRemOpErr,
}

// refused handles a NAK of the oldest packet.
func (c *completer) refused(e *Engine, code wire.NAKCode) {
	if code == wire.NAKPSNSequence {
		e.adapter.Counts.SequenceNAKs.Add(1)
		c.tries.met(e, &c.tries.SequenceNAKs)
		c.resend(e) // only once: a second NAK is a copy
		return
	}
	if status, ok := nakStatuses[code]; ok && c.outstanding() {
		c.failOldest(status)
	}
}

// outstanding reports whether any request waits for an acknowledgement.
func (c *completer) outstanding() bool { return c.q.sq.head.Load() != c.q.req.started }

// acknowledge completes the requests up to and including psn. It returns true if it reaches a READ or an atomic whose response has not
// arrived: that response must be lost, because the peer responds in order.
func (c *completer) acknowledge(e *Engine, psn wire.PSN) (missing bool) {
	q := c.q
	r := &q.req
	if psn.Sub(c.una) < 0 {
		return false
	}
	for head := q.sq.head.Load(); head != r.started; head++ {
		w := q.sq.at(head)
		if w.fetches() && psn.Sub(w.first) >= 0 {
			c.progress(e, later(c.una, w.first))
			return true
		}
		if w.last.Sub(psn) > 0 || w.status != verbs.WCSuccess || isLocal(w.op) && !w.done {
			break
		}
		c.succeed(w)
	}
	c.progress(e, psn.Add(1))
	return false
}

// progress advances una and resets all retry counters.
func (c *completer) progress(e *Engine, una wire.PSN) {
	r := &c.q.req
	if una.Sub(c.una) <= 0 {
		return
	}
	r.grow(una.Sub(c.una))
	c.una = una
	c.retries, c.rnrTries, c.asked, r.again = 0, 0, false, 0
	c.tries = tries{}
	if c.clock.stop(); una != r.top {
		c.clock.restart(e.clock())
	}
	if una.Sub(r.psn) > 0 {
		r.goBack(una) // packets to be sent again have arrived after all
	}
}

// completions maps the posted opcode to the opcode of its completion.
var completions = [...]verbs.WCOpcode{
	verbs.WRRDMAWrite:         verbs.WCRDMAWrite,
	verbs.WRRDMAWriteWithImm:  verbs.WCRDMAWrite,
	verbs.WRSend:              verbs.WCSend,
	verbs.WRSendWithImm:       verbs.WCSend,
	verbs.WRSendWithInv:       verbs.WCSend,
	verbs.WRRDMARead:          verbs.WCRDMARead,
	verbs.WRAtomicCmpAndSwp:   verbs.WCCompSwap,
	verbs.WRAtomicFetchAndAdd: verbs.WCFetchAdd,
	verbs.WRLocalInv:          verbs.WCLocalInv,
	verbs.WRBindMW:            verbs.WCBindMW,
	verbs.WRFlush:             verbs.WCFlush,
	verbs.WRAtomicWrite:       verbs.WCAtomicWrite,
}

// succeed completes the oldest request. It frees the slot before the completion becomes visible, so that a program that sees the completion
// can post again.
func (c *completer) succeed(w *sendWQE) {
	q := c.q
	signalled := q.sigAll || w.flags&verbs.SendSignaled != 0
	wc := verbs.WC{WRID: w.wrID, Opcode: completions[w.op], QPNum: q.num}
	if w.brings() {
		wc.ByteLen = w.length
	}
	if wc.Opcode == verbs.WCSend {
		q.dev.adapter.Counts.Sends.Add(1)
	}
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

// readResponse processes one packet of a READ's data, or the response to a FLUSH or ATOMIC_WRITE, which has no data.
func (c *completer) readResponse(e *Engine, info wire.OpcodeInfo) {
	q := c.q
	h := &e.in
	psn := h.BTH.PSN
	w := c.awaited(e, wire.OpReadResponse)
	if w == nil {
		return
	}
	off := uint32(psn.Sub(w.first) * q.mtu)
	var n uint32
	if w.brings() {
		n = min(uint32(q.mtu), w.length-off)
	}
	if uint32(len(h.Payload)) != n || !endsRight(info.Position, psn, w) {
		c.failOldest(verbs.WCBadRespErr)
		return
	}
	if !q.mem.Scatter(h.Payload, w.list, &c.into) {
		c.failOldest(verbs.WCLocProtErr)
		return
	}
	if psn == w.last {
		c.succeed(w)
		c.settle()
	}
	c.progress(e, psn.Add(1))
}

// endsRight reports whether a response ends where its READ ends, or, if the READ was requested in parts, where a part ends.
func endsRight(at wire.Position, psn wire.PSN, w *sendWQE) bool {
	ends := at&wire.Ends != 0
	return ends == (psn == w.last) || ends && w.split
}

// answer returns the operation of the response to a request that fetches.
func (w *sendWQE) answer() wire.Operation {
	if isAtomic(w.op) {
		return wire.OpAtomicAcknowledge
	}
	return wire.OpReadResponse
}

// awaited returns the request that the current response answers, nil if it is out of turn: then it is late, or an earlier one was lost. A
// response of the wrong kind fails the oldest request.
func (c *completer) awaited(e *Engine, kind wire.Operation) *sendWQE {
	h := &e.in
	psn := h.BTH.PSN
	w := c.requestOf(psn)
	if w == nil || psn.Sub(c.una) < 0 {
		return nil
	}
	fits := w.fetches() && w.answer() == kind
	if fits && (c.acknowledge(e, w.first.Add(-1)) || psn != c.una) {
		c.resend(e)
		return nil
	}
	if psn != c.una {
		return nil
	}
	if !fits || h.Headers.Has(wire.HasAETH) && h.AETH.Syndrome.Kind() != wire.SyndromeACK {
		c.failOldest(verbs.WCBadRespErr)
		return nil
	}
	return w
}

// requestOf returns the request with the given PSN, nil if there is none.
func (c *completer) requestOf(psn wire.PSN) *sendWQE {
	q := c.q
	for i := q.sq.head.Load(); i != q.req.started; i++ {
		if w := q.sq.at(i); psn.Sub(w.last) <= 0 {
			return w
		}
	}
	return nil
}

// resend sends the oldest request again because it, or its response, was lost. Further NAKs of the same loss may be under way and are
// ignored.
func (c *completer) resend(e *Engine) {
	if !c.asked {
		c.asked = true
		c.retry(e)
	}
}

// retry sends again from the oldest packet on, or gives up.
func (c *completer) retry(e *Engine) {
	q := c.q
	if !c.outstanding() {
		return
	}
	if c.retries >= q.attr.RetryCnt {
		e.adapter.Counts.RetriesUsed.Add(1)
		c.failOldest(verbs.WCRetryExcErr)
		return
	}
	c.retries++
	e.adapter.Counts.Retries.Add(1)
	c.tries.met(e, &c.tries.Resends)
	q.req.shrink()
	q.req.again = c.copies()
	q.req.goBack(c.una)
	c.clock.restart(e.clock())
}

// notReady handles an RNR NAK of the oldest packet: the packet is sent again after the delay that the peer asks for.
func (c *completer) notReady(e *Engine, wait wire.RNRTimer) {
	q := c.q
	if !c.outstanding() || c.rnr.waiting {
		return
	}
	e.adapter.Counts.RNRReceived.Add(1)
	c.tries.met(e, &c.tries.RNRNAKs)
	if limit := q.attr.RNRRetry; limit != verbs.InfiniteRNRRetry {
		if c.rnrTries >= limit {
			e.adapter.Counts.RNRRetriesUsed.Add(1)
			c.failOldest(verbs.WCRNRRetryExcErr)
			return
		}
		c.rnrTries++
	}
	c.retries, q.req.again, c.asked = 0, 0, false // the peer is alive
	q.req.goBack(c.una)
	c.clock.stop()
	c.rnr.start(wait.Duration())
}

// failLocal fails the request at next, which cannot be sent, once all earlier ones are complete.
func (c *completer) failLocal() {
	q := c.q
	if q.req.next == q.sq.head.Load() {
		c.failOldest(q.sq.at(q.req.next).status)
	}
}

// failOldest completes the oldest request with an error. It moves the queue pair to ERR or, for an unreliable service, only its send queue
// to SQE; IBA 10.3.1.
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
	wc := verbs.WC{WRID: w.wrID, Status: status, Opcode: completions[w.op], QPNum: q.num}
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
