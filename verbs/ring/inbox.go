package ring

import (
	"context"
	"sync"
)

// Inbox is a queue whose readers wait for what fits them. The zero value is empty
// and ready; any goroutine may call its methods.
type Inbox[T any] struct {
	mu    sync.Mutex
	items Ring[T]
	came  chan struct{} // closed when there is news; nil while nobody waits
	ended error
}

// Put adds an item for which room, which may drop others, finds room. The inbox is
// locked meanwhile.
func (b *Inbox[T]) Put(item T, room func(*Ring[T]) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil && room(&b.items) {
		*b.items.Add() = item
		b.wake()
	}
}

// wake has readers look again; mu is held.
func (b *Inbox[T]) wake() {
	if b.came != nil {
		close(b.came)
		b.came = nil
	}
}

// Take removes the item that pick chooses by its index; -1 is none. The inbox is locked meanwhile.
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

// TakeOrNews is Take; where none is chosen it returns a channel that is closed when
// there is news, or why there will be none.
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

// Wait is Take that waits until an item is chosen, the context ends, or the inbox is closed.
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

// Drop removes the items of which of holds.
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

// Close drops all items and takes no more; readers get err.
func (b *Inbox[T]) Close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended, b.items = err, Ring[T]{}
	b.wake()
}
