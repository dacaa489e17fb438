package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// What the connection manager uses of queue pairs, besides the verbs.

// SetOwner has an identifier of the connection manager's told when the queue pair is closed, and when its first packet comes.
func (q *QP) SetOwner(owner object.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.owner = owner
}

// SharesRecvs reports whether the RECVs come from a shared queue.
func (q *QP) SharesRecvs() bool { return q.rq.shared != nil }

// Probe asks the peer's queue pair for a sign of life: an empty SEND with the PSN before the oldest that is not acknowledged. The responder
// takes it for a copy of one that it has had, changes nothing and acknowledges it; IBA 9.7.5.1.2. It returns false where this queue pair
// cannot have a peer.
func (q *QP) Probe() bool {
	q.mu.Lock()
	alive := !q.closed && q.typ == verbs.RC && (q.state == verbs.QPRTS || q.state == verbs.QPSQD)
	path := q.path
	h := q.bth()
	h.Opcode, h.PSN, h.AckReq = wire.RCSendOnly, q.comp.una.Add(-1), true
	q.known = nil // the next packet of the peer's sets it
	q.mu.Unlock()
	if alive {
		q.eng.postMAD(mad{path: path, probe: &h})
	}
	return alive
}

// Answers reports whether a packet of the peer's has come since the probe.
func (q *QP) Answers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known != nil
}
