package core

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestBackground: a goroutine runs once at a time, and can be started again after it has ended, whether it was stopped
// or returned.
func TestBackground(t *testing.T) {
	for _, tt := range []struct {
		name    string
		returns bool // by itself
		steps   func(start, stop func())
		runs    int
		running bool
	}{
		{"never started", false, func(_, stop func()) { stop() }, 0, false},
		{"started", false, func(start, _ func()) { start() }, 1, true},
		{"started twice", false, func(start, _ func()) { start(); start() }, 1, true},
		{"stopped twice", false, func(start, stop func()) { start(); stop(); stop() }, 1, false},
		{"started again", false, func(start, stop func()) { start(); stop(); start() }, 2, true},
		{"returned", true, func(start, _ func()) { start() }, 1, false},
		{"returned and started again", true, func(start, _ func()) { start(); start() }, 2, false},
		{"returned and stopped", true, func(start, stop func()) { start(); stop() }, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var b Background
			runs := 0
			start := func() {
				b.Start(ctx, nil, func(ctx context.Context) {
					if runs++; !tt.returns {
						<-ctx.Done()
					}
				})
				synctest.Wait()
			}
			tt.steps(start, b.Stop)
			if runs != tt.runs || b.Running() != tt.running {
				t.Errorf("%s: %d runs, running %v", tt.name, runs, b.Running())
			}
			cancel()
			synctest.Wait()
			if b.Running() {
				t.Errorf("%s: running after its context has ended", tt.name)
			}
		})
	}
}

// TestBackgroundPanic: a goroutine that panics reports it, and can be started again.
func TestBackgroundPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Background
		crashes := 0
		for range 2 {
			b.Start(t.Context(), func(any, []byte) { crashes++ }, func(context.Context) { panic("fell over") })
			synctest.Wait()
		}
		if crashes != 2 || b.Running() {
			t.Errorf("%d crashes, running %v", crashes, b.Running())
		}
		b.Stop()
	})
}
