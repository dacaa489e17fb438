package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs/format"
)

const (
	// glance is the interval at which the supervisor looks at a loop.
	glance = 100 * time.Millisecond
	// grace is how long messages may be under way after the peer closed the exchange.
	grace = 2 * time.Second
	// lead is how long a peer may wait for this end without progress: it has received all, but the last
	// acknowledgements may be lost.
	lead = 10 * time.Second
	// skew is how much earlier a peer may end a test of given duration.
	skew = 500 * time.Millisecond
	// hiccup is how long a loaded machine may stop everything.
	hiccup = 250 * time.Millisecond
)

// run carries out a loop under a supervisor, with its queues kept off the live pollers.
func (l *loop) run(ctx context.Context, work func() error) error {
	qps := make([]*queue.QP, len(l.lanes))
	for i := range qps {
		qps[i] = l.lanes[i].q
	}
	defer queue.Own(l.s, l.Queues, qps)()
	watched, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // the supervisor ends it and says why
	l.Begin(watched)
	l.link.watch()
	defer l.link.unwatch()
	var guards sync.WaitGroup
	defer guards.Wait()
	defer stop(nil)
	ended := make(chan struct{})
	defer close(ended)
	guards.Go(func() {
		defer l.s.Opts.Crashed.Catch()
		if why := l.supervise(ctx, ended); why != nil {
			stop(why)
		}
	})
	l.clock = func() {
		guards.Go(func() {
			defer l.s.Opts.Crashed.Catch()
			l.phases(ended)
		})
	}
	err := work()
	l.End()
	stalled := l.phase.Load() == over && l.atHalf.Load() == l.atEnd.Load() && l.half() > hiccup
	if err == nil && stalled {
		return fmt.Errorf("%s completed in the first half of %s and none in the second: "+
			"give both ends the same flags, or look for lost packets and busy processors",
			format.Counted(int(l.atEnd.Load()), "message"), l.length())
	}
	return err
}

// begin starts the clock of the loop, once.
func (l *loop) begin() {
	if !l.start.IsZero() {
		return
	}
	l.start = time.Now()
	l.Run.progress.since.Store(l.start.UnixNano())
	if l.p.Duration > 0 {
		l.clock()
	}
}

// phases walks a test of given duration through its phases.
func (l *loop) phases(ended <-chan struct{}) {
	half := l.half()
	for _, p := range []struct {
		after time.Duration
		next  int32
		at    *time.Duration
		count *atomic.Uint64 // gets the messages until then
	}{
		{l.p.Margin, sampling, &l.from, nil}, {half, sampling, nil, &l.atHalf}, {half, cooling, &l.to, &l.atEnd},
		{l.p.Margin, over, nil, nil},
	} {
		t := time.NewTimer(p.after)
		select {
		case <-t.C:
		case <-ended:
			t.Stop()
			return
		}
		if p.at != nil {
			*p.at = l.now()
		}
		if p.count != nil {
			p.count.Store(l.progress.messages.Load())
		}
		l.phase.Store(p.next)
	}
}

// supervise returns why the loop must end, nil if it has ended by itself.
func (l *loop) supervise(ctx context.Context, ended <-chan struct{}) error {
	t := time.NewTicker(glance)
	defer t.Stop()
	last, since := uint64(0), time.Now()
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case now := <-t.C:
			n := l.progress.messages.Load()
			if n != last {
				last, since = n, now
			}
			switch quiet := now.Sub(since); {
			case quiet >= grace && l.link.left():
				return left("the peer left after %s of %d bytes", format.Counted(int(n), "message"), l.size)
			case l.aheadOfTime(now, quiet):
				return fmt.Errorf("the peer ended its test after %s of %d bytes, this end has %s: give both ends the same",
					format.Counted(int(n), "message"), l.size, l.length())
			case quiet >= l.silence:
				return &core.TimeUpError{Text: fmt.Sprintf("no message completed for %s, after %s of %d bytes",
					format.Span(l.silence), format.Counted(int(n), "message"), l.size)}
			}
		}
	}
}

// aheadOfTime reports whether the peer has ended its test although this end's must go on.
func (l *loop) aheadOfTime(now time.Time, quiet time.Duration) bool {
	if l.iters > 0 {
		return quiet >= lead && l.link.ahead()
	}
	over := time.Unix(0, l.Run.progress.since.Load()).Add(l.p.Duration)
	return over.Sub(now) > skew && l.link.ahead()
}

// half returns half of the time that is measured.
func (l *loop) half() time.Duration { return (l.p.Duration - 2*l.p.Margin) / 2 }

// length names the flag that sets how long the test lasts.
func (l *loop) length() string {
	if l.iters > 0 {
		return fmt.Sprintf("-n %d", l.iters)
	}
	return fmt.Sprintf("-D %g", l.p.Duration.Seconds())
}
