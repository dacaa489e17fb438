package lab

import (
	"strings"
	"testing"
)

// TestCard: counts, order and document of a card; what a peer could have written does not become Markdown.
func TestCard(t *testing.T) {
	card := Card{
		{Rule: "cq/a", Says: "One.", Source: "s", Device: "rxe0", Driver: "rxe", Kernel: "6.12", Verdict: Kept},
		{Rule: "cq/b", Says: "Two.", Source: "s", Verdict: KnownToDiffer, LineN: 7, Line: "poll_cq cq", Seen: "none",
			Why: "it is so"},
		{Rule: "mr/c", Says: "Three.", Source: "s", Verdict: Broken, LineN: 8, Line: "x|y", Seen: "EINVAL", Why: "<b>"},
		{Rule: "mr/d", Says: "Four.", Source: "s", Verdict: NotOffered, Why: "max_mw is 0"},
	}
	if got := card.Counts(); got != "1 kept, 1 known difference, 1 broken, 1 not offered, 0 not run" {
		t.Error(got)
	}
	if err := card.Err(); err == nil || err.Error() != "broken: mr/c" {
		t.Error(err)
	}
	if err := card[:2].Err(); err != nil {
		t.Error(err)
	}
	var order []string
	for _, r := range card.Deviations() {
		order = append(order, r.Rule)
	}
	if got := strings.Join(order, " "); got != "mr/c cq/b mr/d" {
		t.Error(got)
	}
	text := card.Markdown()
	for _, want := range []string{"On rxe0 (rxe, kernel 6.12): 1 kept", "## broken",
		"| mr/c | Three. | s | 8: x\\|y | EINVAL | ",
		"## known difference", "## not offered", "## all rules", "| cq/a | kept | One. | s |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "<b>") || strings.Contains(text, "## not run") {
		t.Error(text)
	}
}
