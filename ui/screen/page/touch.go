package page

import (
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
)

// touch gives a pane the keys when the mouse uses it.
type touch struct {
	*frame.Box
	touched func()
}

// Touch makes a box whose pane is told of a click, or of what else the mouse did there.
func Touch(box *frame.Box, touched func()) widget.Block { return &touch{box, touched} }

// Mouse implements widget.Mouser.
func (t *touch) Mouse(m widget.Mouse) bool {
	used := t.Box.Mouse(m)
	if m.Kind == widget.Click || used {
		t.touched()
		return true
	}
	return false
}
