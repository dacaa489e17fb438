package soft

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// answered takes a response; IBA 9.7.5.
func (q *qp) answered(e *engine, info wire.OpcodeInfo) {
	if q.state < verbs.QPRTS || q.typ != verbs.RC {
		return
	}
	h := &e.in
	r := &q.req
	if h.BTH.PSN.Sub(r.una) < -1 || h.BTH.PSN.Sub(r.top) >= 0 {
		return // of requests that were never sent, or are long done
	}
	switch info.Operation {
	case wire.OpReadResponse:
		q.readResponse(e, info)
	case wire.OpAtomicAcknowledge:
		q.atomicResponse(e)
	case wire.OpAcknowledge:
		q.acknowledgement(e)
	}
}

func (q *qp) acknowledgement(e *engine) {
	h := &e.in
	psn := h.BTH.PSN
	switch s := h.AETH.Syndrome; s.Kind() {
	case wire.SyndromeACK:
		if missing := q.acknowledge(e, psn); missing {
			q.askAgain(e)
		}
	case wire.SyndromeRNR:
		if !q.acknowledge(e, psn.Add(-1)) && psn == q.req.una {
			q.notReady(e, s.RNRTimer())
		}
	case wire.SyndromeNAK:
		if q.acknowledge(e, psn.Add(-1)) {
			q.askAgain(e)
		} else if psn == q.req.una {
			q.refused(e, s.NAKCode())
		}
	}
}

// nakStatuses is how a request ends that the peer refuses.
var nakStatuses = map[wire.NAKCode]verbs.WCStatus{
	wire.NAKInvalidRequest:    verbs.WCRemInvReqErr,
	wire.NAKRemoteAccess:      verbs.WCRemAccessErr,
	wire.NAKRemoteOperational: verbs.WCRemOpErr,
}

// refused handles a NAK of the oldest packet.
func (q *qp) refused(e *engine, code wire.NAKCode) {
	if code == wire.NAKPSNSequence {
		e.adapter.counts.sequenceNAKs.Add(1)
		q.askAgain(e) // it is said once: another is a copy
		return
	}
	if status, ok := nakStatuses[code]; ok && q.outstanding() {
		q.failOldest(status)
	}
}

// outstanding reports whether anything waits for an acknowledgement.
func (q *qp) outstanding() bool { return q.sq.head.Load() != q.req.started }

// acknowledge completes what the peer has up to and with psn. It returns true where a READ or an atomic stands in the way, whose answer
// must be lost since the peer answers in order.
func (q *qp) acknowledge(e *engine, psn wire.PSN) (missing bool) {
	r := &q.req
	if psn.Sub(r.una) < 0 {
		return false
	}
	for head := q.sq.head.Load(); head != r.started; head++ {
		w := q.sq.at(head)
		if w.fetches() && psn.Sub(w.first) >= 0 {
			q.progress(e, later(r.una, w.first))
			return true
		}
		if w.last.Sub(psn) > 0 || w.status != verbs.WCSuccess || isLocal(w.op) && !w.done {
			break
		}
		q.succeed(w)
	}
	q.progress(e, psn.Add(1))
	return false
}

// progress moves una forward, and with it all retry counters back to the start.
func (q *qp) progress(e *engine, una wire.PSN) {
	r := &q.req
	if una.Sub(r.una) <= 0 {
		return
	}
	r.grow(una.Sub(r.una))
	r.una = una
	r.retries, r.rnrTries, r.asked, r.again = 0, 0, false, 0
	if q.clock.stop(); una != r.top {
		q.clock.restart(e.clock())
	}
	if una.Sub(r.psn) > 0 {
		q.goBack(una) // what was to be sent again has arrived after all
	}
}

// completions maps what is posted to how its completion names it.
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

// succeed completes the oldest request. Its slot is free before the completion can be seen, so that whoever sees it may post again.
func (q *qp) succeed(w *sendWQE) {
	signalled := q.sigAll || w.flags&verbs.SendSignaled != 0
	wc := verbs.WC{WRID: w.wrID, Opcode: completions[w.op], QPNum: q.num}
	if w.brings() {
		wc.ByteLen = w.length
	}
	if wc.Opcode == verbs.WCSend {
		q.dev.adapter.counts.sends.Add(1)
	}
	q.popSend()
	if signalled {
		q.complete(q.sendCQ, &wc, false)
	}
}

