package bench

import (
	"fmt"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// turns measures latency: one message at a time.
func (l *loop) turns() error {
	switch l.p.Test.Verb {
	case Write:
		return l.writeTurns()
	case Send:
		return l.sendTurns()
	}
	return l.ask()
}

// more reports whether another message is due.
func (l *loop) more(done uint64) bool {
	if l.iters == 0 {
		return l.phase.Load() != over
	}
	return done < l.iters
}

// post posts the message of a lane.
func (l *loop) post(lane *lane, signaled bool) error {
	if l.times != nil {
		l.times[lane.posted] = l.now()
		l.progress.posted.Store(int64(lane.posted) + 1)
	}
	wr := &lane.send[0]
	wr.SendFlags &^= verbs.SendSignaled
	if signaled {
		wr.SendFlags |= verbs.SendSignaled
	}
	if _, err := lane.q.QP.PostSend(lane.send...); err != nil {
		return fmt.Errorf("post_send %s, message %d: %w", lane.q.Name, lane.posted+1, err)
	}
	lane.posted++
	return nil
}

// ask measures READs and atomics: a message is the request with its answer.
func (l *loop) ask() error {
	l.begin()
	lane := &l.lanes[0]
	for l.more(lane.posted) {
		if err := l.post(lane, true); err != nil {
			return err
		}
		if wcs, err := l.Await(l.sendCQ, 1); len(wcs) == 0 {
			return err
		}
		l.done(1)
	}
	return nil
}

// sendTurns passes SENDs back and forth. The client begins.
func (l *loop) sendTurns() error {
	lane := &l.lanes[0]
	mod := uint64(l.p.CQMod)
	for l.more(lane.posted) || l.more(lane.received) {
		if (lane.posted > 0 || !l.p.Client()) && l.more(lane.received) {
			wcs, err := l.Await(l.recvCQ, 1)
			if len(wcs) == 0 {
				return err
			}
			l.begin()
			if err := l.received(&wcs[0]); err != nil {
				return err
			}
			l.done(1)
		}
		if !l.more(lane.posted) {
			continue
		}
		l.begin()
		signaled := (lane.posted+1)%mod == 0 || lane.posted+1 == l.iters
		if err := l.post(lane, signaled); err != nil {
			return err
		}
		if signaled {
			if wcs, err := l.Await(l.sendCQ, 1); len(wcs) == 0 {
				return err
			}
		}
	}
	return nil
}

// driveEvery is the number of looks at memory after which the queue is polled. The
// software device receives packets while its queue is polled, at once instead of when
// its goroutine runs.
const driveEvery = 4

// writeTurns passes WRITEs back and forth. Each end polls the last byte of its memory,
// which counts the messages. The server begins.
func (l *loop) writeTurns() error {
	lane := &l.lanes[0]
	send, receive := int64(l.sendAt(0)+l.size-1), int64(l.receiveAt(0)+l.size-1)
	var b [1]byte
	l.begin()
	for l.more(lane.posted) || l.more(lane.received) {
		if (lane.posted > 0 || l.p.Client()) && l.more(lane.received) {
			lane.received++
			for empty := 0; ; empty++ {
				if _, err := l.mr.MR.ReadAt(b[:], receive); err != nil {
					return err
				}
				if b[0] == byte(lane.received) {
					break
				}
				// nothing is outstanding; a poll lets the software device work here
				if empty%driveEvery == driveEvery-1 {
					if _, err := l.Poll(l.sendCQ, queue.LoopBatch); err != nil {
						return err
					}
				}
				if err := l.Idle(empty); err != nil {
					return err
				}
				if l.Over != nil && l.Over() {
					return nil
				}
			}
		}
		if !l.more(lane.posted) {
			continue
		}
		b[0] = byte(lane.posted + 1)
		if _, err := l.mr.MR.WriteAt(b[:], send); err != nil {
			return err
		}
		if err := l.post(lane, true); err != nil {
			return err
		}
		if wcs, err := l.Await(l.sendCQ, 1); len(wcs) == 0 {
			return err
		}
		l.done(1)
	}
	return nil
}
