package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// reset starts at the given PSN. The timers are stopped by stopTimers.
func (c *completer) reset(psn wire.PSN) {
	c.una, c.into, c.asked, c.retries, c.rnrTries = psn, mem.Cursor{}, false, 0, 0
	c.tries = tries{}
}

// answered processes a response; IBA 9.7.5.
func (c *completer) answered(e *Engine, info wire.OpcodeInfo) {
	h := &e.in
	if h.BTH.PSN.Sub(c.una) < -1 || h.BTH.PSN.Sub(c.q.req.top) >= 0 {
		return // of requests never sent, or completed long ago
	}
	if l := c.q.steps; l != nil {
		l.heard = e.read()
		c.take(e, info)
		l.heard = 0
		return
	}
	c.take(e, info)
}

// take processes a response to a request that was sent.
func (c *completer) take(e *Engine, info wire.OpcodeInfo) {
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
	if status, ok := nakStatuses[code]; ok {
		c.failOldest(status)
	}
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
		if w.brings() {
			q.placed()
		}
		c.succeed(w)
		c.settle()
	}
	c.progress(e, psn.Add(1))
}

// endsRight reports whether a response ends where its READ ends, or, if the READ was requested in parts, where a part
// ends.
func endsRight(at wire.Position, psn wire.PSN, w *sendWQE) bool {
	ends := at&wire.Ends != 0
	return ends == (psn == w.last) || ends && w.split
}

// acknowledge completes the requests up to and including psn. It returns true if it reaches a READ or an atomic whose
// response has not arrived: that response must be lost, because the peer responds in order.
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
		if w.last.Sub(psn) > 0 || w.status != verbs.WCSuccess || w.op.Traits().Local() && !w.done {
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
	c.retries, c.rnrTries, c.asked = 0, 0, false
	c.tries = tries{}
	if c.clock.stop(); una != r.top {
		c.clock.restart(e.clock())
	}
	if una.Sub(r.psn) > 0 {
		r.goBack(una) // packets to be sent again have arrived after all
	}
}

// awaited returns the request that the current response answers, nil if it is out of turn: then it is late, or an
// earlier one was lost. A response of the wrong kind fails the oldest request.
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
