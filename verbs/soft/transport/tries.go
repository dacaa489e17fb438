package transport

import (
	"time"

	"rdmatui/verbs"
)

// tries counts what the oldest request met since there was progress.
type tries struct {
	verbs.Tries
	first time.Duration // on the engine's clock, when it met something first
}

// met counts one event that has happened now.
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
