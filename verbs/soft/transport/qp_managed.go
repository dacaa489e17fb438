package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// The functions in this file are for the connection manager, in addition to the verbs.

// SetOwner sets the connection manager's identifier that is notified when the queue pair is closed, and when its first
// packet arrives.
func (q *QP) SetOwner(owner object.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.owner = owner
}

// SharesRecvs reports whether RECVs come from a shared receive queue.
func (q *QP) SharesRecvs() bool { return q.rq.shared != nil }

// Probe asks the peer's queue pair for a sign of life: it sends an empty SEND with the PSN before the oldest
// unacknowledged one. The responder takes it for a duplicate, changes nothing and acknowledges it; IBA 9.7.5.1.2. Probe
// returns false if this queue pair cannot have a peer.
func (q *QP) Probe() bool {
	q.mu.Lock()
	alive := !q.closed && q.typ == verbs.RC && (q.state == verbs.QPRTS || q.state == verbs.QPSQD)
	path := q.path
	h := q.bth()
	h.Opcode, h.PSN, h.AckReq = wire.RCSendOnly, q.comp.una.Add(-1), true
	q.known = nil // the peer's next packet sets it again
	q.mu.Unlock()
	if alive {
		q.eng.postMAD(mad{path: path, probe: &h})
	}
	return alive
}

// Answers reports whether a packet of the peer has arrived since the probe.
func (q *QP) Answers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known != nil
}
