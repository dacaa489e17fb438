package transport

import (
	"encoding/binary"

	"rdmatui/verbs"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// sendAtomic sends a compare-and-swap or fetch-and-add.
func (r *requester) sendAtomic(e *Engine, w *sendWQE) {
	h := &e.out
	h.AtomicETH = wire.AtomicETH{VA: w.remote, RKey: w.rkey, SwapAdd: w.compareAdd}
	if w.op.Traits().Swap {
		h.AtomicETH.SwapAdd, h.AtomicETH.Compare = w.swap, w.compareAdd
	}
	r.sendWhole(e, w, nil, w.last.Add(1))
}

// atomicResponse stores the value that an atomic returned, in host order.
func (c *completer) atomicResponse(e *Engine) {
	w := c.awaited(e, wire.OpAtomicAcknowledge)
	if w == nil {
		return
	}
	var word [verbs.AtomicLen]byte
	binary.NativeEndian.PutUint64(word[:], e.in.AtomicAckETH.Orig)
	var at mem.Cursor
	if !c.q.mem.Scatter(word[:], w.list, &at) {
		c.failOldest(verbs.WCLocProtErr)
		return
	}
	behind := w.last.Add(1)
	c.q.placed()
	c.succeed(w)
	c.settle()
	c.progress(e, behind)
}

// receiveAtomic executes an atomic with the expected PSN.
func (r *responder) receiveAtomic(e *Engine, info wire.OpcodeInfo) {
	h := &e.in.AtomicETH
	if r.q.attr.QPAccessFlags&verbs.RemoteAtomic == 0 || h.VA%verbs.AtomicLen != 0 || !r.mayFetch() {
		r.refuse(e, wire.NAKInvalidRequest)
		return
	}
	op := mem.Atomic{Value: h.SwapAdd, Expected: h.Compare, Compare: info.Operation == wire.OpCompareSwap}
	orig, ok := r.q.mem.Atomic(op, h.RKey, h.VA)
	if !ok {
		r.refuse(e, wire.NAKRemoteAccess)
		return
	}
	r.save(atomicSaved{e.in.BTH.PSN, info.Operation, orig})
	r.takeUp(atomicJob(e.in.BTH.PSN, orig))
}

func atomicJob(psn wire.PSN, orig uint64) fetchJob {
	return fetchJob{psn: psn, last: psn, atomic: true, orig: orig}
}

// save keeps a result, and at most as many as the peer may have outstanding.
func (r *responder) save(a atomicSaved) {
	r.saved = ring.Newest(append(r.saved, a), int(r.q.attr.MaxDestRDAtomic))
}

// repeatedAtomic answers a duplicate with the saved result. If the result is no longer saved, the peer received it long
// ago: it may have no more atomics outstanding than results are kept.
func (r *responder) repeatedAtomic(e *Engine, info wire.OpcodeInfo) {
	for _, a := range r.saved {
		if a.psn == e.in.BTH.PSN && a.op == info.Operation && len(e.in.Payload) == 0 {
			r.answerAgain(atomicJob(a.psn, a.orig))
			return
		}
	}
}
