package transport

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// settle waits until a round that served all rung queue pairs is complete.
func (e *Engine) settle() {
	for rung := true; rung; runtime.Gosched() {
		e.turn.Lock()
		rung = e.isRung()
		e.turn.Unlock()
	}
}

// poll runs a round, if possible, for a program that wants a completion. A caller that then finds none calls
// flushDelayed.
func (e *Engine) poll() bool { return e.assist(e.pollRound) }

// flushDelayed sends the delayed acknowledgements.
func (e *Engine) flushDelayed() {
	if e.delayedACKs.Load() && !e.assist(e.sendRound) {
		e.Wake()
	}
}

// busyPollTime is how long a waiting program sleeps at the socket before it leaves the socket to the engine.
const busyPollTime = 10 * time.Millisecond

// busyPoll moves the engine's packets in the caller's goroutine, which must hold no lock, until found returns true. It
// returns false if the caller must wait in another way: another program polls, the engine is awake, or nothing has
// arrived for a while.
func (e *Engine) busyPoll(ctx context.Context, bell *atomic.Pointer[link.Sleeper], found func() bool) bool {
	r := &e.rest
	if r.sleeper == nil || !r.pollers.TryLock() {
		return false
	}
	defer r.pollers.Unlock()
	r.served.Add(1)
	r.busyPolled.Store(true)
	defer r.busyPolled.Store(false)
	for came := false; ; {
		if came && !e.poll() {
			return false
		}
		bell.Store(r.sleeper) // other goroutines may also produce what found waits for
		done := found()
		if !done {
			e.flushDelayed()
		}
		if came = false; !done && ctx.Err() == nil {
			came, _ = r.sleeper.Sleep(busyPollTime)
		}
		bell.Store(nil)
		if done || !came {
			return done || found()
		}
	}
}

// Poll returns waiting completions, after processing the packets that have arrived.
func (q *CQ) Poll(wcs []verbs.WC) (int, error) {
	if q.settle {
		q.eng.settle()
	}
	n, err := q.take(wcs)
	if n == 0 && err == nil && !q.armed() && q.eng.poll() { // a program that armed the queue is about to wait
		if n, err = q.take(wcs); n == 0 {
			q.eng.flushDelayed()
		}
	}
	if n > 0 || err != nil {
		q.misses.Store(0)
	} else if q.misses.Add(1)%patience == 0 {
		runtime.Gosched()
	}
	return n, err
}

// patience is how often a program may poll without a result before it yields the processor: the engine, which may share
// it, must not starve.
const patience = 16

func (q *CQ) take(wcs []verbs.WC) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dead {
		return 0, verbs.NewOpError("ibv_poll_cq", q.name(), verbs.ErrClosed)
	}
	n := min(len(wcs), q.count)
	k := copy(wcs[:n], q.ring[q.first:])
	copy(wcs[k:n], q.ring)
	q.first = (q.first + n) % len(q.ring)
	q.count -= n
	return n, nil
}

func (q *CQ) armed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.arm != disarmed
}

// GetCQEvent waits for an event of any of the channel's queues.
func (c *compChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	q, err := c.take(ctx)
	if err == verbs.ErrClosed {
		err = verbs.NewOpError("ibv_get_cq_event", "", err)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// take processes the device's packets in the caller's goroutine as long as they arrive in quick succession.
func (c *compChannel) take(ctx context.Context) (q *CQ, err error) {
	found := func() (ok bool) {
		q, ok = c.events.Poll()
		return ok
	}
	if found() || c.eng.busyPoll(ctx, &c.events.Sleeper, found) {
		return q, nil
	}
	return c.events.Get(ctx)
}
