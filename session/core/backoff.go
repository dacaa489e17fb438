package core

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// ErrTimeUp ends a pause whose time is up.
var ErrTimeUp = errors.New("the time is up")

// Backoff waits longer from time to time, so that what comes at once is seen at
// once and what does not come costs little.
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

// NewBackoff makes a backoff whose time is up after timeout.
func NewBackoff(timeout time.Duration) *Backoff {
	return &Backoff{deadline: time.Now().Add(timeout), next: backoffFirst}
}

// Pause waits a little; its error is that of ctx, or errTimeUp.
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

// TimeUp words the end of a wait whose own time is up; outer is the context
// without that limit.
func TimeUp(outer context.Context, err error, format string, args ...any) error {
	if outer.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf(format, args...)
	}
	return err
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

// PollPatience bounds a get that is not to sleep.
const PollPatience = 100 * time.Microsecond
