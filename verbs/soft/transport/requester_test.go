package transport

import (
	"testing"

	"rdmatui/verbs"
)

// TestGoBackToWhatIsNotDone goes back to the PSN of a BIND_MW that waits for its turn: nothing else leads to it, as it has no packet. One
// that is done is passed by.
func TestGoBackToWhatIsNotDone(t *testing.T) {
	q := &QP{mtu: 1024}
	q.sq.init(verbs.QPCap{MaxSendWR: 2})
	q.sq.tail.Store(1)
	w := q.sq.at(0)
	w.op, w.first, w.last = verbs.WRBindMW, 10, 9
	for _, done := range []bool{false, true} {
		w.done = done
		q.req, q.comp.una = requester{q: q, started: 1, psn: 7, top: 10}, 10
		q.req.goBack(10)
		if passed := q.req.next == 1; passed != done {
			t.Errorf("done %t: the next request is %d", done, q.req.next)
		}
	}
}

// TestSmallWindowAsks makes sure that a window never fills up without a packet that asks for an acknowledgement.
func TestSmallWindowAsks(t *testing.T) {
	r := requester{}
	for r.window = minWindow; r.window <= MaxWindow; r.window++ {
		r.unasked = 0
		asked := 0
		for range r.window {
			if r.asksACK(false) {
				asked++
			}
		}
		if asked < min(asksPerWindow, r.window) {
			t.Errorf("%d of %d packets ask", asked, r.window)
		}
		if !r.asksACK(true) {
			t.Error("the last packet does not ask")
		}
	}
}
