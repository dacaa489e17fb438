package core

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// ErrTimeUp ends a pause whose time is up.
var ErrTimeUp = errors.New("the time is up")

// Backoff increases the pauses between polls: early results are found quickly, and
// long waits cost little.
type Backoff struct {
	deadline time.Time
	spins    int
	next     time.Duration
}

const (
	backoffSpins = 64
	backoffFirst = 20 * time.Microsecond
	backoffLast  = 2 * time.Millisecond
)

// NewBackoff makes a backoff that expires after timeout.
func NewBackoff(timeout time.Duration) *Backoff {
	return &Backoff{deadline: time.Now().Add(timeout), next: backoffFirst}
}

// Pause waits for the next interval; its error is that of ctx, or ErrTimeUp.
func (b *Backoff) Pause(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left := time.Until(b.deadline)
	if left <= 0 {
		return ErrTimeUp
	}
	if b.spins < backoffSpins {
		b.spins++
		runtime.Gosched()
		return nil
	}
	t := time.NewTimer(min(b.next, left))
	defer t.Stop()
	b.next = min(2*b.next, backoffLast)
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Rest waits for d, or until ctx ends.
func Rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// PollPatience bounds a call that must not block.
const PollPatience = 100 * time.Microsecond
