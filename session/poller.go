package session

import (
	"context"
	"time"

	"rdmatui/session/timeline"
)

// How long a live poller rests when a queue was empty: little at first, since a
// completion is seldom alone, and more as the silence lasts. A post wakes it.
const (
	restFirst = 50 * time.Microsecond
	restLast  = 10 * time.Millisecond
)

// startPolling begins to take a queue's completions without being asked.
func (s *Session) startPolling(q *compQueue) {
	q.pollMu.Lock()
	defer q.pollMu.Unlock()
	if q.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	q.stop = cancel
	q.poller.Go(func() {
		defer s.opts.Crashed.Catch()
		s.pollLoop(ctx, q)
	})
}

// stopPolling returns when the poller has ended.
func (q *compQueue) stopPolling() {
	q.pollMu.Lock()
	defer q.pollMu.Unlock()
	if q.stop != nil {
		q.stop()
		q.poller.Wait()
		q.stop = nil
	}
}

func (s *Session) pollLoop(ctx context.Context, q *compQueue) {
	rest := restFirst
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for ctx.Err() == nil {
		n, err := s.pollOnce(q)
		if err != nil {
			s.note(timeline.LevelError, "%s is polled no longer: %v", q.name, err)
			return
		}
		if n > 0 {
			rest = restFirst
			continue
		}
		timer.Reset(rest)
		select {
		case <-ctx.Done():
		case <-q.wake:
			rest = restFirst
		case <-timer.C:
			rest = min(2*rest, restLast)
		}
	}
}

func (s *Session) pollOnce(q *compQueue) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.claimed {
		return 0, nil
	}
	out, err := s.harvest(q, pollBatch)
	q.inbox.push(out)
	q.unbidden += uint64(len(out))
	return len(out), err
}

// posted wakes the poller: something may complete soon.
func (q *compQueue) posted() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (s *Session) setLive(c *call) error {
	on := c.cmd.Bool("on")
	s.live.Store(on)
	s.mu.RLock()
	nodes := s.graph.teardownOrder()
	s.mu.RUnlock()
	for _, n := range nodes {
		switch q := n.res.(type) {
		case *compQueue:
			if on {
				s.startPolling(q)
			} else {
				q.stopPolling()
			}
		case *eventChannel:
			s.followLive(q)
		case *cmID:
			s.followLive(q.ec)
		}
	}
	s.changed()
	c.done.Result = map[bool]string{true: "completion queues are polled as long as the session lasts", false: "nothing is polled unless a line says so"}[on]
	return nil
}
