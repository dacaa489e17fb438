package ring

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// all returns a ring's elements and checks that every way of reading it agrees.
func all(t *testing.T, r *Ring[int]) []int {
	t.Helper()
	got := r.AppendTo(nil, 0, r.Len())
	for i, v := range got {
		if *r.At(i) != v {
			t.Errorf("element %d of %v is %d", i, got, *r.At(i))
		}
	}
	return got
}

// TestAsASlice performs the same operations on a ring and on a slice.
func TestAsASlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var r Ring[int]
	var want []int
	for next := range 5000 {
		k := rng.IntN(4)
		switch most := 1 + next/50; rng.IntN(9) {
		case 0:
			r.Drop(k)
			want = want[min(k, len(want)):]
		case 1:
			r.DropNewest(k)
			want = want[:len(want)-min(k, len(want))]
		case 2:
			if len(want) > 0 {
				i := rng.IntN(len(want))
				r.Remove(i)
				want = slices.Delete(slices.Clone(want), i, i+1)
			}
		case 3:
			some := func(v int) bool { return v%7 == k }
			if got := r.Index(some); got != slices.IndexFunc(want, some) {
				t.Fatalf("index %d in %v", got, want)
			}
			r.DeleteFunc(some)
			want = slices.DeleteFunc(slices.Clone(want), some)
		case 4:
			*r.Add() = next
			want = append(want, next)
		default:
			if *r.Keep(most) = next; len(want) >= most {
				want = want[1:]
			}
			want = append(want, next)
		}
		if got := all(t, &r); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		if i := rng.IntN(len(want) + 1); !slices.Equal(r.AppendTo([]int{-1}, i, len(want)-i)[1:], want[i:]) {
			t.Fatalf("from %d: %v, want %v", i, r.AppendTo(nil, i, len(want)-i), want[i:])
		}
	}
}

// TestDroppedIsForgotten checks that memory referenced by a dropped element can
// be freed.
func TestDroppedIsForgotten(t *testing.T) {
	var r Ring[*int]
	for i := range 20 {
		*r.Keep(8) = &i
	}
	r.Remove(3)
	r.DropNewest(2)
	r.Drop(3)
	held := slices.IndexFunc(r.slots, func(p *int) bool { return p != nil })
	if n := len(r.slots) -
		len(slices.DeleteFunc(slices.Clone(r.slots), func(p *int) bool { return p != nil })); n != r.Len() ||
		r.Len() != 2 {
		t.Errorf("%d elements, %d references from %d on", r.Len(), n, held)
	}
}

func TestAppendWhile(t *testing.T) {
	var r Ring[int]
	for i := range 40 {
		*r.Keep(10) = i
	}
	for _, tt := range []struct {
		after, limit int
		want         []int
	}{
		{36, 0, []int{37, 38, 39}},
		{36, 2, []int{38, 39}},
		{36, 9, []int{37, 38, 39}},
		{39, 0, nil},
		{0, 0, []int{30, 31, 32, 33, 34, 35, 36, 37, 38, 39}},
	} {
		if got := r.AppendWhile(nil, tt.limit, func(v *int) bool { return *v > tt.after }); !slices.Equal(got,
			tt.want) {
			t.Errorf("after %d at most %d: %v, want %v", tt.after, tt.limit, got, tt.want)
		}
	}
}

func TestKeepDoesNotAllocate(t *testing.T) {
	var r Ring[int]
	for i := range 100 {
		*r.Keep(64) = i
	}
	if n := testing.AllocsPerRun(100, func() { *r.Keep(64) = 1 }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNewest(t *testing.T) {
	for n, want := range [][]int{{}, {3}, {2, 3}, {1, 2, 3}, {1, 2, 3}} {
		if got := Newest([]int{1, 2, 3}, n); !slices.Equal(got, want) {
			t.Errorf("newest %d: %v", n, got)
		}
	}
}
