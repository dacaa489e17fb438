package queue

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlice: a loop yields when its time is up, and looks at the clock every sliceCheck messages.
func TestSlice(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		var s Slice
		spend := func(n int, want bool) {
			t.Helper()
			ran, before := atomic.Bool{}, s.since
			go ran.Store(true)
			for range n {
				s.Spend()
			}
			if yielded := s.since != before; yielded != want {
				t.Errorf("%d messages: yielded %v, want %v", n, yielded, want)
			}
			if want && !ran.Load() { // the scheduler sometimes chooses the one that yields
				s.since = time.Time{}
				for range sliceCheck {
					s.Spend()
				}
			}
			if want && !ran.Load() {
				t.Error("no other goroutine ran")
			}
			synctest.Wait()
		}
		spend(sliceCheck-1, false)
		spend(1, true)
		spend(4*sliceCheck, false)
		time.Sleep(sliceTime - 1)
		spend(sliceCheck, false)
		time.Sleep(time.Nanosecond)
		spend(sliceCheck, true)
	})
}
