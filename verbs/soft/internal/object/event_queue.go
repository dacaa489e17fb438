package object

import (
	"context"
	"sync"
	"sync/atomic"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// EventQueue is a bounded queue whose reader waits with a context.
type EventQueue[T any] struct {
	mu      sync.Mutex
	items   []T
	limit   int
	some    chan struct{} // holds a token while items may be there
	closed  chan struct{}
	ended   bool
	Sleeper atomic.Pointer[link.Sleeper] // a reader that sleeps at the device's socket
}

// Init makes an empty queue that holds at most limit items.
func (q *EventQueue[T]) Init(limit int) {
	q.limit, q.some, q.closed = limit, make(chan struct{}, 1), make(chan struct{})
}

// Put adds an item; it is lost where the queue is full.
func (q *EventQueue[T]) Put(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended || len(q.items) >= q.limit {
		return
	}
	q.items = append(q.items, item)
	q.signal()
	q.wakeSleeper()
}

func (q *EventQueue[T]) wakeSleeper() {
	if s := q.Sleeper.Load(); s != nil {
		s.Wake()
	}
}

func (q *EventQueue[T]) signal() {
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// Get waits for an item, the context's end, or close.
func (q *EventQueue[T]) Get(ctx context.Context) (item T, err error) {
	for {
		if item, ok := q.Poll(); ok {
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

// Poll takes the oldest item, if there is one.
func (q *EventQueue[T]) Poll() (item T, ok bool) {
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

// Drop removes the items of an object that goes away.
func (q *EventQueue[T]) Drop(of func(T) bool) {
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

// Close drops all items; readers get ErrClosed.
func (q *EventQueue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		q.ended = true
		q.items = nil
		close(q.closed)
		q.wakeSleeper()
	}
}
