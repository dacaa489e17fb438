package queue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRequestsAreMatchedInOrder(t *testing.T) {
	var q Requests
	for i := range uint64(40) {
		q.Push(Request{WRID: i, At: int64(i), Signaled: i%4 == 3})
	}
	for _, step := range []struct {
		wrID   uint64
		failed bool
		ok     bool
		left   int
	}{
		{3, false, true, 36},   // retires the three before it, which were unsignaled
		{5, false, false, 36},  // unsignaled: cannot have succeeded with a completion
		{5, true, true, 34},    // but can have failed
		{99, false, false, 34}, // never posted
		{39, false, true, 0},
	} {
		r, ok := q.retire(step.wrID, step.failed)
		if ok != step.ok || q.Len() != step.left || ok && r.At != int64(step.wrID) {
			t.Errorf("%d: %+v %v, %d left, want %d", step.wrID, r, ok, q.Len(), step.left)
		}
	}
	for i := range uint64(100) { // the ring wraps
		q.Push(Request{WRID: i, Signaled: true})
		if r, ok := q.retire(i, false); !ok || r.WRID != i {
			t.Fatal(i, r, ok)
		}
	}
}

// TestSharedRequestsAreMatchedOutOfOrder completes requests of a shared receive queue
// in random order.
func TestSharedRequestsAreMatchedOutOfOrder(t *testing.T) {
	q := Requests{shared: true}
	left := []uint64{}
	for i := range uint64(30) { // more than the initial size of the ring
		q.Push(Request{WRID: i % 20, At: int64(i), Signaled: true})
		left = append(left, i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for len(left) > 0 {
		want := left[rng.IntN(len(left))]
		// the oldest request with that number
		first := slices.IndexFunc(left, func(i uint64) bool { return i%20 == want%20 })
		if !q.isNext(want % 20) {
			t.Fatalf("no request %d", want)
		}
		r, ok := q.retire(want%20, rng.IntN(2) == 0)
		if !ok || r.At != int64(left[first]) || r.WRID != want%20 {
			t.Fatalf("%d: %+v, want the request of %d", want, r, left[first])
		}
		left = slices.Delete(left, first, first+1)
		if q.Len() != len(left) {
			t.Fatalf("%d left, want %d", q.Len(), len(left))
		}
		if len(left) == 25 {
			q.Push(Request{WRID: 99, At: 99, Signaled: true})
			left = append(left, 99) // 99 % 20 is 19: look it up separately
			if r, ok := q.retire(99, false); !ok || r.At != 99 {
				t.Fatal(r, ok)
			}
			left = left[:len(left)-1]
		}
	}
	if q.isNext(3) {
		t.Error("an empty queue has a next request")
	}
	if _, ok := q.retire(3, true); ok {
		t.Error("an empty queue retired a request")
	}
}
