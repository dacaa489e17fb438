package connections

import (
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// rowsOfNext returns the lines about the next step, for w cells.
func (s *Screen) rowsOfNext(w int) (rows []row) {
	add := func(r row) { rows = append(rows, r) }
	id := s.current()
	if s.draft == nil && id != nil && id.State == session.IDRequest {
		rows = s.askingRows(id)
	}
	list := s.todo()
	if len(list) == 0 {
		for _, l := range pager.Wrap(nil, s.advice(), max(w-2, 10)) {
			add(func(b *line.Buf) { b.Space(1); b.Cell(l, b.Room(), line.Left, s.th.Dim) })
		}
		return rows
	}
	label := "enter"
	if s.runner.Busy() {
		label = "runs"
	}
	for i, l := range pager.Wrap(nil, line.Escape(list[0].line), max(w-10, 10)) {
		if i > 0 {
			label = ""
		}
		head := label
		add(func(b *line.Buf) {
			b.Space(1)
			b.Cell(head, 6, line.Left, s.th.Key)
			b.Space(1)
			b.Cell(l, b.Room(), line.Left, s.th.Value)
		})
	}
	for _, l := range pager.Wrap(nil, list[0].why, max(w-10, 10)) {
		add(func(b *line.Buf) { b.Space(8); b.Cell(l, b.Room(), line.Left, s.th.Dim) })
	}
	for _, t := range list[1:] {
		add(func(b *line.Buf) {
			b.Space(1)
			b.Cell("then", 6, line.Left, s.th.Dim)
			b.Space(1)
			b.Cell(t.line, b.Room(), line.Left, s.th.Dim)
		})
	}
	return rows
}

// askingRows say who requests a connection, and how to answer.
func (s *Screen) askingRows(id *session.IDView) []row {
	th := s.th
	waited := s.now().Sub(s.since[id.Name]).Truncate(time.Second)
	who := func(b *line.Buf) {
		b.Space(1)
		b.Text(th.Glyphs.Full, th.Warn)
		b.Space(1)
		drawAddr(b, id.Peer, th)
		b.Text(fmt.Sprintf(" asked %d s ago", int(waited.Seconds())), th.Warn)
		if text := eventline.PrivateData(id.PrivateData); text != "" {
			b.Text(" with ", th.Dim)
			b.Text(text, th.Value)
		}
	}
	answers := func(b *line.Buf) {
		for _, k := range []key.Help{keymap.Connections.Accept.Help(), {Key: keymap.Connections.AcceptAs.Help().Key,
			Desc: "with other parameters"}, keymap.Connections.Reject.Help()} {
			b.Space(1)
			b.Text(k.Key, th.Key)
			b.Space(1)
			b.Text(k.Desc, th.KeyText)
			b.Space(1)
		}
		b.Text(" or let it time out", th.Dim)
	}
	return []row{who, answers}
}
