package soft

import (
	"encoding/binary"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// atomicLen is the operand of an atomic, in bytes; its address is a multiple of it. IBA 9.4.5.
const atomicLen = 8

func isAtomic(op verbs.WROpcode) bool {
	return op == verbs.WRAtomicCmpAndSwp || op == verbs.WRAtomicFetchAndAdd
}

// sendAtomic sends a compare-and-swap or fetch-and-add.
func (q *qp) sendAtomic(e *engine, w *sendWQE) {
	h := &e.out
	h.AtomicETH = wire.AtomicETH{VA: w.remote, RKey: w.rkey, SwapAdd: w.compareAdd}
	op := wire.RCFetchAdd
	if w.op == verbs.WRAtomicCmpAndSwp {
		op = wire.RCCompareSwap
		h.AtomicETH.SwapAdd, h.AtomicETH.Compare = w.swap, w.compareAdd
	}
	q.sendWhole(e, w, op, nil, w.last.Add(1))
}

// atomicResponse places the value that an atomic found, in host order.
func (q *qp) atomicResponse(e *engine) {
	w := q.awaited(e, wire.OpAtomicAcknowledge)
	if w == nil {
		return
	}
	var word [atomicLen]byte
	binary.NativeEndian.PutUint64(word[:], e.in.AtomicAckETH.Orig)
	var c sgCursor
	if !q.regions().scatter(word[:], w.list, &c, q.pd) {
		q.failOldest(verbs.WCLocProtErr)
		return
	}
	behind := w.last.Add(1)
	q.succeed(w)
	q.settle()
	q.progress(e, behind)
}

// atomicSaved is the outcome of an atomic, for the case that its answer is lost: it must not be executed again. IBA 9.4.5.
type atomicSaved struct {
	psn  wire.PSN
	op   wire.Operation
	orig uint64
}

// receiveAtomic executes an atomic with the expected PSN.
func (q *qp) receiveAtomic(e *engine, info wire.OpcodeInfo) {
	r := &q.resp
	h := &e.in.AtomicETH
	if q.attr.QPAccessFlags&verbs.RemoteAtomic == 0 || h.VA%atomicLen != 0 || !q.mayFetch() {
		q.refuse(e, wire.NAKInvalidRequest)
		return
	}
	orig, ok := q.atomicOn(info.Operation, h)
	if !ok {
		q.refuse(e, wire.NAKRemoteAccess)
		return
	}
	q.save(atomicSaved{e.in.BTH.PSN, info.Operation, orig})
	r.takeUp(atomicJob(e.in.BTH.PSN, orig))
}

func atomicJob(psn wire.PSN, orig uint64) fetchJob {
	return fetchJob{psn: psn, last: psn, atomic: true, orig: orig}
}

// save keeps an outcome: as many as the peer may have outstanding.
func (q *qp) save(a atomicSaved) {
	r := &q.resp
	if over := len(r.saved) + 1 - int(q.attr.MaxDestRDAtomic); over > 0 {
		r.saved = append(r.saved[:0], r.saved[over:]...)
	}
	r.saved = append(r.saved, a)
}

// repeatedAtomic answers a duplicate by what the atomic found when it was executed. One that is not remembered any more was answered, and
// its answer used, long ago: the peer may have no more outstanding than are kept.
func (q *qp) repeatedAtomic(e *engine, info wire.OpcodeInfo) {
	for _, a := range q.resp.saved {
		if a.psn == e.in.BTH.PSN && a.op == info.Operation && len(e.in.Payload) == 0 {
			q.answerAgain(atomicJob(a.psn, a.orig))
			return
		}
	}
}

// atomic executes an atomic on the 8 bytes at an address of the region; ok is false where they are not all there. All access to a region goes through
// its lock, so that nothing of the device comes in between.
func (r *registration) atomic(op wire.Operation, h *wire.AtomicETH, addr uint64) (orig uint64, ok bool) {
	if !r.holds(addr, atomicLen) {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes == nil {
		return 0, false
	}
	word := r.bytes[addr-r.addr:][:atomicLen]
	err := r.mapping.Reach(true, func() {
		orig = binary.NativeEndian.Uint64(word)
		switch {
		case op == wire.OpFetchAdd:
			binary.NativeEndian.PutUint64(word, orig+h.SwapAdd)
		case orig == h.Compare:
			binary.NativeEndian.PutUint64(word, h.SwapAdd)
		}
	})
	return orig, err == nil
}
