package syntax

import (
	"strings"
	"testing"
)

// TestDistance counts changed letters; two swapped neighbours count as one change.
func TestDistance(t *testing.T) {
	for words, want := range map[string]int{
		"": 0, "abc abc": 0, "abc abd": 1, "abc ab": 1, "ab abc": 1, "abc bc": 1, "abc acb": 1, "abc cab": 2,
		"abcd badc": 2, "abc xyz": 3, " abc": 3, "abc ": 3,
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

// TestSuggestForLongWords: what is longer than a name can be is not compared.
func TestSuggestForLongWords(t *testing.T) {
	name := strings.Repeat("n", MaxNameLen)
	for word, want := range map[string]string{name[1:]: name, name[1:] + "m": name, name + "n": ""} {
		if got := Suggest(word, []string{name}); got != want {
			t.Errorf("%d bytes: %q", len(word), got)
		}
	}
}

// TestSuggest names the nearest word, if it is near enough for the word's length.
func TestSuggest(t *testing.T) {
	from := []string{"ab", "post_send", "post_recv", "READ", "poll_cq"}
	for word, want := range map[string]string{
		"ab": "ab", "a": "ab", "xy": "", "xb": "ab", "post_sned": "post_send", "pos_sedn": "post_send", "read": "READ",
		"rd": "", "pol": "poll_cq", "POLL": "poll_cq", "po": "", "post": "post_send", "post_r": "post_recv",
		"xoll_cx": "poll_cq", "xxll_cx": "", "qqqqqqqqq": "",
	} {
		if got := Suggest(word, from); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	for word, want := range map[string]string{"read": "did you mean READ?",
		"zzz": "one of ab post_send post_recv READ poll_cq"} {
		if got := DidYouMean(word, from); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	many := make([]string, 13)
	if got := DidYouMean("zzz", many[:12]) + DidYouMean("zzz", many) + DidYouMean("zzz", nil); got != "one of "+
		strings.Repeat(" ", 11) {
		t.Errorf("%q", got)
	}
}
