package transport

import (
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// ackTimer is the transport timer; IBA 9.7.6.1.3. It is not restarted for each packet: progress moves the deadline, and
// a timer that fires early is restarted for the rest.
type ackTimer struct {
	timer    *time.Timer
	fired    atomic.Bool
	set      bool
	period   time.Duration // 0: infinite
	deadline time.Duration // on the engine's clock; 0: nothing is outstanding
}

func (t *ackTimer) restart(now time.Duration) { t.deadline = now + t.period }

func (t *ackTimer) stop() { t.deadline = 0 }

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

// tries counts the attempts at the oldest request since the last progress.
type tries struct {
	verbs.Tries
	first time.Duration // time of the first event on the engine's clock
}

// met counts one event at the current time.
func (t *tries) met(e *Engine, count *uint64) {
	now := e.clock()
	if t.first == 0 {
		t.first = now
	}
	*count++
	t.Span = now - t.first
}

// resend sends the oldest request again because it, or its response, was lost. Further NAKs of the same loss may be
// under way and are ignored.
func (c *completer) resend(e *Engine) {
	if !c.asked {
		c.asked = true
		c.retry(e)
	}
}

// retry sends again from the oldest packet on, or gives up. A request is outstanding as long as una is before top.
func (c *completer) retry(e *Engine) {
	q := c.q
	if c.retries >= q.attr.RetryCnt {
		e.adapter.Counts.RetriesUsed.Add(1)
		c.failOldest(verbs.WCRetryExcErr)
		return
	}
	c.retries++
	e.adapter.Counts.Retries.Add(1)
	c.tries.met(e, &c.tries.Resends)
	q.req.shrink()
	q.req.goBack(c.una)
	c.clock.restart(e.clock())
}

// notReady handles an RNR NAK of the oldest packet: the packet is sent again after the delay that the peer asks for.
func (c *completer) notReady(e *Engine, wait wire.RNRTimer) {
	q := c.q
	if c.rnr.waiting {
		return
	}
	e.adapter.Counts.RNRReceived.Add(1)
	c.tries.met(e, &c.tries.RNRNAKs)
	if limit := q.attr.RNRRetry; limit != verbs.InfiniteRNRRetry {
		if c.rnrTries >= limit {
			e.adapter.Counts.RNRRetriesUsed.Add(1)
			c.failOldest(verbs.WCRNRRetryExcErr)
			return
		}
		c.rnrTries++
	}
	c.retries, c.asked = 0, false // the peer is alive
	q.req.goBack(c.una)
	c.clock.stop()
	c.rnr.start(wait.Duration())
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

// ackStretch is the maximum number of periods before a timeout; IBA 9.7.6.1.3. The timeout takes more than one period
// while received packets wait to be processed, because the acknowledgement may be among them: sending again would only
// add load to a busy link.
const ackStretch = 4

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
