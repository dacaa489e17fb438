package core

import (
	"context"
	"sync"

	"rdmatui/verbs"
)

// Background is a goroutine that can be stopped, and started again once it has ended.
// The zero value is ready.
type Background struct {
	mu    sync.Mutex
	stop  context.CancelFunc
	ended chan struct{} // closed when the goroutine has ended; nil: it was never started, or was stopped
}

// Start runs f in a goroutine until ctx ends or Stop is called, unless it is running
// already. crashed is called after a panic in f.
func (b *Background) Start(ctx context.Context, crashed verbs.CrashHook, f func(context.Context)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runningLocked() {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	b.stop, b.ended = stop, ended
	go func() {
		defer close(ended)
		defer stop()
		defer crashed.Catch()
		f(ctx)
	}()
}

// Stop ends the goroutine and waits until it has ended.
func (b *Background) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		b.stop()
		<-b.ended
		b.ended = nil
	}
}

// Running reports whether the goroutine has been started and has not ended.
func (b *Background) Running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runningLocked()
}

func (b *Background) runningLocked() bool {
	if b.ended == nil {
		return false
	}
	select {
	case <-b.ended:
		return false
	default:
		return true
	}
}
