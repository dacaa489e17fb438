package wire

import (
	"fmt"

	"rdmatui/ui/screen/page"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
)

// From these sizes the conversation and the packet are beside the packets, or side by
// side below them; in less, one is shown at a time.
const (
	wide   = 160 // both beside the packets
	middle = 116 // both below them
	high   = 14

	dumpRows = 4 // of a packet's bytes, if there is room
)

func newPanes(s *Screen) page.Panes {
	return page.Panes{Count: int(panes), Entry: page.NewEntry(s.th), Lay: s.lay, Used: s.follow,
		Texts: s.texts, Boxes: []*frame.Box{
			panePackets: frame.New(s.th, "packets", s.table),
			paneDetail:  frame.New(s.th, "packet", s.detail),
			paneLadder:  frame.New(s.th, "conversation", s.ladder),
		}}
}

// texts lists what can be copied from a pane.
func (s *Screen) texts(at page.Pane) []page.Text {
	r := s.list.at(s.table.Cursor())
	if r == nil {
		return nil
	}
	bytes := page.Text{Name: "bytes", Text: fmt.Sprintf("%x", r.Data)}
	if at == paneDetail {
		return page.Texts(page.Text{Name: "field", Text: s.detail.Text()}, bytes,
			page.Text{Name: "pane", Text: s.Box().Text()})
	}
	return page.Texts(page.Text{Name: "row", Text: s.table.Text()}, bytes)
}

// lay builds the panes for the size and reuses their blocks.
func (s *Screen) lay() widget.Block {
	packets, packet, talk := s.Boxes[panePackets], s.Boxes[paneDetail], s.Boxes[paneLadder]
	if s.Focus != panePackets {
		s.lower = s.Focus
	}
	s.table.Focused, s.detail.Focused = s.Has(panePackets), s.Has(paneDetail)
	packets.SetParts(layout.Flex(1, 2, s.table))
	packet.SetParts(layout.Flex(1, 6, s.detail), layout.Fixed(dumpRows, s.detail.dump).OrDrop(1))
	taps := layout.Fixed(s.taps.rowsWanted(s.W*4/7-2)+2, s.tapsBox)
	switch {
	case s.Zoom || s.H < high:
		return s.Box()
	case s.W >= wide:
		left := layout.NewCol(layout.Flex(1, 6, packets), taps)
		right := layout.NewCol(layout.Flex(1, 6, talk), layout.Flex(1, 14, packet))
		return layout.NewRow(layout.Flex(4, 88, left), layout.Flex(3, 66, right))
	case s.W >= middle && s.H >= 24:
		lower := layout.NewRow(layout.Flex(1, 58, talk), layout.Flex(1, 58, packet))
		return layout.NewCol(layout.Flex(2, 6, packets), s.below(max(10, s.H*2/5), layout.Flex(3, 10, lower)), taps)
	}
	return s.stacked()
}

// below is what stands below the packets: in so many rows while these have the keys, so
// that the list has most of the screen.
func (s *Screen) below(rows int, c layout.Child) layout.Child {
	if s.Focus == panePackets {
		return layout.Fixed(rows, c.Block)
	}
	return c
}

// stacked puts one pane below the packets, and the devices in with these.
func (s *Screen) stacked() widget.Block {
	devices := 1
	if s.H >= 20 {
		devices = min(s.taps.rowsWanted(s.W-2), 3)
	}
	packets := s.Boxes[panePackets]
	packets.SetParts(layout.Flex(1, 3, s.table), layout.Fixed(devices, s.taps).OrDrop(1))
	return layout.NewCol(layout.Flex(1, 8, packets), s.below(max(7, s.H/3), layout.Flex(1, 7, s.Boxes[s.lower])))
}
