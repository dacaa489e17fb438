package wire

import (
	"rdmatui/session"
	"rdmatui/session/filter"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/table"
	"rdmatui/verbs/wire"
)

// list is the rows of the story that pass the filters.
type list struct {
	th    *theme.Theme
	story *story
	names map[end]string // names of queue pairs
	view  []*row

	text    string        // typed; "": all
	pass    filter.Filter // what text means as an expression; nil: rows contain it
	mistake string        // in an expression
	device  string        // "": all
	talk    *talk         // nil: all
	buf     *line.Buf
}

// talk is a conversation of two queue pairs. The responder is on the right; the
// requester may be unknown.
type talk struct{ left, right end }

func (t *talk) has(r *row) bool {
	if r.end == t.right {
		return t.left.qp == 0 || r.Src.Addr() == t.left.addr
	}
	return r.end == t.left && r.Src.Addr() == t.right.addr
}

func newList(th *theme.Theme, s *story) *list {
	return &list{th: th, story: s, names: map[end]string{}, buf: line.New(&theme.Theme{})}
}

// talkOf returns the conversation that a packet belongs to.
func (l *list) talkOf(r *row) talk {
	peer, known := l.story.peers[r.end]
	if !known {
		peer = end{addr: r.Src.Addr()}
	}
	if r.info.Response {
		return talk{left: r.end, right: peer}
	}
	return talk{left: peer, right: r.end}
}

// refilter rebuilds the view.
func (l *list) refilter() {
	l.view = l.view[:0]
	l.extend(l.story.rows)
}

// extend adds the rows that pass.
func (l *list) extend(rows []*row) {
	for _, r := range rows {
		if l.passes(r) {
			l.view = append(l.view, r)
		}
	}
}

func (l *list) passes(r *row) bool {
	if l.device != "" && r.Device != l.device || l.talk != nil && !l.talk.has(r) {
		return false
	}
	return l.matches(r)
}

// learnNames takes the names of the queue pairs, and reports whether they have changed.
func (l *list) learnNames(snap *session.Snapshot) (changed bool) {
	for i := range snap.QPs {
		q := &snap.QPs[i]
		for j := range snap.Devices {
			if snap.Devices[j].Name != q.Device {
				continue
			}
			for _, g := range snap.Devices[j].GIDs {
				at := end{g.GID.Addr(), uint32(q.Num)}
				changed = changed || l.names[at] != q.Name
				l.names[at] = q.Name
			}
		}
	}
	return changed
}

// at returns the row at an index, nil if there is none.
func (l *list) at(i int) *row {
	if i < 0 || i >= len(l.view) {
		return nil
	}
	return l.view[i]
}

// index finds a row, or its record at the other end of the wire; -1 for none.
func (l *list) index(r *row) int {
	for i := len(l.view) - 1; i >= 0; i-- {
		if v := l.view[i]; v == r || r.twin != nil && v == r.twin {
			return i
		}
	}
	return -1
}

// The columns of the list.
const (
	colTime = iota
	colDevice
	colOpcode
	colQP
	colPSN
	colLen
	colMeaning
)

var columns = []table.Column{
	colTime:    {Title: "time s", Align: line.Right, Item: layout.Item{Size: 11, Min: 9, Drop: 3}},
	colDevice:  {Title: "device", Item: layout.Item{Size: 8, Min: 7}},
	colOpcode:  {Title: "opcode", Item: layout.Item{Size: 16, Min: 14}},
	colQP:      {Title: "to qp", Item: layout.Item{Size: 8, Drop: 1}},
	colPSN:     {Title: "psn", Item: layout.Item{Size: 8}},
	colLen:     {Title: "bytes", Align: line.Right, Item: layout.Item{Size: 5, Drop: 2}},
	colMeaning: {Title: "what", Item: layout.Item{Min: 18, Weight: 1}},
}

// Len implements table.Rows.
func (l *list) Len() int { return len(l.view) }

// Cell implements table.Rows.
func (l *list) Cell(b *line.Buf, i, col int) {
	if r := l.at(i); r != nil {
		l.draw(b, r, col)
	}
}

func (l *list) draw(b *line.Buf, r *row, col int) {
	th := l.th
	switch col {
	case colTime:
		eventline.Time(b, r.T, 6, th.Dim)
	case colDevice:
		drawDirection(b, r.Packet)
	case colOpcode:
		b.Text(shortName(r.Wire.BTH.Opcode), opcodeStyle(th, r))
	case colQP:
		l.drawEnd(b, r.end)
	case colPSN:
		b.Hex(uint64(r.Wire.BTH.PSN), 6, th.Value)
	case colLen:
		b.Uint(uint64(len(r.Wire.Payload)), th.Value)
	case colMeaning:
		if r.gap > 0 {
			b.Text(th.Glyphs.Ellipsis, th.Warn)
			eventline.Count(b, r.gap, th.Warn)
			b.Text(" not kept ", th.Warn)
		}
		r.drawMarks(b)
		r.drawMeaning(b)
	}
}

func drawDirection(b *line.Buf, p *timeline.Packet) {
	g, st := b.Theme.Glyphs.Left, b.Theme.Info
	if p.Outgoing {
		g, st = b.Theme.Glyphs.Right, b.Theme.Accent
	}
	b.Text(g, st)
	b.Space(1)
	b.Text(p.Device, b.Theme.Value)
}

// drawEnd writes a queue pair's name, or its number.
func (l *list) drawEnd(b *line.Buf, e end) {
	if name := l.names[e]; name != "" {
		b.Text(name, l.th.Value)
		return
	}
	b.Hex(uint64(e.qp), 6, l.th.Value)
}

// isNAK reports whether a packet refuses a request, temporarily or finally.
func isNAK(r *row) bool {
	return r.Wire.Headers.Has(wire.HasAETH) && r.Wire.AETH.Syndrome.Kind() != wire.SyndromeACK
}

func opcodeStyle(th *theme.Theme, r *row) theme.Style {
	switch {
	case r.lost || r.Err != nil:
		return th.Err
	case isNAK(r):
		return th.Warn
	}
	return th.Value
}
