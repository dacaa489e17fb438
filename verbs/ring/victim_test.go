package ring

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestVictim(t *testing.T) {
	for _, tt := range []struct {
		table, newcomer string
		want            int
	}{
		{"", "a", Nobody},
		{"aaaa", "a", Nobody},
		{"aaaa", "b", 0},
		{"baaa", "b", 1},
		{"bbaa", "b", Nobody},
		{"bbaa", "a", Nobody},
		{"bbaa", "c", 0},
		{"cbbaaa", "b", 3},
		{"abcd", "e", 0},
		{"abcd", "d", Nobody},
	} {
		if got := Victim(strings.Split(tt.table, ""), tt.newcomer); got != tt.want {
			t.Errorf("%s and one more of %s: %d, want %d", tt.table, tt.newcomer, got, tt.want)
		}
	}
}

// TestShares fills a table from sources of which one sends nine of ten entries, and checks that all end up with equal
// shares.
func TestShares(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table []int
	for range 10_000 {
		s := 0
		if random.IntN(10) == 0 {
			s = 1 + random.IntN(3)
		}
		if len(table) == 64 {
			v := Victim(table, s)
			if v == Nobody {
				continue
			}
			table = slices.Delete(table, v, v+1)
		}
		table = append(table, s)
	}
	for s := range 4 {
		n := 0
		for _, e := range table {
			if e == s {
				n++
			}
		}
		if n < 15 || n > 17 {
			t.Errorf("source %d has %d of 64 entries, want 16", s, n)
		}
	}
}
