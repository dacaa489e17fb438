package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// sendPlacement sends a FLUSH or an ATOMIC_WRITE.
func (r *requester) sendPlacement(e *Engine, w *sendWQE) {
	h := &e.out
	h.RETH = wire.RETH{VA: w.remote, RKey: w.rkey, DMALen: w.length}
	h.FETH = wire.FETH{Level: wire.FlushLevel(w.flush.Level), Type: wire.FlushType(w.flush.Type)}
	r.sendWhole(e, w, w.inline, w.last.Add(1))
}

// receiveAtomicWrite executes an ATOMIC_WRITE with the expected PSN: it writes the 8 bytes before any data that the
// peer sends later.
func (r *responder) receiveAtomicWrite(e *Engine) {
	h, data := &e.in.RETH, e.in.Payload
	switch {
	case r.q.attr.QPAccessFlags&verbs.RemoteWrite == 0, h.VA%verbs.AtomicLen != 0, h.DMALen != verbs.AtomicLen,
		len(data) != verbs.AtomicLen, !r.mayFetch():
		r.refuse(e, wire.NAKInvalidRequest)
	case !r.q.mem.WriteWord(h.RKey, h.VA, data):
		r.refuse(e, wire.NAKRemoteAccess)
	default:
		r.takeUp(placementJob(&e.in, wire.OpAtomicWrite))
	}
}

// placementJob returns the response to a FLUSH or an ATOMIC_WRITE.
func placementJob(h *wire.Packet, op wire.Operation) fetchJob {
	return fetchJob{psn: h.BTH.PSN, last: h.BTH.PSN, flush: op == wire.OpFlush}
}

// receiveFlush processes a FLUSH with the expected PSN. The peer's earlier data is already in memory and visible to
// everybody, so the only work is to check the peer's right and to respond in turn.
func (r *responder) receiveFlush(e *Engine) {
	h := &e.in
	need := verbs.FlushType(h.FETH.Type).Access()
	switch {
	case need&^r.q.attr.QPAccessFlags != 0, h.FETH.Level > wire.FlushRegion, !r.mayFlush():
		r.refuse(e, wire.NAKInvalidRequest)
	case !r.opensFlush(h, need):
		r.refuse(e, wire.NAKRemoteAccess)
	default:
		r.takeUp(placementJob(h, wire.OpFlush))
	}
}

// opensFlush reports whether the key of a FLUSH grants it, even for no bytes. For a whole region, address and length
// are ignored.
func (r *responder) opensFlush(h *wire.Packet, need verbs.Access) bool {
	if h.FETH.Level == wire.FlushRegion {
		return r.q.mem.GrantsRegion(h.RETH.RKey, need)
	}
	return r.q.mem.Grants(h.RETH.RKey, need, h.RETH.VA, uint64(h.RETH.DMALen))
}
