package queue

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// A live poller sleeps while its queue is empty: briefly at first, since completions
// come in groups, and longer the longer the queue stays empty. A post wakes it. If
// the queue can wake its poller, polling stops after RestLast.
const (
	restFirst = 50 * time.Microsecond
	RestLast  = 10 * time.Millisecond
	restIdle  = 33 * time.Millisecond // one frame of the screen
	// patience is the number of empty polls after which a queue is idle: about a
	// second.
	patience = 100
)

// maxMeasured bounds the pollers with a thread of their own, whose CPU time can be
// measured; a device has room for thousands of queues.
const maxMeasured = 32

// tellEvery is how often statistics are published when no completion does it.
const tellEvery = time.Second

// startPolling starts the live poller of a queue, also again after it has failed.
func startPolling(s *core.Session, q *CQ) {
	q.poller.Start(s.Ctx, s.Opts.Crashed, func(ctx context.Context) { pollLoop(ctx, s, q) })
}

// stopPolling stops the live poller and waits until it has ended.
func (q *CQ) stopPolling() { q.poller.Stop() }

// taker takes a queue's completions in its current mode, on its own thread if there
// are few enough.
type taker struct {
	s         *core.Session
	q         *CQ
	mode      core.CQMode
	solicited bool
	ackEvery  int
	unacked   int // events not yet acknowledged

	measured bool
	cpu      time.Duration // of the thread, when last read
	told     time.Time
	polls    uint64
}

func pollLoop(ctx context.Context, s *core.Session, q *CQ) {
	t := &taker{s: s, q: q, told: time.Now()}
	t.mode, t.solicited, t.ackEvery = q.taking.way()
	defer t.begin()()
	var err error
	switch t.mode {
	case core.Busy:
		err = t.spin(ctx)
	case core.Blocking, core.Nonblocking:
		err = t.await(ctx)
	default:
		err = t.rest(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.Note(timeline.LevelError, "polling of %s ended: %v", q.Name, err)
	}
}

// measuredReaders counts live readers; the first maxMeasured have their own threads.
type measuredReaders struct{ n atomic.Int32 }

// begin reserves a thread if one is left; the returned function releases it.
func (t *taker) begin() (end func()) {
	t.measured = core.Part[measuredReaders](t.s, nil).n.Add(1) <= maxMeasured
	if t.measured {
		runtime.LockOSThread()
		t.cpu, t.measured = threadTime()
	}
	taking := &t.q.taking
	taking.mu.Lock()
	taking.looked = time.Now()
	taking.mu.Unlock()
	return func() {
		t.look()
		taking.mu.Lock()
		taking.looked = time.Time{}
		taking.mu.Unlock()
		runtime.UnlockOSThread() // a no-op if the thread was not locked
		core.Part[measuredReaders](t.s, nil).n.Add(-1)
	}
}

// look counts the time since the last look.
func (t *taker) look() {
	now, cpu := time.Now(), t.cpu
	if t.measured {
		cpu, _ = threadTime()
	}
	t.q.taking.spent(t.mode, now, cpu-t.cpu, t.measured)
	t.cpu = cpu
	if now.Sub(t.told) >= tellEvery {
		t.tell(now)
	}
}

func (t *taker) tell(now time.Time) {
	t.told = now
	t.s.Changed()
}

// spent counts the CPU and wall time since the last look.
func (t *taking) spent(mode core.CQMode, now time.Time, cpu time.Duration, measured bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.stats[mode]
	c.Wall += now.Sub(t.looked)
	c.CPU += cpu
	c.Measured = c.Measured || measured
	t.looked = now
}

// looksEvery is how many polls go between two readings of the clocks, which are
// costly.
const looksEvery = 256

// poll takes what the queue has; second: this poll follows an event.
func (t *taker) poll(second bool) (int, error) {
	n, err := pollOnce(t.s, t.q)
	t.q.taking.count(t.mode, func(c *core.CQStats) { c.Polled(second, n) })
	if t.polls++; t.polls%looksEvery == 0 {
		t.look()
	}
	return n, err
}

// rest polls while completions come, and more and more seldom, or not at all, while
// none do.
func (t *taker) rest(ctx context.Context) error {
	rest, vain := restFirst, 0
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for ctx.Err() == nil {
		n, err := t.poll(false)
		if err != nil {
			return err
		}
		if n > 0 {
			rest, vain = restFirst, 0
			continue
		}
		t.look()
		again := timer.C
		if rest >= RestLast && t.q.wakes() {
			t.tell(time.Now())
			again = nil
		} else {
			timer.Reset(rest)
		}
		select {
		case <-ctx.Done():
		case <-t.q.Wake:
			rest, vain = restFirst, 0
		case <-again:
			rest = min(2*rest, RestLast)
			if vain++; vain > patience {
				rest = restIdle
			}
		}
	}
	return nil
}

// wakes reports whether Wake will receive for the next completion, or when a claim on
// the queue ends.
func (q *CQ) wakes() bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.Claimed {
		return true
	}
	w, ok := q.CQ.(verbs.CQWaker)
	return ok && w.WakeNext(q.Wake)
}

// spin polls without sleeping.
func (t *taker) spin(ctx context.Context) error {
	for ctx.Err() == nil {
		n, err := t.poll(false)
		if err != nil {
			return err
		}
		if n == 0 {
			runtime.Gosched() // there may be only one core
		}
	}
	return nil
}

func pollOnce(s *core.Session, q *CQ) (int, error) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if q.Claimed {
		return 0, nil
	}
	out, err := Harvest(s, q, PollBatch)
	q.Inbox.Push(out)
	q.unbidden += uint64(len(out))
	return len(out), err
}

// Posted wakes the poller: something may complete soon.
func (q *CQ) Posted() {
	select {
	case q.Wake <- struct{}{}:
	default:
	}
}

// liveFollower is a body that is read in the background while the session is live.
type liveFollower interface{ FollowLive(*core.Session) }

// FollowLive polls the queue while the session is live.
func (q *CQ) FollowLive(s *core.Session) {
	if s.Live.Load() {
		startPolling(s, q)
	} else {
		q.stopPolling()
	}
}

// Live carries out the live command.
func Live(c *core.Call) error {
	on := c.Cmd.Bool("on")
	c.S.Live.Store(on)
	c.S.Mu.RLock()
	nodes := c.S.Graph.TeardownOrder()
	c.S.Mu.RUnlock()
	for _, n := range nodes {
		if f, ok := n.Body.(liveFollower); ok {
			f.FollowLive(c.S)
		}
	}
	c.Done.Result = map[bool]string{true: "completion queues are polled automatically",
		false: "completion queues are polled only by commands"}[on]
	return nil
}
