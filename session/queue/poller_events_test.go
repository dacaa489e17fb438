package queue

import "testing"

// TestWaiter: each event that is passed on cancels the current wait and stands for the event of one later wait.
func TestWaiter(t *testing.T) {
	for passed := range 3 {
		var w waiter
		woken := 0
		if w.begin(func() { woken++ }) {
			t.Fatal("an event before any was passed on")
		}
		for range passed {
			w.pass()
		}
		if woken != passed {
			t.Errorf("%d passed on, woken %d times", passed, woken)
		}
		for range passed {
			if !w.begin(nil) {
				t.Errorf("%d passed on: one ended no wait", passed)
			}
		}
		if w.begin(nil) {
			t.Errorf("%d passed on: one ended two waits", passed)
		}
		if w.pass(); woken != passed {
			t.Errorf("%d passed on: a wait that was over was woken", passed)
		}
	}
	var w waiter
	w.pass() // before the first wait
	if !w.begin(nil) {
		t.Error("an event that was passed on before the first wait is lost")
	}
}
