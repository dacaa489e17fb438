package soft

import (
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// A request from a queue pair that has a connection here says that its host has restarted, and that the connection is dead. Anybody can
// write such a request: the GUID can be guessed, and the address forged. So the peer's queue pair is asked before the connection is ended.

// A peer is given staleProbes times probeTime to answer.
const (
	staleProbes = 4
	probeTime   = 250 * time.Millisecond
)

// doubt finds out whether the peer is still there, and hangs up if it is not.
func (c *conn) doubt() {
	if c.doubted == 0 {
		c.doubted = 1 + staleProbes
		c.probe()
	}
}

// probe sends the next probe, or hangs up when none was answered.
func (c *conn) probe() {
	q := c.adapter.qps.find(c.localQPN)
	if c.doubted == 1 || q == nil || !q.probe() {
		c.hangUp()
		return
	}
	c.doubted--
	c.after(probeTime, func() {
		if q.answers() {
			c.adapter.counts.doubtsDispelled.Add(1)
			c.doubted = 0
			return
		}
		c.probe()
	})
}

// probe asks the peer's queue pair for a sign of life: an empty SEND with the PSN before the oldest that is not acknowledged. The responder
// takes it for a copy of one that it has had, changes nothing and acknowledges it; IBA 9.7.5.1.2. It returns false where this queue pair
// cannot have a peer.
func (q *qp) probe() bool {
	q.mu.Lock()
	alive := !q.closed && q.typ == verbs.RC && (q.state == verbs.QPRTS || q.state == verbs.QPSQD)
	path := q.path
	h := q.bth()
	h.Opcode, h.PSN, h.AckReq = wire.RCSendOnly, q.req.una.Add(-1), true
	q.known = nil // the next packet of the peer's sets it
	q.mu.Unlock()
	if alive {
		q.dev.adapter.postMAD(mad{path: path, probe: &h})
	}
	return alive
}

// answers reports whether a packet of the peer's has come since the probe.
func (q *qp) answers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.known != nil
}
