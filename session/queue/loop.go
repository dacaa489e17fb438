package queue

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// LoopBatch is how many completions are polled in one call, as in perftest.
const LoopBatch = 16

// Loop is the loop under the measuring commands: it polls completion queues that it owns, and waits while they are
// empty. What is posted, and when the work is done, is the business of its users. It allocates nothing and records
// nothing on the time line while it runs. Only one goroutine uses it. The fields are set before it begins.
type Loop struct {
	Queues []*CQ                  // polled, and slept on; [Own] has claimed them
	Failed func(*verbs.WC) error  // what a failed completion means; nil: Poll returns it as any other
	Broken func(*CQ, error) error // what a queue that cannot be polled means; nil: its error
	Over   func() bool            // ends Await; nil: only completions do
	Thread *LoopThread            // is told the loop's thread when asked; nil: never

	Events    bool          // sleep until a completion event while the queues are empty; they have one channel
	Spin      time.Duration // with Events: poll in vain for so long before that
	Late      bool          // arm a queue only before the sleep; else also at once after its event
	Solicited bool          // sleep until a solicited event
	Nonblock  bool          // poll the channel for events instead of blocking
	Foreign   error         // of an event of another queue; nil: ignore it

	Silence time.Duration // give up after polls in vain for so long; 0: never
	// Yield is the number of polls in vain after which other goroutines run. 0: 1024, and only if all processors run
	// loops. Where one is idle, each yield wakes a thread for nothing, and [Slice] yields often enough. The
	// software device yields in its own polls.
	Yield int

	Got   map[*CQ]int // events of each queue, acknowledged by End
	Empty int         // polls of the channel that found no event
	Slice

	ctx   context.Context
	done  <-chan struct{} // of ctx
	wcs   [LoopBatch]verbs.WC
	armed bool
	plain bool      // it only polls
	since time.Time // of the polls in vain
}

// yieldEvery is the usual number of polls in vain after which other goroutines run.
const yieldEvery = 1024

// RunningLoops is how many loops of this process run.
var RunningLoops atomic.Int32

// LoopThread tells a display on which thread a loop runs.
type LoopThread struct {
	asked  atomic.Bool
	number atomic.Int64
}

// Ask returns the thread on which the loop ran when it was asked last, and asks again; 0: the loop has not answered. It
// answers when it waits. Any goroutine may ask.
func (t *LoopThread) Ask() int {
	t.asked.Store(true)
	return int(t.number.Swap(0))
}

// Begin makes the loop end with the context. End ends it and acknowledges its events.
func (l *Loop) Begin(ctx context.Context) {
	RunningLoops.Add(1)
	l.Within(ctx)
	l.armed, l.Got = false, map[*CQ]int{}
	l.plain = !l.Events && l.Silence == 0 && l.Yield == 0
}

// Within makes the loop end with another context.
func (l *Loop) Within(ctx context.Context) { l.ctx, l.done = ctx, ctx.Done() }

// End ends what Begin began, and returns the number of events.
func (l *Loop) End() (events int) {
	RunningLoops.Add(-1)
	for cq, n := range l.Got {
		if events += n; n > 0 {
			cq.CQ.AckEvents(n)
		}
	}
	return events
}

// Poll takes up to most completions, at most [LoopBatch], which are valid until the next call. Its error is the first
// failed completion, or that of a queue that cannot be polled.
func (l *Loop) Poll(cq *CQ, most int) ([]verbs.WC, error) {
	n, err := cq.PollClaimed(l.wcs[:most])
	if n == 0 && err == nil {
		return nil, nil
	}
	return l.taken(cq, n, most, err)
}

// taken returns the n completions of a poll for up to most, or what its error or that of a completion means.
func (l *Loop) taken(cq *CQ, n, most int, err error) ([]verbs.WC, error) {
	if l.Failed == nil {
		return l.wcs[:n], err
	}
	for i := range l.wcs[:n] {
		if wc := &l.wcs[i]; wc.Failed() {
			return nil, l.Failed(wc)
		}
	}
	if err == nil || n > 0 && most == 1 {
		return l.wcs[:n], nil
	}
	if l.Broken != nil {
		err = l.Broken(cq, err)
	}
	return nil, err
}

