package queue

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlice: a loop yields when it has run for 5 ms, half of the time after which Go interrupts it, and looks at
// the clock every 16 messages.
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
				for range 16 {
					s.Spend()
				}
			}
			if want && !ran.Load() {
				t.Error("no other goroutine ran")
			}
			synctest.Wait()
		}
		spend(15, false)
		spend(1, true)
		spend(64, false)
		time.Sleep(5*time.Millisecond - 1)
		spend(16, false)
		time.Sleep(time.Nanosecond)
		spend(16, true)
	})
}
