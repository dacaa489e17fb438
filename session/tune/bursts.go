package tune

import (
	"context"

	"rdmatui/session/queue"
)

// bursts sends bursts of messages to a receiver that sleeps between completions.
func (l *loop) bursts() error {
	came := make(chan struct{})
	return l.withPeer(func(peer *loop) error { return peer.takeBursts(came) }, func(ctx context.Context) error {
		for !l.enough() {
			if err := l.postStep(&l.lanes[0]); err != nil {
				return err
			}
			select {
			case <-came:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if err := l.awaitSent(); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeBursts receives messages until its context ends, and tells when a whole burst has arrived.
func (l *loop) takeBursts(came chan<- struct{}) error {
	got := 0
	l.Events = true
	return l.Rounds(func() bool { return false }, func() (bool, error) {
		wcs, err := l.Poll(l.recvCQ[l.end], queue.LoopBatch)
		for range wcs {
			if err := l.postRecv(0, l.end); err != nil {
				return false, err
			}
		}
		if got += len(wcs); got == l.step() {
			got = 0
			select {
			case came <- struct{}{}:
			case <-l.ctx.Done():
				return false, context.Cause(l.ctx)
			}
		}
		return len(wcs) > 0, err
	})
}
