package queue

import "testing"

// TestWaiter: each event that is passed on ends one wait, the current one or the next.
func TestWaiter(t *testing.T) {
	for _, tt := range []struct {
		handed     int
		came, have bool
		left       int
	}{
		{0, false, false, 0}, {0, true, true, 0}, {1, false, true, 0}, {1, true, true, 1}, {2, false, true, 1},
	} {
		var w waiter
		roused := 0
		if w.begin(func() { roused++ }) {
			t.Fatal("an event before any was passed on")
		}
		for range tt.handed {
			w.hand()
		}
		if have := w.end(tt.came); have != tt.have || w.handed != tt.left || roused != tt.handed {
			t.Errorf("%+v: have %v, %d left, woken %d times", tt, have, w.handed, roused)
		}
		for range tt.left {
			if !w.begin(nil) {
				t.Errorf("%+v: a pending event ended no wait", tt)
			}
		}
		if w.begin(nil) {
			t.Errorf("%+v: an event ended two waits", tt)
		}
		if w.hand(); roused != tt.handed {
			t.Errorf("%+v: a wait that was over was woken", tt)
		}
	}
}
