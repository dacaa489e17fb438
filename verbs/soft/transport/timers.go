package transport

import (
	"sync/atomic"
	"time"

	"rdmatui/verbs"
)

// ackTimer is the transport timer; IBA 9.7.6.1.3. It is not restarted for each packet: progress moves the deadline, and a timer that fires
// early is restarted for the rest.
type ackTimer struct {
	timer    *time.Timer
	fired    atomic.Bool
	set      bool
	period   time.Duration // 0: infinite
	deadline time.Duration // on the engine's clock; 0: nothing is outstanding
}

func (t *ackTimer) restart(now time.Duration) { t.deadline = now + t.period }

func (t *ackTimer) stop() { t.deadline = 0 }

// ackStretch is the maximum number of periods before a timeout; IBA 9.7.6.1.3. The timeout takes more than one period while received
// packets wait to be processed, because the acknowledgement may be among them: sending again would only add load to a busy link.
const ackStretch = 4

// rnrTimer is the wait after an RNR NAK.
type rnrTimer struct {
	timer   *time.Timer
	fired   atomic.Bool
	waiting bool
}

func (t *rnrTimer) start(d time.Duration) {
	t.waiting = true
	t.fired.Store(false)
	t.timer.Reset(d)
}

// initTimers creates the timers, stopped. They only ring the doorbell: the engine does the work.
func (c *completer) initTimers() {
	q := c.q
	stopped := func(fired *atomic.Bool) *time.Timer {
		t := time.AfterFunc(time.Hour, func() {
			defer q.eng.adapter.Crashed.Catch()
			fired.Store(true)
			q.eng.ring(q)
		})
		t.Stop()
		return t
	}
	c.clock.timer = stopped(&c.clock.fired)
	c.rnr.timer = stopped(&c.rnr.fired)
}

func (c *completer) stopTimers() {
	c.clock.timer.Stop()
	c.clock.fired.Store(false)
	c.clock.set = false
	c.clock.stop()
	c.rnr.timer.Stop()
	c.rnr.fired.Store(false)
	c.rnr.waiting = false
}

// checkTimers handles the timers that have fired since the last round.
func (c *completer) checkTimers(e *Engine) {
	q := c.q
	if c.rnr.fired.Swap(false) {
		c.rnr.waiting = false
	}
	if !c.clock.fired.Swap(false) {
		return
	}
	c.clock.set = false
	if c.clock.deadline == 0 || e.clock() < c.clock.deadline || q.state < verbs.QPRTS || q.state == verbs.QPErr {
		return
	}
	if e.took == rxBatch && e.clock()-c.clock.deadline < (ackStretch-1)*c.clock.period {
		c.clock.fired.Store(true)
		e.list(q)
		return
	}
	e.adapter.Counts.Timeouts.Add(1)
	c.tries.met(e, &c.tries.Timeouts)
	c.asked = false
	c.retry(e)
}

// runTimer starts the timer if requests are outstanding and stops it otherwise.
func (c *completer) runTimer(e *Engine) {
	t := &c.clock
	if t.period == 0 || c.rnr.waiting || c.una == c.q.req.top {
		t.stop()
		return
	}
	if t.deadline == 0 {
		t.restart(e.clock())
	}
	if !t.set {
		t.set = true
		t.timer.Reset(t.deadline - e.clock())
	}
}
