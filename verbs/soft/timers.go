package soft

import (
	"sync/atomic"
	"time"

	"rdmatui/verbs"
)

// ackTimer is the transport timer; IBA 9.7.6.1.3. It is not set anew for each packet: progress moves the deadline, and when the timer
// fires early it is set for the rest.
type ackTimer struct {
	timer    *time.Timer
	fired    atomic.Bool
	set      bool
	period   time.Duration // 0: wait for ever
	deadline time.Duration // on the engine's clock; 0: nothing is outstanding
}

func (t *ackTimer) restart(now time.Duration) { t.deadline = now + t.period }

func (t *ackTimer) stop() { t.deadline = 0 }

// ackStretch is how many periods the clock may take at most; IBA 9.7.6.1.3. It takes more than one where packets are still to be read, since
// what it waits for may be among them: to send again then would only make a busy link busier.
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

// initTimers makes the timers, stopped. They only ring the doorbell: the engine does the work.
func (q *qp) initTimers() {
	stopped := func(fired *atomic.Bool) *time.Timer {
		t := time.AfterFunc(time.Hour, func() {
			defer q.eng.adapter.crashed.Catch()
			fired.Store(true)
			q.eng.ring(q)
		})
		t.Stop()
		return t
	}
	q.clock.timer = stopped(&q.clock.fired)
	q.rnr.timer = stopped(&q.rnr.fired)
}

func (q *qp) stopTimers() {
	q.clock.timer.Stop()
	q.clock.fired.Store(false)
	q.clock.set = false
	q.clock.stop()
	q.rnr.timer.Stop()
	q.rnr.fired.Store(false)
	q.rnr.waiting = false
}

// checkTimers acts on what has fired since the last round.
func (q *qp) checkTimers(e *engine) {
	if q.rnr.fired.Swap(false) {
		q.rnr.waiting = false
	}
	if !q.clock.fired.Swap(false) {
		return
	}
	q.clock.set = false
	if q.clock.deadline == 0 || e.clock() < q.clock.deadline || q.state < verbs.QPRTS || q.state == verbs.QPErr {
		return
	}
	if e.took == rxBatch && e.clock()-q.clock.deadline < (ackStretch-1)*q.clock.period {
		q.clock.fired.Store(true)
		e.list(q)
		return
	}
	e.adapter.counts.timeouts.Add(1)
	q.req.asked = false
	q.retry(e)
}

// runTimer starts the clock where something is outstanding and stops it where nothing is.
func (q *qp) runTimer(e *engine) {
	c := &q.clock
	if c.period == 0 || q.rnr.waiting || q.req.una == q.req.top {
		c.stop()
		return
	}
	if c.deadline == 0 {
		c.restart(e.clock())
	}
	if !c.set {
		c.set = true
		c.timer.Reset(c.deadline - e.clock())
	}
}
