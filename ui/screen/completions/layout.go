package completions

import (
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
)

// From these sizes the explanation stands beside the table, or below it; in
// less, one pane is shown at a time.
const (
	wide           = 108
	high           = 14
	explanationMin = 46
)

// face is the panes and how they are laid out at the moment.
type face struct {
	w, h      int
	tableBox  *frame.Box
	detailBox *frame.Box
	queueBox  *frame.Box
	entry     *widget.Func
	block     widget.Block
}

func newFace(s *Screen) face {
	f := face{
		tableBox:  frame.New(s.th, "completions", s.table),
		detailBox: frame.New(s.th, "completion", s.detail),
		queueBox:  frame.New(s.th, "completion queues", s.queues),
		entry:     &widget.Func{Line: s.drawEntry},
	}
	f.tableBox.Head = s.drawCounts
	f.detailBox.Head = s.detail.head
	f.detailBox.Note = "E explain"
	f.queueBox.Note = "w way, o solicited"
	return f
}

// SetSize implements widget.Block.
func (s *Screen) SetSize(w, h int) {
	s.face.w, s.face.h = w, h
	s.arrange()
}

// arrange builds the panes for the size; the blocks in them stay.
func (s *Screen) arrange() {
	f := &s.face
	onTable := s.focus == paneTable
	s.table.Focused = onTable && s.typing == noEntry
	s.queues.focused = s.focus == paneQueues
	f.tableBox.Focused, f.detailBox.Focused, f.queueBox.Focused = onTable, s.focus == paneDetail, s.queues.focused
	f.tableBox.SetParts(layout.Flex(1, 2, s.table))
	switch {
	case s.zoom || f.h < high:
		f.block = [panes]*frame.Box{paneTable: f.tableBox, paneDetail: f.detailBox, paneQueues: f.queueBox}[s.focus]
	case f.w >= wide:
		left := layout.NewCol(layout.Flex(1, 6, f.tableBox), layout.Fixed(min(s.queues.rowsWanted(), f.h/2)+2, f.queueBox))
		f.block = layout.NewRow(layout.Flex(3, 56, left), layout.Flex(2, explanationMin, f.detailBox))
	default:
		f.block = s.stackedFace()
	}
	if s.typing != noEntry {
		f.block = layout.NewCol(layout.Flex(1, 3, f.block), layout.Fixed(1, f.entry))
	}
	f.block.SetSize(f.w, f.h)
}

// stackedFace gives the explanation most of a short screen: three rows of the
// table tell which one it explains.
func (s *Screen) stackedFace() widget.Block {
	f := &s.face
	below := f.detailBox
	if s.focus == paneQueues {
		below = f.queueBox
	}
	if f.h < 20 {
		return layout.NewCol(layout.Fixed(6, f.tableBox), layout.Flex(1, 7, below))
	}
	f.tableBox.SetParts(layout.Flex(1, 3, s.table), layout.Fixed(1, s.queues).OrDrop(1))
	return layout.NewCol(layout.Flex(1, 9, f.tableBox), layout.Flex(1, 9, below))
}

func (s *Screen) drawEntry(b *line.Buf, _, _, _ int) {
	head := " filter: "
	if s.typing == exportEntry {
		head = " export to (.csv, or JSON lines): "
	}
	b.Text(head, s.th.Label)
	s.input.Draw(b, b.Room())
}

// DrawLine implements widget.Block.
func (s *Screen) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		s.arrange()
	}
	s.face.block.DrawLine(b, y)
}

// Mouse implements widget.Mouser.
func (s *Screen) Mouse(m widget.Mouse) bool {
	t, ok := s.face.block.(widget.Mouser)
	if !ok || s.typing != noEntry || !t.Mouse(m) {
		return false
	}
	s.followCursor()
	s.retitle()
	return true
}
