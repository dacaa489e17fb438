package ring

import (
	"context"
	"sync"
)

// Inbox is a queue whose readers each wait for an item that they select. The zero value is empty
// and ready; any goroutine may call its methods.
type Inbox[T any] struct {
	mu    sync.Mutex
	items Ring[T]
	came  chan struct{} // closed when there is news; nil while no reader waits
	ended error
}

// Put adds an item if room, which may drop others, returns true. The inbox is locked while room
// runs.
func (b *Inbox[T]) Put(item T, room func(*Ring[T]) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil && room(&b.items) {
		*b.items.Add() = item
		b.wake()
	}
}

// wake makes the readers look again; mu is held.
func (b *Inbox[T]) wake() {
	if b.came != nil {
		close(b.came)
		b.came = nil
	}
}

// Take removes the item whose index pick returns; -1 means none. The inbox is locked while pick
// runs.
func (b *Inbox[T]) Take(pick func(*Ring[T]) int) (item T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.take(pick)
}

func (b *Inbox[T]) take(pick func(*Ring[T]) int) (item T, ok bool) {
	if i := pick(&b.items); i >= 0 {
		item, ok = *b.items.At(i), true
		b.items.Remove(i)
	}
	return item, ok
}

// TakeOrNews is Take; if pick chooses none it returns a channel that is closed on news, or the
// error if the inbox is closed.
func (b *Inbox[T]) TakeOrNews(pick func(*Ring[T]) int) (item T, news <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	item, ok := b.take(pick)
	if ok || b.ended != nil {
		return item, nil, b.ended
	}
	if b.came == nil {
		b.came = make(chan struct{})
	}
	return item, b.came, nil
}

// Wait is Take, but waits until an item is chosen, the context ends, or the inbox is closed.
func (b *Inbox[T]) Wait(ctx context.Context, pick func(*Ring[T]) int) (item T, err error) {
	for {
		item, news, err := b.TakeOrNews(pick)
		if news == nil {
			return item, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return item, ctx.Err()
		}
	}
}

// Drop removes the items for which of returns true.
func (b *Inbox[T]) Drop(of func(T) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items.DeleteFunc(of)
}

// Len returns the number of items.
func (b *Inbox[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.items.Len()
}

// Close drops all items and accepts no more; readers get err.
func (b *Inbox[T]) Close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended, b.items = err, Ring[T]{}
	b.wake()
}
