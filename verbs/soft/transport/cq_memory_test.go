package transport

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// TestResizeTakesMemory: a completion queue takes memory for its entries from the budget, and keeps its size if it
// cannot grow or shrink.
func TestResizeTakesMemory(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	before := a.cq.CQE()
	for _, tt := range []struct {
		name   string
		cqe    int
		room   int // entries that the budget has room for, including the existing ones
		filled int
		fails  bool
	}{
		{"longer", 2 * before, 2 * before, 0, false},
		{"longer than there is room for", 2 * before, 2*before - 1, 0, true},
		{"shorter", before / 2, before, 2, false},
		{"shorter than its contents", 1, before, 2, true},
		{"as it was", before, before, 0, false},
	} {
		budget := memory.New(compQueueBytes(tt.room), "test")
		ok(t, budget.Take(compQueueBytes(before)))
		a.a.Quota.Memory = budget
		q := &CQ{dev: &a.d, eng: a.e, ring: make([]verbs.WC, before)}
		q.cqe.Store(int32(before))
		for range tt.filled {
			q.push(&verbs.WC{}, false)
		}
		want := tt.cqe
		if tt.fails {
			want = before
		}
		if err := q.resize(tt.cqe); (err != nil) != tt.fails || q.CQE() != want || len(q.ring) != want ||
			budget.Used() != compQueueBytes(want) {
			t.Errorf("%s: %v, %d entries, %d in use of %d bytes", tt.name, err, q.CQE(), budget.Used(),
				compQueueBytes(want))
		}
	}
}

// TestResizedQueueIsNamed: the users that an object names when it is busy have their current sizes.
func TestResizedQueueIsNamed(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	c, err := a.d.CreateCompChannel()
	ok(t, err)
	q, err := a.d.CreateCQ(verbs.CQSpec{CQE: 2, Channel: c})
	ok(t, err)
	ok(t, q.(*CQ).Resize(3))
	for _, err := range []error{c.Close(), a.d.Close()} {
		if err == nil || !strings.Contains(err.Error(), "CQ of 3 entries") ||
			strings.Contains(err.Error(), "CQ of 2 entries") {
			t.Error(err)
		}
	}
	ok(t, q.Close())
	ok(t, c.Close())
	if q, err := a.d.CreateCQ(verbs.CQSpec{CQE: 2, Channel: c}); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("on a closed channel: %v, %v", q, err)
	}
}
