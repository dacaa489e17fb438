package wire

import (
	"testing"

	"rdmatui/ui/widget"
)

// TestLadderWheel: the wheel scrolls the conversation, within its ends.
func TestLadderWheel(t *testing.T) {
	l := &ladder{lines: make([]ladderLine, 20), h: ladderHead + 10}
	for _, step := range []struct {
		kind widget.MouseKind
		top  int
	}{{widget.WheelUp, 0}, {widget.WheelDown, 3}, {widget.WheelDown, 6}, {widget.WheelUp, 3}, {widget.Click, 3},
		{widget.WheelDown, 6}, {widget.WheelDown, 9}, {widget.WheelDown, 10}} {
		used := l.Mouse(widget.Mouse{Kind: step.kind})
		if l.top != step.top || used == (step.kind == widget.Click) {
			t.Errorf("mouse %d: used %v, top %d, want %d", step.kind, used, l.top, step.top)
		}
	}
}
