package widget_test

import (
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A candidate takes the place of the whole word that the cursor is in, and the
// next one that of the candidate, with what stands behind it left alone.
func TestCycle(t *testing.T) {
	tests := []struct {
		name  string
		text  string
		left  int // keys to the left
		list  []widget.Candidate
		steps []int
		want  string
	}{
		{"at the end", "mod", 0, []widget.Candidate{{Text: "modify_qp", To: 3}}, []int{1}, "modify_qp"},
		{"in a word", "modqp a", 4, []widget.Candidate{{Text: "modify_qp", To: 5}}, []int{1}, "modify_qp a"},
		{"the next one", "modqp a", 4, []widget.Candidate{{Text: "modify_qp", To: 5}, {Text: "modify_srq", To: 5}},
			[]int{1, 1}, "modify_srq a"},
		{"round and back", "modqp a", 4, []widget.Candidate{{Text: "modify_qp", To: 5}, {Text: "m", To: 5}},
			[]int{1, 1, 1, -1}, "m a"},
		{"of no end", "x mod y", 2, []widget.Candidate{{Text: "modify_qp", From: 2}}, []int{1}, "x modify_qp y"},
		{"past the end", "mod", 1, []widget.Candidate{{Text: "modify_qp", To: 99}}, []int{1}, "modify_qp"},
		{"non-ASCII", "é moqp ü", 4, []widget.Candidate{{Text: "modify_qp", From: 3, To: 7}}, []int{1},
			"é modify_qp ü"},
	}
	for _, tt := range tests {
		in := widget.NewInput(theme.New("none", true))
		in.SetValue(tt.text)
		for range tt.left {
			in.Update(uitest.Key("left"))
		}
		var c widget.Cycle
		c.Set(tt.list)
		for _, dir := range tt.steps {
			c.Step(in, dir)
		}
		if in.Value() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, in.Value(), tt.want)
		}
	}
}
