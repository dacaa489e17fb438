package transport

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// TestSharedQueueTakesMemory: a shared receive queue takes memory for its requests from the budget, and keeps its
// length and its limit if there is none left. Both lengths count while it is resized.
func TestSharedQueueTakesMemory(t *testing.T) {
	const before, sge = 8, 4
	a, _ := connect(t, verbs.RC)
	for _, tt := range []struct {
		name  string
		depth uint32
		room  uint64 // bytes beyond those of the queue
		fails bool
	}{
		{"longer", 16, recvQueueBytes(16, sge), false},
		{"longer than there is room for", 16, recvQueueBytes(16, sge) - 1, true},
		{"shorter", 2, recvQueueBytes(2, sge), false},
		{"shorter without room for both", 2, recvQueueBytes(2, sge) - 1, true},
		{"as it was", before, 0, false},
	} {
		budget := memory.New(recvQueueBytes(before, sge)+tt.room, "test")
		ok(t, budget.Take(recvQueueBytes(before, sge)))
		a.a.Quota.Memory = budget
		s := &SRQ{pd: a.pd}
		s.ring.init(before, sge)
		err := s.modify(&verbs.SRQAttr{Mask: verbs.SRQMaxWR | verbs.SRQLimit, MaxWR: tt.depth, Limit: 1})
		depth, limit := tt.depth, uint32(1)
		if tt.fails {
			depth, limit = before, 0
		}
		if errors.Is(err, syscall.ENOMEM) != tt.fails || s.ring.depth != depth || s.limit != limit ||
			budget.Used() != recvQueueBytes(depth, sge) {
			t.Errorf("%s: %v, %d requests, limit %d, %d bytes in use", tt.name, err, s.ring.depth, s.limit,
				budget.Used())
		}
	}
}

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
