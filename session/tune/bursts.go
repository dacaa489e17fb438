package tune

import "context"

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

// takeBursts receives messages until its context ends, and tells when a whole burst has
// arrived.
func (l *loop) takeBursts(came chan<- struct{}) error {
	for got := 0; ; {
		wcs, err := l.poll(l.recvCQ[l.end])
		if err != nil {
			return err
		}
		for range wcs {
			if err := l.postRecv(0, l.end); err != nil {
				return err
			}
		}
		if got += len(wcs); got == l.step() {
			got = 0
			select {
			case came <- struct{}{}:
			case <-l.ctx.Done():
				return context.Cause(l.ctx)
			}
		}
		if len(wcs) > 0 {
			continue
		}
		if err := l.sleep(l.solicited); err != nil {
			return err
		}
	}
}
