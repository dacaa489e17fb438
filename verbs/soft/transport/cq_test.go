package transport

import (
	"testing"

	"rdmatui/verbs"
)

// TestWakeNext: a queue wakes its waiter at the next completion, once. It refuses the request if a completion is queued already: the waiter
// would sleep through it.
func TestWakeNext(t *testing.T) {
	q := &CQ{ring: make([]verbs.WC, 4)}
	wake := make(chan struct{}, 1)
	woken := func() (n int) {
		for ; len(wake) > 0; n++ {
			<-wake
		}
		return n
	}
	if !q.WakeNext(wake) || woken() != 0 {
		t.Fatal("an empty queue did not take the request, or woke at once")
	}
	for i, want := range []int{1, 0} {
		if q.push(&verbs.WC{}, false); woken() != want {
			t.Errorf("completion %d did not wake %d times", i, want)
		}
	}
	if q.WakeNext(wake) {
		t.Error("a queue with completions takes the request")
	}
	if n, err := q.take(make([]verbs.WC, 4)); n != 2 || err != nil || !q.WakeNext(wake) {
		t.Errorf("%d, %v, or the emptied queue does not take the request", n, err)
	}
	wake <- struct{}{} // of a post
	if q.push(&verbs.WC{}, false); woken() != 1 {
		t.Error("the wakeup blocked on a full channel, or emptied it")
	}
}
