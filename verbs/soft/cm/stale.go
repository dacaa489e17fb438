package cm

import "time"

// A request from a queue pair that already has a connection here implies that its host has restarted and the connection
// is dead. Anybody can forge such a request: the GUID can be guessed and the address spoofed. So the peer's queue pair
// is probed before the connection is ended.

// A peer gets staleProbes probes, each probeTime apart, to answer.
const (
	StaleProbes = 4
	ProbeTime   = 250 * time.Millisecond
)

// doubt starts to probe the peer, and disconnects if it does not answer.
func (c *conn) doubt() {
	if c.doubted == 0 {
		c.doubted = 1 + StaleProbes
		c.probe()
	}
}

// probe sends the next probe, or disconnects if none was answered.
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
