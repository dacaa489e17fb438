package transport

import (
	"testing"

	"rdmatui/verbs"
)

// TestSharedQueueTakesWithoutAllocating posts and takes RECVs as the engine does.
func TestSharedQueueTakesWithoutAllocating(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	queue, err := a.pd.CreateSRQ(verbs.SRQSpec{MaxWR: 4, MaxSGE: 4})
	ok(t, err)
	q, err := a.pd.NewQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: a.cq, RecvCQ: a.cq, SRQ: queue})
	ok(t, err)
	wr := []verbs.RecvWR{{WRID: 1, SGList: make([]verbs.SGE, 3)}}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := queue.PostRecv(wr...); err != nil {
			t.Fatal(err)
		}
		if w := q.rq.take(); w == nil || len(w.list) != 3 || w != q.rq.take() {
			t.Fatal("the RECV differs from the posted one, or was removed")
		}
		q.rq.done()
	}); n != 0 {
		t.Errorf("%v allocations a request", n)
	}
}
