package ring

import (
	"strings"
	"testing"
)

// TestTurns serves all entries: the sources in turn, the oldest entry of each
// first.
func TestTurns(t *testing.T) {
	for waiting, want := range map[string]string{
		"a": "a", "aaaa": "aaaa", "aaab": "abaa", "aaabbbc": "abcabab", "abc": "abc", "cab": "cab",
	} {
		var turns Turns[string]
		left, got := strings.Split(waiting, ""), ""
		for len(left) > 0 {
			i := turns.Next(left)
			got += left[i]
			left = append(left[:i], left[i+1:]...)
		}
		if got != want {
			t.Errorf("%s went as %s, want %s", waiting, got, want)
		}
	}
}

// TestTurnsForget checks that sources that no longer wait are forgotten.
func TestTurnsForget(t *testing.T) {
	var turns Turns[int]
	for i := range 1000 {
		turns.Next([]int{i, i + 1, i + 2})
	}
	if n := len(turns.last); n > 3 {
		t.Errorf("%d sources are remembered", n)
	}
}
