package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rdmatui/session/command"
)

// TestFreeName: the name is the first free one of stem, stem2, stem3 …, whatever objects were made and removed before.
func TestFreeName(t *testing.T) {
	kinds := []command.ObjectKind{command.KindPD, command.KindCQ, command.KindMR}
	stems := []string{"x", "x1", "x12", "x2", "x02"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var g Graph
		var nodes []*Node
		for range 400 {
			if len(nodes) > 0 && r.IntN(5) < 2 {
				i := r.IntN(len(nodes))
				g.Remove(nodes[i])
				nodes = slices.Delete(nodes, i, i+1)
				continue
			}
			stem := stems[r.IntN(len(stems))]
			want := stem
			for i := 2; g.ByName[want] != nil; i++ {
				want = fmt.Sprintf("%s%d", stem, i)
			}
			got := g.FreeName(stem)
			if got != want {
				t.Fatalf("seed %d: %s, want %s", seed, got, want)
			}
			if r.IntN(4) > 0 { // the returned name is not always used
				n := &Node{Name: got, Kind: kinds[r.IntN(len(kinds))]}
				g.Add(n)
				nodes = append(nodes, n)
			}
		}
		if !slices.Equal(g.Nodes, nodes) {
			t.Fatalf("seed %d: the objects are not in the order in which they were made", seed)
		}
		for _, asked := range [][]command.ObjectKind{nil, kinds[:1], kinds[1:]} {
			var want []string
			for _, n := range nodes {
				if len(asked) == 0 || slices.Contains(asked, n.Kind) {
					want = append(want, n.Name)
				}
			}
			if got := g.Names(asked...); !slices.Equal(got, want) {
				t.Errorf("seed %d: of %v %v, want %v", seed, asked, got, want)
			}
		}
	}
}