// Rounds runs rounds until finished. A round reports whether it found anything; after one that did not, the loop waits.
func (l *Loop) Rounds(finished func() bool, round func() (some bool, err error)) error {
	for empty := 0; !finished(); {
		some, err := round()
		switch {
		case err != nil:
			return err
		case some:
			empty = 0
			continue
		}
		if err := l.Idle(empty); err != nil {
			return err
		}
		empty++
	}
	return nil
}

// Await polls a queue until it has completions, and takes at most as many; there are none if the work is over.
func (l *Loop) Await(cq *CQ, most int) ([]verbs.WC, error) {
	for empty := 0; ; empty++ {
		if n, err := cq.PollClaimed(l.wcs[:most]); n > 0 || err != nil {
			return l.taken(cq, n, most, err)
		}
		if err := l.Idle(empty); err != nil {
			return nil, err
		}
		if l.Over != nil && l.Over() {
			return nil, nil
		}
	}
}

// Idle waits after polls in vain, empty others before it: it yields, or with Events sleeps until there may be
// something. Its error is that the loop must end.
func (l *Loop) Idle(empty int) error {
	select {
	case <-l.done:
		return context.Cause(l.ctx)
	default:
	}
	if t := l.Thread; t != nil && t.asked.Load() {
		t.asked.Store(false)
		t.number.Store(int64(thread()))
	}
	if l.plain {
		if empty%yieldEvery == yieldEvery-1 && int(RunningLoops.Load()) >= runtime.GOMAXPROCS(0) {
			runtime.Gosched()
		}
		return nil
	}
	if empty == 0 && (l.Silence > 0 || l.Spin > 0) {
		l.since = time.Now()
	}
	if l.Events && (l.Spin == 0 || time.Since(l.since) > l.Spin) {
		return l.sleep()
	}
	if every := cmp.Or(l.Yield, yieldEvery); empty%every == every-1 {
		if l.Silence > 0 && time.Since(l.since) > l.Silence {
			return l.errSilent()
		}
		runtime.Gosched()
	}
	return nil
}

// errSilent is the error of a loop that makes no progress.
func (l *Loop) errSilent() error {
	return &core.TimeUpError{Text: "no message completed for " + format.Span(l.Silence)}
}

// Arm asks for an event of each queue.
func (l *Loop) Arm() error {
	l.armed = true
	for _, cq := range l.Queues {
		if err := cq.CQ.ReqNotify(l.Solicited); err != nil {
			return err
		}
	}
	return nil
}

// sleep waits for a completion event. It arms the queues first and lets the caller poll once more, since a completion
// may have come in between.
func (l *Loop) sleep() error {
	if !l.armed {
		return l.Arm()
	}
	got, err := l.next(l.Queues[0].Channel.Ch)
	if err != nil {
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		return err
	}
	return l.count(got)
}

// next gets an event, blocking or polling as configured.
func (l *Loop) next(ch verbs.CompChannel) (verbs.CQ, error) {
	limit := l.Silence
	if l.Nonblock {
		limit = core.PollPatience
	}
	if limit == 0 {
		return ch.GetCQEvent(l.ctx)
	}
	for {
		ctx, cancel := context.WithTimeout(l.ctx, limit)
		cq, err := ch.GetCQEvent(ctx)
		cancel()
		switch late := errors.Is(err, context.DeadlineExceeded) && l.ctx.Err() == nil; {
		case !late:
			return cq, err
		case !l.Nonblock:
			return nil, l.errSilent()
		}
		l.Empty++
	}
}

// count counts an event, and arms its queue again unless that is late enough before the next sleep.
func (l *Loop) count(got verbs.CQ) error {
	i := slices.IndexFunc(l.Queues, func(cq *CQ) bool { return cq.CQ == got })
	if i < 0 {
		return l.Foreign
	}
	l.Got[l.Queues[i]]++
	if l.Late {
		l.armed = false
		return nil
	}
	return got.ReqNotify(l.Solicited)
}
