package bringup

import (
	"fmt"

	"rdmatui/session"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
	"rdmatui/ui/widget/table"
	"rdmatui/verbs"
	"rdmatui/verbs/transition"
)

// qpRows is the list of queue pairs.
type qpRows struct{ s *Screen }

// Len implements table.Rows.
func (r qpRows) Len() int { return len(r.s.snap.QPs) }

// Cell implements table.Rows.
func (r qpRows) Cell(b *line.Buf, row, col int) {
	q, th := &r.s.snap.QPs[row], r.s.th
	switch col {
	case 0:
		b.Text(q.Name, th.Value)
	case 1:
		b.Text(q.Type.String(), th.Label)
	case 2:
		b.Text(q.State.String(), stateStyle(r.s.th, q.State))
	case 3:
		b.Text(q.Num.String(), th.Value)
	case 4:
		b.Text(q.PSN.String(), th.Dim)
	case 5:
		b.Text(r.s.snap.ConnectedTo(q), th.Dim)
	}
}

func qpColumns() []table.Column {
	col := func(title string, it layout.Item) table.Column { return table.Column{Title: title, Item: it} }
	return []table.Column{
		col("QP", layout.Item{Size: 4, Min: 2, Weight: 1}),
		col("", layout.Item{Size: 2, Drop: 1}),
		col("state", layout.Item{Size: 5}),
		col("qp_num", layout.Item{Size: 8}),
		col("sq_psn", layout.Item{Size: 8, Drop: 2}),
		col("peer", layout.Item{Size: 4, Weight: 1, Drop: 3}),
	}
}

// overview draws the chart of states and explains the current one.
type overview struct {
	s     *Screen
	w, h  int
	lines []func(*line.Buf)
}

// SetSize implements widget.Block.
func (o *overview) SetSize(w, h int) { o.w, o.h = w, h }

// DrawLine implements widget.Block.
func (o *overview) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		o.collect()
	}
	if y < len(o.lines) {
		b.Space(1)
		o.lines[y](b)
	}
}

// Below implements widget.Scroller.
func (o *overview) Below() int { return max(len(o.lines)-o.h, 0) }

func (o *overview) collect() {
	o.lines = o.lines[:0]
	s := o.s
	q := s.current()
	if q == nil {
		return
	}
	c := chart{th: s.th, now: q.State, to: s.move.to, reachables: transition.Next(q.Type, q.State)}
	o.lines = append(o.lines, c.lines(o.w-2)...)
	text := pager.Wrap(nil, meaning(q.State), max(o.w-2, 8))
	if len(o.lines)+len(text)+1 <= o.h {
		o.lines = append(o.lines, func(*line.Buf) {})
	}
	for _, t := range text {
		o.lines = append(o.lines, func(b *line.Buf) { b.Text(t, s.th.Value) })
	}
	o.more(q)
}

// more adds further information if there is room.
func (o *overview) more(q *session.QPView) {
	s := o.s
	texts := []string{s.nextHint(q)}
	if s.tellsPeer(q) {
		texts = append(texts, "tell the peer: "+ownRecord(&s.snap, q))
	}
	for _, m := range texts {
		if m == "" {
			continue
		}
		text := pager.Wrap(nil, m, max(o.w-2, 8))
		if len(o.lines)+len(text)+1 > o.h {
			return
		}
		o.lines = append(o.lines, func(*line.Buf) {})
		for _, t := range text {
			o.lines = append(o.lines, func(b *line.Buf) { b.Text(t, s.th.Dim) })
		}
	}
}

// tellsPeer reports whether a remote peer may need the address.
func (s *Screen) tellsPeer(q *session.QPView) bool {
	return s.snap.QP(s.partner(q)) == nil
}

// lackOf returns why a queue pair cannot be connected here, nil if it can.
func lackOf(snap *session.Snapshot, q *session.QPView) error {
	if d := snap.Device(q.Device); d != nil {
		return d.Info.Lack(verbs.ByHand)
	}
	return nil
}

// nextHint says what to do next.
func (s *Screen) nextHint(q *session.QPView) string {
	other := s.partner(q)
	local := s.snap.QP(other)
	if q.State != verbs.QPRTS {
		if err := lackOf(&s.snap, q); err != nil {
			return err.Error() + "."
		}
	}
	switch {
	case q.State == verbs.QPRTS && local != nil && local.State != verbs.QPRTS:
		return fmt.Sprintf("%s is still in %s: o goes there.", local.Name, local.State)
	case q.State == verbs.QPRTS:
		return ""
	case other == "":
		return "No peer yet. n creates a second QP, P enters a peer's address."
	case local != nil:
		return fmt.Sprintf("c brings %s and %s to RTS.", q.Name, other)
	}
	return fmt.Sprintf("c connects %s to %s and brings it to RTS.", q.Name, other)
}

// attributesBody draws both ends side by side; it is the body of a pager.
func (s *Screen) attributesBody() widget.Block {
	var cols widths
	var rows []attribute
	return &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			cols = widthsOf(s.attrs, s.move.qp, s.attrOther, w)
			rows = folded(s.attrs, cols)
			s.attrLast = max(len(rows)-max(h-1, 1), 0)
			s.attrTop = min(s.attrTop, s.attrLast)
			b.Space(cols.name + 2)
			b.Cell(s.move.qp, cols.mine, line.Left, s.th.Mine)
			b.Space(1)
			b.Cell(s.attrOther, cols.theirs, line.Left, s.th.Theirs)
			return
		}
		if i := s.attrTop + y - 1; i < len(rows) {
			drawAttribute(b, s.th, rows[i], cols)
		}
	}}
}
