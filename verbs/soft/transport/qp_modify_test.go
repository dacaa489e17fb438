package transport

import (
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
)

// TestPostedInSQE posts in SQE and moves to RTS before the engine has seen the request: the request is flushed.
func TestPostedInSQE(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := connect(t, verbs.UC)
		a.q.mu.Lock()
		a.q.setState(verbs.QPSQE)
		a.send(1, verbs.WRSend)
		err := a.q.modify(&verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS})
		a.q.mu.Unlock()
		ok(t, err)
		synctest.Wait()
		a.want(1, verbs.WCWRFlushErr)
		if n := a.e.link.Counters().Sent; n != 0 {
			t.Errorf("%d packets were sent", n)
		}
	})
}

// TestClosedIsNotServed: a queue pair that was closed while it waited for its turn gets none.
func TestClosedIsNotServed(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	ok(t, a.q.Close())
	a.q.mu.Lock()
	defer a.q.mu.Unlock()
	a.q.fatal = true // its completion queue overran
	if more := a.q.serve(&Engine{}); more || a.q.state != verbs.QPReset {
		t.Errorf("more to do: %t, in %s", more, a.q.state)
	}
}
