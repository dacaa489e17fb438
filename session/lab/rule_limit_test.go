package lab

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// SetLimit bounds the time of a rule for a test.
func (r *RuleRun) SetLimit(d time.Duration) { r.limit = d }

// TestAwait: what comes soon after the end is waited for, and nothing else.
func TestAwait(t *testing.T) {
	for after, want := range map[time.Duration]bool{0: false, hangs / 2: false, 2 * hangs: true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			over := make(chan error, 1)
			time.AfterFunc(time.Minute+after, func() { over <- nil })
			if _, hung := await(ctx, over); hung != want {
				t.Errorf("%s after the end: hung %v", after, hung)
			}
		})
	}
}
