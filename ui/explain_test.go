package ui

import (
	"strings"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
)

// typed opens the palette, types a line and runs it.
func (r *rig) typed(text string) {
	r.Keys(":")
	r.Type(text)
	r.Keys("enter")
}

// The palette explains without asking the session; esc goes back to the screen.
func TestExplainInPalette(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		r := newRig(t, size[0], size[1])
		r.typed("explain status 12")
		if !r.Contains("RETRY_EXC_ERR") || !r.Contains("the peer never answered") {
			t.Errorf("%v: status 12 is not explained:\n%s", size, r.View())
		}
		r.Keys("esc")
		if r.Contains("never answered") || len(r.session.lines) > 0 {
			t.Errorf("%v: it stays, or the session was asked: %q\n%s", size, r.session.lines, r.View())
		}
	}
}

func TestExplainOfWhatIsUnknown(t *testing.T) {
	r := newRig(t, 120, 40)
	for text, want := range map[string]string{
		"explain retyr_exc_err": `nothing is known of "retyr_exc_err"; near: RETRY_EXC_ERR`,
		"explain":               "explain WORD",
	} {
		r.typed(text)
		if !r.Contains(want) || len(r.session.lines) > 0 {
			t.Errorf("%s: %q is not shown, or the session was asked: %q\n%s", text, want, r.session.lines, r.View())
		}
	}
}

// Of many entries each has a line; what a screen asks to explain is laid over it.
func TestExplainOverlay(t *testing.T) {
	r := newRig(t, 120, 40)
	r.typed("explain mtu")
	if !r.Contains("mtu 4096: code 5") {
		t.Errorf("the codes are not listed:\n%s", r.View())
	}
	r.Keys("esc")
	e, _ := explain.Find("async_event", "PORT_ERR")
	r.Send(screen.ExplainMsg{Entries: []explain.Entry{e}})
	if !r.Contains("a port went down") || !r.Contains("source") {
		t.Errorf("the event is not explained:\n%s", r.View())
	}
}

func TestExplainCandidates(t *testing.T) {
	for text, want := range map[string]string{"ex": "explain", "explain RETRY_E": "RETRY_EXC_ERR", "explain retry_e": "RETRY_EXC_ERR", "explain status rnr": "RNR"} {
		found := false
		for _, c := range explainCandidates(text, len(text)) {
			found = found || c.Text == want
			if c.Help == "" || c.To != len(text) || !strings.EqualFold(c.Text[:c.To-c.From], text[c.From:c.To]) {
				t.Errorf("%q: candidate %+v", text, c)
			}
		}
		if !found {
			t.Errorf("%q is not completed to %s", text, want)
		}
	}
	for _, text := range []string{"", "modify", "explained x"} {
		if c := explainCandidates(text, len(text)); c != nil {
			t.Errorf("%q: %v", text, c)
		}
	}
}
