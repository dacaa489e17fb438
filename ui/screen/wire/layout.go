package wire

import (
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
)

// From these sizes the conversation and the packet stand beside the packets, or
// side by side below them; in less, one is shown at a time.
const (
	wide   = 160 // both beside the packets
	middle = 116 // both below them
	high   = 14

	dumpRows = 4 // of a packet's bytes, where there is room for them
)

// face is the panes and how they are laid out at the moment.
type face struct {
	w, h      int
	tableBox  *frame.Box
	detailBox *frame.Box
	ladderBox *frame.Box
	tapsBox   *frame.Box
	entry     *widget.Func
	block     widget.Block
}

func newFace(s *Screen) face {
	return face{
		tableBox:  frame.New(s.th, "packets", s.table),
		detailBox: frame.New(s.th, "packet", s.detail.pager),
		ladderBox: frame.New(s.th, "conversation", s.ladder),
		tapsBox:   frame.New(s.th, "devices", s.taps),
		entry:     &widget.Func{Line: s.drawEntry},
	}
}

// SetSize implements widget.Block.
func (s *Screen) SetSize(w, h int) {
	s.face.w, s.face.h = w, h
	s.arrange()
}

// arrange builds the panes for the size; the blocks in them stay.
func (s *Screen) arrange() {
	f := &s.face
	s.table.Focused = s.focus == panePackets && !s.filter.Open
	f.tableBox.Focused, f.detailBox.Focused, f.ladderBox.Focused = s.focus == panePackets, s.focus == paneDetail, s.focus == paneLadder
	f.tableBox.SetParts(layout.Flex(1, 2, s.table))
	f.detailBox.SetParts(layout.Flex(1, 6, s.detail.pager), layout.Fixed(dumpRows, s.detail.dump).OrDrop(1))
	switch {
	case s.zoom || f.h < high:
		f.block = s.box(s.focus)
	case f.w >= wide:
		left := layout.NewCol(layout.Flex(1, 6, f.tableBox), layout.Fixed(s.taps.rowsWanted()+2, f.tapsBox))
		right := layout.NewCol(layout.Flex(1, 6, f.ladderBox), layout.Flex(1, 14, f.detailBox))
		f.block = layout.NewRow(layout.Flex(4, 84, left), layout.Flex(3, 70, right))
	case f.w >= middle && f.h >= 24:
		lower := layout.NewRow(layout.Flex(1, 58, f.ladderBox), layout.Flex(1, 58, f.detailBox))
		f.block = layout.NewCol(layout.Flex(2, 6, f.tableBox), layout.Flex(3, 10, lower), layout.Fixed(s.taps.rowsWanted()+2, f.tapsBox))
	default:
		f.block = s.stacked()
	}
	if s.filter.Open {
		f.block = layout.NewCol(layout.Flex(1, 3, f.block), layout.Fixed(1, f.entry))
	}
	f.block.SetSize(f.w, f.h)
}

// stacked puts one pane below the packets, and the devices in with these.
func (s *Screen) stacked() widget.Block {
	f := &s.face
	devices := 1
	if f.h >= 20 {
		devices = min(s.taps.rowsWanted(), 3)
	}
	f.tableBox.SetParts(layout.Flex(1, 3, s.table), layout.Fixed(devices, s.taps).OrDrop(1))
	return layout.NewCol(layout.Flex(1, 8, f.tableBox), layout.Flex(1, 7, s.box(s.lower)))
}

func (s *Screen) box(p pane) *frame.Box {
	switch p {
	case paneDetail:
		return s.face.detailBox
	case paneLadder:
		return s.face.ladderBox
	}
	return s.face.tableBox
}

func (s *Screen) drawEntry(b *line.Buf, _, _, _ int) { s.filter.Draw(b) }

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
	if !ok || s.filter.Open || !t.Mouse(m) {
		return false
	}
	s.follow()
	return true
}
