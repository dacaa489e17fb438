// Package widget holds the widgets: dialogs, forms, help, hex dumps, pagers, palettes, plots and tables; and what they
// share: how they are sized, put side by side, framed, drawn a line at a time, and told about the mouse.
package widget

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Block fills a rectangle. It draws into a region that its parent opened with
// its width: what it does not fill is padded, what is too long is cut.
type Block interface {
	// SetSize gives the rectangle's size in cells. It is called again for every
	// change, and may be called with the same size.
	SetSize(w, h int)
	// DrawLine appends row y, 0 <= y < h. Rows are drawn in order from row 0,
	// where a block may look at its data once for the whole frame.
	DrawLine(b *line.Buf, y int)
}

// MouseKind is what the mouse did.
type MouseKind uint8

// Mouse actions.
const (
	Click MouseKind = iota
	WheelUp
	WheelDown
)

// Mouse is one action of the mouse; X and Y are cells from the top left corner of
// the block that gets it.
type Mouse struct {
	Kind MouseKind
	X, Y int
}

// In returns the action as seen from a child at x, y.
func (m Mouse) In(x, y int) Mouse { m.X, m.Y = m.X-x, m.Y-y; return m }

// Wheel returns the direction of the wheel: -1 up, 1 down. ok is false for other actions.
func (m Mouse) Wheel() (by int, ok bool) {
	switch m.Kind {
	case WheelUp:
		return -1, true
	case WheelDown:
		return 1, true
	}
	return 0, false
}

// Mouser is a block that takes the mouse. It reports whether it did.
type Mouser interface {
	Mouse(m Mouse) bool
}

// MouseOf translates a message; ok is false for what no widget needs.
func MouseOf(msg tea.Msg) (m Mouse, ok bool) {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		return Mouse{Kind: Click, X: msg.X, Y: msg.Y}, msg.Button == tea.MouseLeft
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			return Mouse{Kind: WheelUp, X: msg.X, Y: msg.Y}, true
		case tea.MouseWheelDown:
			return Mouse{Kind: WheelDown, X: msg.X, Y: msg.Y}, true
		}
	}
	return Mouse{}, false
}

// Scroller is a block that may have more rows than fit.
type Scroller interface {
	Below() int // rows below the last that is drawn
}

// Below returns how many rows of a block do not fit; 0 if it is no [Scroller].
func Below(blk Block) int {
	if s, ok := blk.(Scroller); ok {
		return s.Below()
	}
	return 0
}

// Draw appends all lines of a block, each exactly w cells, without a newline
// after the last.
func Draw(b *line.Buf, blk Block, w, h int) {
	blk.SetSize(w, h)
	for y := range h {
		if y > 0 {
			b.Newline()
		}
		r := b.Begin(w)
		blk.DrawLine(b, y)
		b.End(r)
	}
	b.Finish()
}

// Render is Draw into a string of its own; a screen reuses a Buf instead.
func Render(th *theme.Theme, blk Block, w, h int) string {
	b := line.New(th)
	Draw(b, blk, w, h)
	return b.String()
}

// Func is a block made of a function; it is told the size with every row.
type Func struct {
	Line func(b *line.Buf, y, w, h int)
	w, h int
}

// SetSize implements Block.
func (f *Func) SetSize(w, h int) { f.w, f.h = w, h }

// DrawLine implements Block.
func (f *Func) DrawLine(b *line.Buf, y int) { f.Line(b, y, f.w, f.h) }
