package queue

import (
	"context"
	"errors"
	"sync"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// waiter is a queue's part in the wait for events of its channel: whoever gets an
// event of another queue of the channel hands it over.
type waiter struct {
	mu     sync.Mutex
	handed int                // events that others got for this queue
	rouse  context.CancelFunc // ends the wait that is on; nil where there is none
}

// begin starts a wait; if an event was handed over there is none.
func (w *waiter) begin(rouse context.CancelFunc) (have bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.handed > 0 {
		w.handed--
		return true
	}
	w.rouse = rouse
	return false
}

// end ends a wait, and takes an event that was handed over meanwhile if none came.
func (w *waiter) end(came bool) (have bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rouse = nil
	if !came && w.handed > 0 {
		w.handed--
		return true
	}
	return came
}

func (w *waiter) hand() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handed++
	if w.rouse != nil {
		w.rouse()
	}
}

// await arms the queue, takes what there is, and sleeps until an event tells of
// more. What came between the last poll and the arming makes no event: therefore
// the second poll.
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

// untilEvent asks for events until there is one, and returns false where it was
// stopped before.
func (t *taker) untilEvent(ctx context.Context) (came bool, err error) {
	for !came && err == nil && ctx.Err() == nil {
		t.look()
		came, err = t.event(ctx)
	}
	return came, err
}

func (t *taker) arm() error { return t.q.CQ.ReqNotify(t.solicited) }

// event waits for an event of the queue, in the way that was chosen. Without one it
// returns false where the channel was asked in vain.
func (t *taker) event(ctx context.Context) (bool, error) {
	patience, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &t.q.taking.events
	came := w.begin(cancel)
	if !came {
		var err error
		if came, err = t.read(patience); err != nil {
			w.end(false)
			return false, err
		}
		came = w.end(came)
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
		handOver(t.s, cq)
		return false, nil
	case errors.Is(err, context.DeadlineExceeded):
		t.q.taking.count(t.mode, func(c *core.CQStats) { c.EmptyReads++ })
		return false, nil
	case ctx.Err() != nil:
		return false, nil // roused, or stopped
	}
	return false, err
}

// handOver passes an event on to the queue that it is of. One that is taken in
// another way has no use for it.
func handOver(s *core.Session, cq verbs.CQ) {
	q := queueOf(s, cq)
	if q == nil {
		cq.AckEvents(1)
		return
	}
	if mode, _, _ := q.taking.way(); mode.WithEvents() && s.Live.Load() {
		q.taking.events.hand()
		return
	}
	q.CQ.AckEvents(1)
	q.taking.count(core.ByHand, func(c *core.CQStats) { c.Events++; c.Acked++ })
}

// got counts an event, and acknowledges as many as it was asked to at a time.
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

// liveReaders are the queues whose live readers take the events of a channel.
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

// KeepOffEvents stops the live readers of the queues' channels, so that a traffic
// runner can read them; the returned function starts the readers again.
func KeepOffEvents(s *core.Session, queues []*CQ) (resume func()) {
	var stopped []*CQ
	for _, q := range queues {
		for _, reader := range liveReaders(s, q.Channel) {
			reader.stopPolling()
			stopped = append(stopped, reader)
		}
	}
	return func() {
		for _, q := range stopped {
			startPolling(s, q) // once, even if it is here twice
		}
	}
}
