package tune

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// pingPong passes a message back and forth on the first pair. Each end has a goroutine
// of its own, like the thread of a program.
func (l *loop) pingPong() error {
	return l.withPeer(func(peer *loop) error { return peer.echo() }, func(context.Context) error {
		for !l.enough() {
			if err := l.sendOne(); err != nil {
				return err
			}
			if err := l.await(); err != nil {
				return err
			}
			l.posted++
		}
		return nil
	})
}

// withPeer runs work while a goroutine runs the other end, and ends that one with it.
// The context of work ends if the peer fails.
func (l *loop) withPeer(other func(peer *loop) error, work func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(l.ctx)
	peer := newLoop(ctx, l.objects, 1-l.end, l.crashed)
	peer.spin = l.spin
	own := l.ctx
	l.ctx = ctx
	var done sync.WaitGroup
	done.Go(func() {
		defer l.crashed.Catch()
		defer stop(errPeerEnded)
		if err := other(peer); err != nil && ctx.Err() == nil {
			stop(err)
		}
	})
	err := work(ctx)
	l.ended = time.Now()
	stop(nil)
	done.Wait()
	l.ctx = own
	l.events += peer.events
	return err
}

var errPeerEnded = errors.New("the other end stopped")

// echo answers messages until its context ends.
func (l *loop) echo() error {
	for {
		if err := l.await(); err != nil {
			return err
		}
		if err := l.sendOne(); err != nil {
			return err
		}
	}
}

// sendOne posts one message on the first pair, when there is room for it.
func (l *loop) sendOne() error {
	lane := &l.lanes[0]
	for lane.room(l.end, l.depth) == 0 {
		if err := l.awaitSent(); err != nil {
			return err
		}
	}
	return l.post(lane)
}

// awaitSent waits for completions of send requests.
func (l *loop) awaitSent() error {
	for l.empty = 0; ; {
		if n, err := l.reapSent(); err != nil || n > 0 {
			return err
		}
		if err := l.idle(); err != nil {
			return err
		}
	}
}

// room returns how many more messages one end may have outstanding.
func (lane *lane) room(end, depth int) int {
	return depth - int(lane.posted[end]-lane.completed[end])
}

// await waits for one message and posts the receive request again.
func (l *loop) await() error {
	for l.empty = 0; ; {
		n, err := l.recvCQ[l.end].PollClaimed(l.wcs[:1])
		switch {
		case n == 1 && l.wcs[0].Failed():
			return fmt.Errorf("a message failed: completion %s, vendor_err %#x", l.wcs[0].Status, l.wcs[0].VendorErr)
		case n == 1:
			return l.postRecv(0, l.end)
		case err != nil:
			return fmt.Errorf("poll_cq: %w", err)
		}
		err = l.idle()
		if err == nil && (l.waiting == events || l.waiting == hybrid && time.Since(l.since) > l.spin) {
			err = l.sleep(false)
		}
		if err != nil {
			return err
		}
	}
}

// sleep waits for a completion event. It arms the queue first and lets the caller poll
// once more, since a completion may have come in between.
func (l *loop) sleep(solicited bool) error {
	if !l.armed {
		l.armed = true
		return l.recvCQ[l.end].CQ.ReqNotify(solicited)
	}
	ctx, cancel := context.WithTimeoutCause(l.ctx, silence, errSilent)
	defer cancel()
	cq, err := l.recvCQ[l.end].Channel.Ch.GetCQEvent(ctx)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = context.Cause(ctx)
		}
		return err
	}
	cq.AckEvents(1)
	l.armed = false
	l.events++
	return nil
}