// popSend takes the oldest request out of the ring.
func (q *qp) popSend() {
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
	r.into = mem.Cursor{}
}

// readResponse takes one packet of a READ's data, or the answer to a FLUSH or ATOMIC_WRITE, which has none.
func (q *qp) readResponse(e *engine, info wire.OpcodeInfo) {
	h := &e.in
	r := &q.req
	psn := h.BTH.PSN
	w := q.awaited(e, wire.OpReadResponse)
	if w == nil {
		return
	}
	off := uint32(psn.Sub(w.first) * q.mtu)
	var n uint32
	if w.brings() {
		n = min(uint32(q.mtu), w.length-off)
	}
	if uint32(len(h.Payload)) != n || !endsRight(info.Position, psn, w) {
		q.failOldest(verbs.WCBadRespErr)
		return
	}
	if !q.mem.Scatter(h.Payload, w.list, &r.into) {
		q.failOldest(verbs.WCLocProtErr)
		return
	}
	if psn == w.last {
		q.succeed(w)
		q.settle()
	}
	q.progress(e, psn.Add(1))
}

// endsRight reports whether an answer ends with the READ, and where that was asked for in parts also before.
func endsRight(at wire.Position, psn wire.PSN, w *sendWQE) bool {
	ends := at&wire.Ends != 0
	return ends == (psn == w.last) || ends && w.split
}

// answer is how a request that fetches is answered.
func (w *sendWQE) answer() wire.Operation {
	if isAtomic(w.op) {
		return wire.OpAtomicAcknowledge
	}
	return wire.OpReadResponse
}

// awaited returns the request that the response at hand answers, nil where it is not its turn: then it is late, or one before it
// was lost. A response of the wrong kind ends the oldest request.
func (q *qp) awaited(e *engine, kind wire.Operation) *sendWQE {
	r := &q.req
	h := &e.in
	psn := h.BTH.PSN
	w := q.requestOf(psn)
	if w == nil || psn.Sub(r.una) < 0 {
		return nil
	}
	fits := w.fetches() && w.answer() == kind
	if fits && (q.acknowledge(e, w.first.Add(-1)) || psn != r.una) {
		q.askAgain(e)
		return nil
	}
	if psn != r.una {
		return nil
	}
	if !fits || h.Headers.Has(wire.HasAETH) && h.AETH.Syndrome.Kind() != wire.SyndromeACK {
		q.failOldest(verbs.WCBadRespErr)
		return nil
	}
	return w
}

// requestOf returns the request that has the given PSN, nil where there is none.
func (q *qp) requestOf(psn wire.PSN) *sendWQE {
	for i := q.sq.head.Load(); i != q.req.started; i++ {
		if w := q.sq.at(i); psn.Sub(w.last) <= 0 {
			return w
		}
	}
	return nil
}

// askAgain repeats the oldest request since it, or its answer, was lost. What is still under way from before tells the same, and is let
// pass.
func (q *qp) askAgain(e *engine) {
	if !q.req.asked {
		q.req.asked = true
		q.retry(e)
	}
}

// retry sends again from the oldest packet, or gives up.
func (q *qp) retry(e *engine) {
	if !q.outstanding() {
		return
	}
	if q.req.retries >= q.attr.RetryCnt {
		e.adapter.counts.retriesUsed.Add(1)
		q.failOldest(verbs.WCRetryExcErr)
		return
	}
	q.req.retries++
	e.adapter.counts.retries.Add(1)
	q.req.shrink()
	q.req.again = q.req.copies()
	q.goBack(q.req.una)
	q.clock.restart(e.clock())
}

// notReady handles an RNR NAK of the oldest packet: it is sent again after the time that the peer asks for.
func (q *qp) notReady(e *engine, wait wire.RNRTimer) {
	if !q.outstanding() || q.rnr.waiting {
		return
	}
	e.adapter.counts.rnrReceived.Add(1)
	if limit := q.attr.RNRRetry; limit != verbs.InfiniteRNRRetry {
		if q.req.rnrTries >= limit {
			e.adapter.counts.rnrRetriesUsed.Add(1)
			q.failOldest(verbs.WCRNRRetryExcErr)
			return
		}
		q.req.rnrTries++
	}
	q.req.retries, q.req.again, q.req.asked = 0, 0, false // the peer is there
	q.goBack(q.req.una)
	q.clock.stop()
	q.rnr.start(wait.Duration())
}
