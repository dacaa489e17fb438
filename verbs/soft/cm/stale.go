package cm

import "time"

// A request from a queue pair that has a connection here says that its host has restarted, and that the connection is dead. Anybody can
// write such a request: the GUID can be guessed, and the address forged. So the peer's queue pair is asked before the connection is ended.

// A peer is given staleProbes times probeTime to answer.
const (
	StaleProbes = 4
	ProbeTime   = 250 * time.Millisecond
)

// doubt finds out whether the peer is still there, and hangs up if it is not.
func (c *conn) doubt() {
	if c.doubted == 0 {
		c.doubted = 1 + StaleProbes
		c.probe()
	}
}

// probe sends the next probe, or hangs up when none was answered.
func (c *conn) probe() {
	q := c.device.FindQP(c.localQPN)
	if c.doubted == 1 || q == nil || !q.Probe() {
		c.hangUp()
		return
	}
	c.doubted--
	c.after(ProbeTime, func() {
		if q.Answers() {
			c.device.Counters().DoubtsDispelled.Add(1)
			c.doubted = 0
			return
		}
		c.probe()
	})
}
