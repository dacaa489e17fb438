package completions

import (
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
)

// From these sizes the explanation is beside the table, or below it; in less, one
// pane is shown at a time.
const (
	tableMin       = 69
	explanationMin = 46
	wide           = tableMin + explanationMin
	high           = 14
)

func newPanes(s *Screen) screen.Panes {
	table, detail, queues := widget.NewBox(s.th, "completions", s.table), widget.NewBox(s.th, "completion", s.detail),
		widget.NewBox(s.th, "completion queues", s.queues)
	table.Head = s.drawCounts
	detail.Head, detail.Note = s.detail.head, "E explain"
	return screen.Panes{Count: int(panes), Entry: screen.NewEntry(s.th), Lay: s.lay, Used: s.pointed, Texts: s.texts,
		Boxes: []*widget.Box{paneTable: table, paneDetail: detail, paneQueues: queues}}
}

// queueNotes are the keys that the frame of the queues names, by whether their statistics show.
var queueNotes = map[bool]string{false: ". statistics", true: "m mode, s solicited"}

// lay builds the panes for the size and reuses their blocks.
func (s *Screen) lay() widget.Block {
	if s.page != nil {
		return s.page.box
	}
	s.table.Focused, s.queues.focused = s.Has(paneTable), s.Focus == paneQueues
	table, detail := s.Boxes[paneTable], s.Boxes[paneDetail]
	s.Boxes[paneQueues].Note = queueNotes[s.queues.all]
	table.SetParts(widget.Flex(1, 2, s.table))
	switch {
	case s.Zoom || s.H < high:
		return s.Box()
	case s.W >= wide:
		left := widget.NewCol(widget.Flex(1, 6, table),
			widget.Fixed(min(s.queues.rowsWanted(), s.H/2)+2, s.Boxes[paneQueues]))
		return widget.NewRow(widget.Flex(1, tableMin, left), widget.Flex(1, explanationMin, detail))
	}
	return s.stacked()
}

// stacked gives the explanation most of a short screen: three rows of the table show
// which completion it explains.
func (s *Screen) stacked() widget.Block {
	table, below := s.Boxes[paneTable], s.Boxes[paneDetail]
	if s.Focus == paneQueues {
		below = s.Boxes[paneQueues]
	}
	if s.H < 20 {
		return widget.NewCol(widget.Fixed(6, table), widget.Flex(1, 7, below))
	}
	table.SetParts(widget.Flex(1, 3, s.table), widget.Fixed(1, s.queues).OrDrop(1))
	return widget.NewCol(widget.Flex(1, 9, table), widget.Flex(1, 9, below))
}

// texts lists what can be copied from the completion under the cursor.
func (s *Screen) texts(at screen.Pane) []screen.CopyText {
	c := s.selected()
	if c == nil || at != paneTable {
		return nil
	}
	b := line.New(&theme.Theme{})
	eventline.Text(b, &timeline.Event{Kind: timeline.KindWC, WC: *c})
	return screen.CopyTexts(screen.CopyText{Name: "row", Text: b.String()},
		screen.CopyText{Name: "command", Text: s.detail.posts.of(c).line})
}
