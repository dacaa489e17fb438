package soft

import (
	"context"
	"sync"
	"sync/atomic"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// eventQueue is a bounded queue whose reader waits with a context.
type eventQueue[T any] struct {
	mu     sync.Mutex
	items  []T
	limit  int
	some   chan struct{} // holds a token while items may be there
	closed chan struct{}
	ended  bool
	bell   atomic.Pointer[link.Sleeper] // of a reader that sleeps at the device's socket
}

func (q *eventQueue[T]) init(limit int) {
	q.limit, q.some, q.closed = limit, make(chan struct{}, 1), make(chan struct{})
}

// put adds an item; it is lost where the queue is full.
func (q *eventQueue[T]) put(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended || len(q.items) >= q.limit {
		return
	}
	q.items = append(q.items, item)
	q.signal()
	q.ringBell()
}

func (q *eventQueue[T]) ringBell() {
	if s := q.bell.Load(); s != nil {
		s.Rouse()
	}
}

func (q *eventQueue[T]) signal() {
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// get waits for an item, the context's end, or close.
func (q *eventQueue[T]) get(ctx context.Context) (item T, err error) {
	for {
		if item, ok := q.poll(); ok {
			return item, nil
		}
		select {
		case <-q.some:
		case <-ctx.Done():
			return item, ctx.Err()
		case <-q.closed:
			return item, verbs.ErrClosed
		}
	}
}

func (q *eventQueue[T]) poll() (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return item, false
	}
	item = q.items[0]
	q.items = q.items[1:]
	if len(q.items) > 0 {
		q.signal() // for another reader
	} else {
		q.items = nil
	}
	return item, true
}

// drop removes the items of an object that goes away.
func (q *eventQueue[T]) drop(of func(T) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var kept []T
	for _, it := range q.items {
		if !of(it) {
			kept = append(kept, it)
		}
	}
	q.items = kept
}

func (q *eventQueue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		q.ended = true
		q.items = nil
		close(q.closed)
		q.ringBell()
	}
}
