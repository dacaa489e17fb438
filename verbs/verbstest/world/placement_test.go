package world

import (
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// placementOps are the operations that a queue pair supports only if it was created for them.
var placementOps = []verbs.WROpcode{verbs.WRFlush, verbs.WRAtomicWrite}

// drawPlacement decides whether there are FLUSHes and ATOMIC_WRITEs. It uses the seed itself, not a random draw, so
// that the other seeds replay unchanged.
func drawPlacement(seed uint64) bool { return seed%3 == 0 }

// placementSpec adds these operations to a queue pair's spec.
func (w *world) placementSpec(spec *verbs.QPSpec) {
	if w.plan.placement && spec.QPType == verbs.RC {
		spec.SendOps = verbs.WRFlush.SendOp() | verbs.WRAtomicWrite.SendOp()
	}
}

// sendOps are the operations that a queue pair may send.
func (e *end) sendOps() []verbs.WROpcode {
	if e.typ == verbs.RC && e.w.plan.placement {
		return append(placementOps, sendOps[e.typ]...)
	}
	return sendOps[e.typ]
}

// atomicWrite makes an ATOMIC_WRITE: a WRITE of an aligned word, whose bytes are copied when it is posted.
func (e *end) atomicWrite(r *request, wr *verbs.SendWR) bool {
	w, far, src := e.w, e.peer.dom.target, e.dom.source
	if r.farSlot = far.take(); r.farSlot < 0 {
		return false
	}
	p := far.whole(r.farSlot)
	r.far = piece{far, p.off + 8*w.Rng.IntN(p.n/8), 8}
	r.local = room{{src, w.Rng.IntN(len(src.model) - 8 + 1), 8}}
	r.data = r.local.model()
	wr.RemoteAddr, wr.RKey = far.addr+uint64(r.far.off), far.key
	switch {
	case e.reads == 0:
		r.forbid("the queue pair may have no ATOMIC_WRITE open")
	case e.peer.stingy:
		r.forbid("the peer answers no ATOMIC_WRITE")
	case e.peer.access&verbs.RemoteWrite == 0:
		r.forbid("the queue pair does not allow WRITEs")
	case far.access&verbs.RemoteWrite == 0:
		r.forbid("the region does not allow WRITEs")
	}
	return true
}

// flush makes a FLUSH of all or part of the region that WRITEs go to.
func (e *end) flush(r *request, wr *verbs.SendWR) bool {
	w, far := e.w, e.peer.dom.target
	n := w.Rng.IntN(len(far.model) + 1)
	r.far = piece{far, w.Rng.IntN(len(far.model) - n + 1), n}
	wr.RemoteAddr, wr.RKey = far.addr+uint64(r.far.off), far.key
	wr.Flush = verbs.FlushWR{
		Length: uint32(n), Type: verbs.FlushToAll,
		Level: sim.Pick(w.Rng, verbs.FlushRange, verbs.FlushRange, verbs.FlushMR),
	}
	switch {
	case e.reads == 0:
		r.forbid("the queue pair may have no FLUSH open")
	case e.peer.stingy:
		r.forbid("the peer answers no FLUSH")
	case e.peer.access&verbs.FlushGlobal == 0:
		r.forbid("the queue pair does not allow FLUSHes")
	case far.access&verbs.FlushGlobal == 0:
		r.forbid("the region does not allow FLUSHes")
	}
	return true
}
