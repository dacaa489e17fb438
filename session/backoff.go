package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// errTimeUp ends a pause whose time is up.
var errTimeUp = errors.New("the time is up")

// backoff waits longer from time to time, so that what comes at once is seen at
// once and what does not come costs little.
type backoff struct {
	deadline time.Time
	spins    int
	next     time.Duration
}

const (
	backoffSpins = 64
	backoffFirst = 20 * time.Microsecond
	backoffLast  = 2 * time.Millisecond
)

// newBackoff makes a backoff whose time is up after timeout.
func newBackoff(timeout time.Duration) *backoff {
	return &backoff{deadline: time.Now().Add(timeout), next: backoffFirst}
}

// pause waits a little; its error is that of ctx, or errTimeUp.
func (b *backoff) pause(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left := time.Until(b.deadline)
	if left <= 0 {
		return errTimeUp
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

// timeUp words the end of a wait whose own time is up; outer is the context
// without that limit.
func timeUp(outer context.Context, err error, format string, args ...any) error {
	if outer.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf(format, args...)
	}
	return err
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// pollPatience bounds a get that is not to sleep.
const pollPatience = 100 * time.Microsecond
