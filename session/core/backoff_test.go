package core

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestBackoff: the first pauses only let others run, later ones become longer up to a bound, and none goes beyond
// the timeout.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 10 * time.Millisecond
		begin := time.Now()
		b := NewBackoff(timeout)
		for range backoffSpins {
			if err := b.Pause(t.Context()); err != nil || time.Since(begin) != 0 {
				t.Fatalf("%v after %s", err, time.Since(begin))
			}
		}
		for want := time.Duration(backoffFirst); ; want = min(2*want, backoffLast) {
			before := time.Now()
			err := b.Pause(t.Context())
			if took := time.Since(before); err == nil && took != min(want, timeout-before.Sub(begin)) {
				t.Errorf("a pause of %s, want %s", took, want)
			}
			if err != nil {
				if !errors.Is(err, ErrTimeUp) || time.Since(begin) != timeout {
					t.Errorf("%v after %s", err, time.Since(begin))
				}
				break
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := NewBackoff(timeout).Pause(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
