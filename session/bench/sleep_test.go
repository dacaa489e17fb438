package bench

import (
	"context"
	"errors"
	"testing"

	"rdmatui/session/perftest"
	"rdmatui/verbs"
)

// made sets a pointer to a new value.
func made[T any](p **T) *T {
	*p = new(T)
	return *p
}

// TestSleep: with events a loop arms its queues, polls once more, and then arms only the queue whose event came.
func TestSleep(t *testing.T) {
	for _, verb := range []perftest.Verb{perftest.Write, perftest.Send} {
		l, pairs := newTestLoop(t, params(verb, false, func(p *perftest.Params) { p.Host, p.Events = "h", true }))
		send, recv := pairs[0].send, pairs[0].recv
		queues := []*completions{send, recv}
		if verb == perftest.Write { // one queue
			l.recvCQ = l.sendCQ
			queues = queues[:1]
		}
		ctx, cancel := context.WithCancel(t.Context())
		made(&l.sendCQ.Channel).Ch = &eventChannel{of: []verbs.CQ{send, send, &completions{}}}
		l.eventCtx = ctx
		if err := l.idle(0); err != nil {
			t.Fatal(err)
		}
		for _, q := range queues {
			if q.armed != 1 {
				t.Errorf("%v: armed %d times", verb, q.armed)
			}
		}
		for range 3 { // the third event is of another queue
			if err := l.idle(0); err != nil {
				t.Fatal(err)
			}
		}
		if send.armed != 3 || l.events[l.sendCQ] != 2 || verb == perftest.Send && recv.armed != 1 {
			t.Errorf("%v: armed %d and %d times, %d events", verb, send.armed, recv.armed, l.events[l.sendCQ])
		}
		cancel()
		if err := l.idle(0); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", verb, err)
		}
		l.why = errVain
		l.halt.Store(true)
		if err := l.sleep(); err != errVain {
			t.Errorf("%v: %v", verb, err)
		}
	}
}
