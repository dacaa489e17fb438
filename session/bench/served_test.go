package bench

import (
	"syscall"
	"testing"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// expecting is a queue pair that expects the packet psn next.
type expecting struct {
	verbs.QP
	psn verbs.PSN
	err error
}

func (e *expecting) Query(verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	return verbs.QPAttr{RQPSN: e.psn}, verbs.QPInitAttr{}, e.err
}

// TestLook: what a passive end has served follows from the expected PSNs, which wrap. The time counts from the last
// look before the first message.
func TestLook(t *testing.T) {
	const first = verbs.MaxPSN - 3
	r := &Run{p: Params{Test: Test{Verb: Write}, Size: 2048},
		lanes: make([]lane, 2)}
	r.info.Common.MTU = verbs.MTU1024
	qps := make([]*expecting, len(r.lanes))
	for i := range qps {
		qps[i] = &expecting{psn: first}
		r.lanes[i].q, r.lanes[i].peer.PSN = &queue.QP{QP: qps[i]}, first
	}
	look := func(psn verbs.PSN, messages uint64) {
		t.Helper()
		qps[1].psn = psn
		if err := r.Look(); err != nil {
			t.Fatal(err)
		}
		if got := r.Progress(); got.Messages != messages || got.Size != 2048 ||
			(got.Since.UnixNano() > 0) != (messages > 0) {
			t.Errorf("%+v, want %d messages", got, messages)
		}
		if got := r.Lanes()[1].Received; got != messages {
			t.Errorf("%d messages on the second queue pair, want %d", got, messages)
		}
	}
	look(first, 0)
	look(first+1, 0)
	before := r.served.at
	look(first+2, 1)
	if got := r.Progress().Since; !got.Equal(before) {
		t.Errorf("since %v, want %v", got, before)
	}
	look(4, 4)
	if got := r.Progress().Since; !got.Equal(before) {
		t.Errorf("the beginning moved to %v from %v", got, before)
	}
	qps[1].err = syscall.EIO
	if err := r.Look(); err == nil || r.Progress().Messages != 4 {
		t.Errorf("a state that cannot be read: %v, %+v", err, r.Progress())
	}
	r.served.over = true
	if err := r.Look(); err != nil {
		t.Errorf("after the end: %v", err)
	}
}
