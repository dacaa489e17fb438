package tune

import (
	"context"
	"errors"
	"sync"
	"time"

	"rdmatui/session/queue"
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
	peer.Begin(ctx)
	l.Within(ctx)
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
	l.events += uint64(peer.End())
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
	wcs, err := l.Await(l.sendCQ[l.end], queue.LoopBatch)
	l.countSent(wcs)
	return err
}

// room returns how many more messages one end may have outstanding.
func (lane *lane) room(end, depth int) int {
	return depth - int(lane.posted[end]-lane.completed[end])
}

// await waits for one message as the experiment says, and posts the receive request again.
func (l *loop) await() error {
	if l.Events = l.waiting != polling; l.waiting == hybrid {
		l.Spin = l.spin
	}
	_, err := l.Await(l.recvCQ[l.end], 1)
	if l.Events = false; err != nil {
		return err
	}
	return l.postRecv(0, l.end)
}
