//go:build linux && !race

// The race detector empties sync.Pool at random, and the call path uses one.

package dl

import "testing"

func TestCall3DoesNotAllocate(t *testing.T) {
	for way, l := range waysToCall(t) {
		errno := bind[ErrnoFunc](t, l, "abs")
		count := bind[CountFunc](t, l, "abs")
		atOnce := count.AtOnce(NewPace(nil))
		calls := map[string]func(){
			"ErrnoFunc":               func() { _ = errno.Call3(0, 1, 2) },
			"ErrnoFunc with an error": func() { _ = errno.Call3(12, 1, 2) },
			"CountFunc":               func() { _, _ = count.Call3(16, 1, 2) },
			"CountFunc, at once":      func() { _, _ = atOnce.Call3(16, 1, 2) },
		}
		for name, call := range calls {
			// Below one per run: a collection during the test may empty the pool.
			if n := testing.AllocsPerRun(1000, call); n >= 1 {
				t.Errorf("%s, %s: %v allocations a call", way, name, n)
			}
		}
	}
}
