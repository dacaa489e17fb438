package queue

import (
	"context"
	"errors"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// passOn passes an event on to its queue. A queue in a polling mode ignores it.
func passOn(s *core.Session, cq verbs.CQ) {
	q := queueOf(s, cq)
	if q == nil {
		cq.AckEvents(1)
		return
	}
	if mode, _, _ := q.taking.way(); mode.WithEvents() && s.Live.Load() {
		q.taking.events.pass()
		return
	}
	q.CQ.AckEvents(1)
	q.taking.count(core.ByHand, func(c *core.CQStats) { c.Events++; c.Acked++ })
}

// liveReaders returns the queues whose live readers take the events of a channel.
func liveReaders(s *core.Session, ch *channel) (readers []*CQ) {
	if ch == nil || !s.Live.Load() {
		return nil
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if q, ok := n.Body.(*CQ); ok && q.Channel == ch {
			if mode, _, _ := q.taking.way(); mode.WithEvents() {
				readers = append(readers, q)
			}
		}
	}
	return readers
}

// EventsAreRead reports whether a live reader takes the events of its channel.
func (q *CQ) EventsAreRead(s *core.Session) bool { return len(liveReaders(s, q.Channel)) > 0 }

// await arms the queue, polls it, and sleeps until an event. It polls after arming
// because a completion between the last poll and the arming raises no event.
func (t *taker) await(ctx context.Context) error {
	defer t.ack()
	if err := t.arm(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		n, err := t.poll(false)
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		if came, err := t.untilEvent(ctx); err != nil || !came {
			return err
		}
		if err := t.arm(); err != nil {
			return err
		}
		if _, err := t.poll(true); err != nil {
			return err
		}
	}
	return nil
}

// untilEvent waits for an event; it returns false if it was stopped first.
func (t *taker) untilEvent(ctx context.Context) (came bool, err error) {
	for !came && err == nil && ctx.Err() == nil {
		t.look()
		came, err = t.event(ctx)
	}
	return came, err
}

func (t *taker) arm() error { return t.q.CQ.ReqNotify(t.solicited) }

// event waits for an event of the queue, blocking or polling as configured. It
// returns false if a poll of the channel found none.
func (t *taker) event(ctx context.Context) (bool, error) {
	patience, cancel := context.WithCancel(ctx)
	defer cancel()
	came := t.q.taking.events.begin(cancel)
	if !came {
		var err error
		if came, err = t.read(patience); err != nil {
			return false, err
		}
	}
	if came {
		t.got()
	}
	return came, nil
}

// read gets the next event of the channel, and reports whether it is this queue's.
func (t *taker) read(ctx context.Context) (bool, error) {
	if t.mode == core.Nonblocking {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, core.PollPatience)
		defer cancel()
	}
	cq, err := t.q.Channel.Ch.GetCQEvent(ctx)
	switch {
	case err == nil && cq == t.q.CQ:
		return true, nil
	case err == nil:
		passOn(t.s, cq)
		return false, nil
	case errors.Is(err, context.DeadlineExceeded):
		t.q.taking.count(t.mode, func(c *core.CQStats) { c.EmptyReads++ })
		return false, nil
	case ctx.Err() != nil:
		return false, nil // cancelled by passOn, or stopped
	}
	return false, err
}

// got counts an event, and acknowledges events in batches of the configured size.
func (t *taker) got() {
	t.unacked++
	t.q.taking.count(t.mode, func(c *core.CQStats) { c.Events++ })
	if t.unacked >= t.ackEvery {
		t.ack()
	}
}

func (t *taker) ack() {
	if n := t.unacked; n > 0 {
		t.q.CQ.AckEvents(n)
		t.unacked = 0
		t.q.taking.count(t.mode, func(c *core.CQStats) { c.Acked += uint64(n) })
	}
}
