package tour

import (
	"strings"
	"testing"

	"rdmatui/session/stages"
	"rdmatui/ui/keymap"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// narrow is the width for which every text of a tour is written.
const narrow = 80

// Every text fits its rows in 80 columns, and every step can be done and names a key or a command.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, tr := range All {
		if seen[tr.ID] || tr.ID == "" || Named(tr.ID) != tr {
			t.Errorf("%q: its ID is not its own", tr.Name)
		}
		seen[tr.ID] = true
		if n := line.Width(tr.About); n == 0 || n > narrow-9 {
			t.Errorf("%s: %d cells: %s", tr.Name, n, tr.About)
		}
		for _, text := range append(tr.Learned[:], "Next: "+tr.Next) {
			if len(wrap(text, narrow)) != 1 {
				t.Errorf("%s: %d cells are more than a row: %s", tr.Name, line.Width(text), text)
			}
		}
		for _, s := range tr.Steps {
			if s.Name == "" || s.Why == "" || len(wrap(s.Why, narrow)) > 1 {
				t.Errorf("%s, %q: why is %d cells: %s", tr.Name, s.Name, line.Width(s.Why), s.Why)
			}
			if len(s.Parts) == 0 || len(s.Parts) > maxParts || len(s.Moves) == 0 {
				t.Errorf("%s, %q has %d parts and %d moves", tr.Name, s.Name, len(s.Parts), len(s.Moves))
			}
			wide := 0
			for _, p := range s.Parts {
				wide += line.Width(p.Name) + 4
				if p.Name == "" || p.State == nil && p.Event == nil {
					t.Errorf("%s, %q: part %q has no name or cannot be done", tr.Name, s.Name, p.Name)
				}
			}
			if wide > narrow-2 {
				t.Errorf("%s, %q: the parts are %d cells", tr.Name, s.Name, wide)
			}
			for i, m := range s.Moves {
				if m.Does == "" && m.Says == nil {
					t.Errorf("%s, %q: move %d says nothing", tr.Name, s.Name, i)
				}
			}
		}
	}
}

// What depends on the place fits a row of 80 columns too, and names attributes and steps that exist.
func TestPlacedTexts(t *testing.T) {
	for name, text := range meanings {
		if fields.QPNamed(name) == nil || len(wrap(name+": "+text, narrow)) != 1 {
			t.Errorf("%s: %d cells, or no attribute: %s", name, line.Width(name+": "+text), text)
		}
	}
	for s := range stages.Stages {
		if text := does[s.String()]; !strings.HasPrefix(text, s.String()+": ") || len(wrap(text, narrow)) != 1 {
			t.Errorf("%s: %q", s, text)
		}
	}
	w := &World{kept: kept{said: "invalid argument (EINVAL)"}, Field: func(name string) string {
		return map[string]string{"missing": "max_dest_rd_atomic"}[name]
	}}
	for _, s := range []Step{initDone, rtrDone, rtsDone} {
		if text := s.WhyNow(w); len(wrap(text, narrow)) != 1 || !strings.Contains(text, w.said) {
			t.Errorf("%d cells: %s", line.Width(text), text)
		}
	}
}

// Each required attribute of the way to RTS has a meaning, and no other is gone through.
func TestAttributesOfTheWay(t *testing.T) {
	for _, m := range []struct {
		from, to verbs.QPState
		steps    []Step
	}{
		{verbs.QPReset, verbs.QPInit, []Step{initAttrs}},
		{verbs.QPInit, verbs.QPRTR, []Step{peerAttrs, receiveAttrs}},
		{verbs.QPRTR, verbs.QPRTS, []Step{rtsAttrs}},
	} {
		tr, _ := transition.Find(verbs.RC, m.from, m.to)
		mask := verbs.AttrState
		for _, s := range m.steps {
			for _, p := range s.Parts {
				if meanings[p.Name] == "" {
					t.Errorf("%s has no meaning", p.Name)
				}
				mask |= fields.QPNamed(p.Name).Bit
			}
		}
		if mask|verbs.AttrState != tr.Required|verbs.AttrState {
			t.Errorf("%s to %s: %v, want %v", m.from, m.to, mask, tr.Required)
		}
	}
}

// The key that leaves a tour has no other meaning on any screen.
func TestLeaveIsFree(t *testing.T) {
	for _, name := range keymap.Tour.Leave.Keys() {
		for _, c := range keymap.Contexts() {
			for _, g := range c.Groups {
				if keymap.Matches(uitest.Key(name), g.Keys...) {
					t.Errorf("%s has %s", c.Name, name)
				}
			}
		}
	}
}

// The progress of a tour is saved, and invalid saved values are ignored.
func TestBook(t *testing.T) {
	b := NewBook(nil)
	if b.Put("first-write", Place{}) || !b.Put("first-write", Place{Step: 2}) || b.Put("first-write", Place{Step: 2}) {
		t.Error("only a change is to be kept")
	}
	if p := b.Place("first-write"); p.Step != 2 || p.Done {
		t.Errorf("%+v", p)
	}
}
