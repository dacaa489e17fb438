package object

import (
	"context"
	"sync/atomic"

	"rdmatui/verbs"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/soft/link"
)

// EventQueue is a bounded queue whose readers wait with a context.
type EventQueue[T any] struct {
	inbox   ring.Inbox[T]
	limit   int
	Sleeper atomic.Pointer[link.Sleeper] // wakes a reader that sleeps at the device's socket
}

// Init creates an empty queue of at most limit items.
func (q *EventQueue[T]) Init(limit int) { q.limit = limit }

// Put adds an item; if the queue is full, the item is lost.
func (q *EventQueue[T]) Put(item T) {
	q.inbox.Put(item, func(items *ring.Ring[T]) bool { return items.Len() < q.limit })
	q.wakeSleeper()
}

func (q *EventQueue[T]) wakeSleeper() {
	if s := q.Sleeper.Load(); s != nil {
		s.Wake()
	}
}

// Get waits for an item, the end of the context, or Close.
func (q *EventQueue[T]) Get(ctx context.Context) (T, error) { return q.inbox.Wait(ctx, oldest[T]) }

// Poll takes the oldest item, if there is one.
func (q *EventQueue[T]) Poll() (item T, ok bool) { return q.inbox.Take(oldest[T]) }

func oldest[T any](items *ring.Ring[T]) int { return min(items.Len(), 1) - 1 }

// Drop removes the items of an object that is being destroyed.
func (q *EventQueue[T]) Drop(of func(T) bool) { q.inbox.Drop(of) }

// Close drops all items; readers get ErrClosed.
func (q *EventQueue[T]) Close() {
	q.inbox.Close(verbs.ErrClosed)
	q.wakeSleeper()
}
