package wire

import (
	"slices"
	"testing"

	"rdmatui/verbs/wire"
)

// Each header has a title, and each note belongs to a field.
func TestNotesFitHeaders(t *testing.T) {
	for _, h := range wire.HeaderTable() {
		n := notes[h.Name]
		if n.title == "" {
			t.Errorf("%s has no title", h.Name)
		}
		for name := range n.fields {
			if !slices.ContainsFunc(h.Fields, func(f wire.Field) bool { return f.Name == name }) {
				t.Errorf("%s has no field %s", h.Name, name)
			}
		}
	}
	if len(notes) != len(wire.HeaderTable()) {
		t.Errorf("%d headers have notes, there are %d", len(notes), len(wire.HeaderTable()))
	}
}
