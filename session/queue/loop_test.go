package queue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// armed is a completion queue that counts how often it is armed, and its acknowledged events.
type armed struct {
	verbs.CQ
	n, acked int
}

func (a *armed) ReqNotify(bool) error { a.n++; return nil }
func (a *armed) AckEvents(n int)      { a.acked += n }

// TestRearm: the queue that an event is of is armed again, and no other; an event of a queue that is not the runner's
// ends it.
func TestRearm(t *testing.T) {
	send, recv, other := &armed{}, &armed{}, &armed{}
	for name, tt := range map[string]struct {
		of         *armed
		send, recv int
		fails      bool
	}{"the send queue": {send, 1, 0, false}, "the receive queue": {recv, 0, 1, false}, "another": {other, 0, 0, true}} {
		*send, *recv, *other = armed{}, armed{}, armed{}
		sends, recvs := &CQ{CQ: send}, &CQ{CQ: recv}
		l := &Loop{Queues: []*CQ{sends, recvs}, Foreign: errors.New("another's")}
		l.Begin(t.Context())
		err := l.count(tt.of)
		if (err != nil) != tt.fails || send.n != tt.send || recv.n != tt.recv || other.n != 0 ||
			l.Got[sends] != tt.send || l.Got[recvs] != tt.recv {
			t.Errorf("%s: %v; armed %d and %d times", name, err, send.n, recv.n)
		}
		if l.End(); send.acked != tt.send || recv.acked != tt.recv {
			t.Errorf("%s: %d and %d events acknowledged", name, send.acked, recv.acked)
		}
	}
}

// eventsInTime is a completion channel with an event at a time.
type eventsInTime struct {
	verbs.CompChannel
	at  time.Time
	of  verbs.CQ
	err error
}

func (c *eventsInTime) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	if c.err != nil {
		return nil, c.err
	}
	select {
	case <-time.After(time.Until(c.at)):
		return c.of, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestNextEvent: an event is waited for in one call or in many short ones, until it comes, the run ends or the channel
// fails.
func TestNextEvent(t *testing.T) {
	errGone := errors.New("gone")
	for _, tt := range []struct {
		nonblock bool
		after    time.Duration // the event; the run ends after a second
		err      error         // of the channel
		asked    int
		want     error
	}{
		{false, time.Millisecond, nil, 0, nil}, {true, core.PollPatience / 2, nil, 0, nil},
		{true, 10*core.PollPatience + core.PollPatience/2, nil, 10, nil},
		{false, time.Hour, nil, 0, context.DeadlineExceeded},
		{true, time.Hour, nil, int(time.Second/core.PollPatience) - 1, context.DeadlineExceeded},
		{false, 0, errGone, 0, errGone}, {true, 0, errGone, 0, errGone},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			l, of := &Loop{Nonblock: tt.nonblock}, &armed{}
			l.Within(ctx)
			cq, err := l.next(&eventsInTime{at: time.Now().Add(tt.after), of: of, err: tt.err})
			if err != tt.want || (err == nil) != (cq == verbs.CQ(of)) || l.Empty < tt.asked || l.Empty > tt.asked+1 {
				t.Errorf("%+v: %v, asked %d times", tt, err, l.Empty)
			}
		})
	}
}
