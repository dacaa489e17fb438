package tour

import (
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
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
