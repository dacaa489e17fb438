package bench

import (
	"context"
	"errors"
	"testing"

	"rdmatui/verbs"
)

// made sets a pointer to a new value.
func made[T any](p **T) *T {
	*p = new(T)
	return *p
}

// TestSleep: with events a loop arms its queues, polls once more, and then arms only the queue whose event came.
func TestSleep(t *testing.T) {
	for _, verb := range []Verb{Write, Send} {
		l, pairs := newTestLoop(t, params(verb, false, func(p *Params) { p.Host, p.Events = "h", true }))
		send, recv := pairs[0].send, pairs[0].recv
		queues := []*completions{send, recv}
		if verb == Write { // one queue
			l.Queues = l.Queues[:1]
			queues = queues[:1]
		}
		ctx, cancel := context.WithCancel(t.Context())
		made(&l.sendCQ.Channel).Ch = &eventChannel{of: []verbs.CQ{send, send, &completions{}}}
		l.Within(ctx)
		if err := l.Idle(0); err != nil {
			t.Fatal(err)
		}
		for _, q := range queues {
			if q.armed != 1 {
				t.Errorf("%v: armed %d times", verb, q.armed)
			}
		}
		for range 3 { // the third event is of another queue
			if err := l.Idle(0); err != nil {
				t.Fatal(err)
			}
		}
		if send.armed != 3 || l.Got[l.sendCQ] != 2 || verb == Send && recv.armed != 1 {
			t.Errorf("%v: armed %d and %d times, %d events", verb, send.armed, recv.armed, l.Got[l.sendCQ])
		}
		cancel()
		if err := l.Idle(0); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", verb, err)
		}
		halted, halt := context.WithCancelCause(t.Context())
		l.Within(halted)
		if halt(errVain); l.Idle(0) != errVain {
			t.Errorf("%v: does not end", verb)
		}
	}
}
