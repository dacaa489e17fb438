package measure

import (
	"testing"

	"rdmatui/session/bench"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
)

// TestExplain: every field of the form and every pane has an explanation.
func TestExplain(t *testing.T) {
	x := open(t, theme.New("none", true))
	explained := func(what string) {
		t.Helper()
		if msg, ok := x.s.explain()().(screen.ExplainMsg); !ok || len(msg.Entries) == 0 {
			t.Errorf("%s has no explanation", what)
		}
	}
	for _, test := range bench.Tests {
		for _, ends := range endNames {
			x.Keys(".") // all fields, or what most use
			x.choose(fieldTest, test.String())
			x.choose(fieldEnds, ends)
			x.s.Focus = paneForm
			for _, f := range x.s.form.Fields() {
				x.s.form.Select(f.Name)
				explained(test.String() + ", " + f.Name)
			}
		}
		for x.s.Focus = paneRuns; x.s.Focus < panes; x.s.Focus++ {
			explained(test.String() + ", a pane")
		}
	}
}
