package widget_test

import (
	"testing"

	"rdmatui/ui/widget"
)

// The longest form of a note that fits is shown; one that has no shorter form is
// cut by who draws it.
func TestNoteIn(t *testing.T) {
	list := widget.Field{Note: "region:offset:length", Shorter: []string{"mr:off:len", "where"}}
	alone := widget.Field{Note: "region:offset:length"}
	for room, want := range map[int]string{20: "region:offset:length", 19: "mr:off:len", 10: "mr:off:len",
		9: "where", 5: "where", 4: ""} {
		if got := list.NoteIn(room); got != want {
			t.Errorf("in %d cells: %q, want %q", room, got, want)
		}
		if got := alone.NoteIn(room); got != alone.Note {
			t.Errorf("alone in %d cells: %q", room, got)
		}
	}
}
