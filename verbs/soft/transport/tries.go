package transport

import (
	"time"

	"rdmatui/verbs"
)

// tries counts the attempts at the oldest request since the last progress.
type tries struct {
	verbs.Tries
	first time.Duration // time of the first event on the engine's clock
}

// met counts one event at the current time.
func (t *tries) met(e *Engine, count *uint64) {
	now := e.clock()
	if t.first == 0 {
		t.first = now
	}
	*count++
	t.Span = now - t.first
}

var _ verbs.TryTeller = (*QP)(nil)

// Tries implements [verbs.TryTeller].
func (q *QP) Tries() verbs.Tries {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.comp.tries.Tries
}
