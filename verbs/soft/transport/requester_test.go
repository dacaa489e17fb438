package transport

import (
	"testing"

	"rdmatui/verbs"
)

// TestGoBackToWhatIsNotDone goes back to the PSN of a BIND_MW. One that is not done must be executed again: it has no packet, so nothing
// else leads back to it. One that is done is skipped.
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

// TestSmallWindowAsks: every window has packets that request an acknowledgement, so that it cannot fill up without one.
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
			t.Errorf("%d of %d packets request an ACK", asked, r.window)
		}
		if !r.asksACK(true) {
			t.Error("the last packet requests no ACK")
		}
	}
}
