package widget

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDivide(t *testing.T) {
	tests := []struct {
		name       string
		total, gap int
		items      []Space
		want       []int
	}{
		{"fixed and rest", 20, 0, []Space{{Size: 5}, {Weight: 1}}, []int{5, 15}},
		{"weights", 30, 0, []Space{{Weight: 1}, {Weight: 2}}, []int{10, 20}},
		{"gap", 21, 1, []Space{{Weight: 1}, {Weight: 1}}, []int{10, 10}},
		{"odd cell is not lost", 11, 0, []Space{{Weight: 1}, {Weight: 1}}, []int{5, 6}},
		{"highest level dropped first", 10, 0, []Space{{Size: 6}, {Size: 4, Drop: 1}, {Size: 4, Drop: 2}},
			[]int{6, 4, 0}},
		{"squeezed before dropped", 10, 0, []Space{{Size: 6}, {Size: 8, Min: 4, Drop: 1}}, []int{6, 4}},
		{"squeezed in the order of dropping", 14, 0,
			[]Space{{Size: 6, Min: 2, Drop: 2}, {Size: 6}, {Size: 6, Min: 2, Drop: 1}}, []int{2, 6, 6}},
		{"too small for all", 4, 0, []Space{{Size: 3}, {Size: 3}}, []int{3, 1}},
		{"none", 0, 1, []Space{{Size: 3}}, []int{0}},
		{"nothing to share", 5, 0, nil, []int{}},
		{"of one level the last is dropped first", 10, 0, []Space{{Size: 4, Drop: 1}, {Size: 4}, {Size: 4, Drop: 1}},
			[]int{4, 4, 0}},
		{"of one level the last is squeezed first", 8, 0, []Space{{Size: 4, Min: 2, Drop: 1}, {Size: 4, Min: 1,
			Drop: 1}},
			[]int{4, 4}},
		{"one is squeezed before another", 7, 0, []Space{{Size: 4, Min: 2, Drop: 1}, {Size: 4, Min: 1, Drop: 1}},
			[]int{4, 3}},
		{"both are squeezed", 4, 0, []Space{{Size: 4, Min: 2, Drop: 1}, {Size: 4, Min: 1, Drop: 1}}, []int{3, 1}},
		{"a gap goes with what is dropped", 9, 1, []Space{{Size: 4}, {Size: 4}, {Size: 1, Drop: 1}}, []int{4, 4, 0}},
		{"a gap has room", 11, 1, []Space{{Size: 4}, {Size: 4}, {Size: 1, Drop: 1}}, []int{4, 4, 1}},
		{"one lacks a cell for its gap", 10, 1, []Space{{Size: 4}, {Size: 4}, {Size: 1, Drop: 1}}, []int{4, 4, 0}},
		{"no size and no weight", 9, 0, []Space{{}, {Weight: 1}}, []int{1, 8}},
		{"a size with a weight", 20, 0, []Space{{Size: 6, Weight: 1}, {Size: 2, Weight: 3}}, []int{9, 11}},
		{"a minimum above the size", 20, 0, []Space{{Size: 2, Min: 5}, {Weight: 1}}, []int{5, 15}},
		{"what is dropped has no share", 6, 0, []Space{{Min: 4, Weight: 1}, {Min: 4, Weight: 9, Drop: 1}}, []int{6, 0}},
		{"last squeezed to nothing", 3, 0, []Space{{Size: 2}, {Size: 2}, {Size: 2}}, []int{2, 1, 0}},
		{"dropped one after the other", 3, 0, []Space{{Size: 3}, {Size: 2, Drop: 2}, {Size: 2, Drop: 1}}, []int{3, 0,
			0}},
	}
	for _, tt := range tests {
		if got := Divide(nil, tt.total, tt.gap, tt.items); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Sizes never exceed the space, and fill it when an item with a weight is there.
func TestDivideBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		items := make([]Space, 1+rng.IntN(6))
		for i := range items {
			items[i] = Space{rng.IntN(20), rng.IntN(8), rng.IntN(3), rng.IntN(3)}
		}
		total, gap := rng.IntN(100), rng.IntN(3)
		size := Divide(nil, total, gap, items)
		used, weighted := sum(size)+gaps(size, gap), false
		for i, n := range size {
			weighted = weighted || n > 0 && items[i].Weight > 0
			if n < 0 {
				t.Fatalf("negative size: %v of %d for %+v", size, total, items)
			}
		}
		if used > total || weighted && used != total {
			t.Fatalf("%v with gap %d uses %d of %d for %+v", size, gap, used, total, items)
		}
	}
}
