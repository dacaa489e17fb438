package syntax

import (
	"strings"
	"testing"
)

// TestDistance counts changed letters; two swapped neighbours count as one change.
func TestDistance(t *testing.T) {
	for words, want := range map[string]int{
		"": 0, "abc abc": 0, "abc abd": 1, "abc ab": 1, "ab abc": 1, "abc bc": 1, "abc acb": 1, "abc cab": 2, "abcd badc": 2, "abc xyz": 3, " abc": 3, "abc ": 3,
		"kitten sitting": 3, "modfy_qp modify_qp": 1,
	} {
		a, b, _ := strings.Cut(words, " ")
		if got := distance(a, b); got != want {
			t.Errorf("%q and %q: %d, want %d", a, b, got, want)
		}
		if got := distance(b, a); got != want {
			t.Errorf("%q and %q: %d, want %d", b, a, got, want)
		}
	}
}
