package bringup

import (
	"fmt"
	"slices"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/transition"
)

// qpRows is the list of queue pairs.
type qpRows struct{ s *Screen }

// Len implements widget.TableRows.
func (r qpRows) Len() int { return len(r.s.snap.QPs) }

// Cell implements widget.TableRows.
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

func qpColumns() []widget.TableColumn {
	col := func(title string, it widget.Space) widget.TableColumn {
		return widget.TableColumn{Title: title, Space: it}
	}
	return []widget.TableColumn{
		col("QP", widget.Space{Size: 4, Min: 2, Weight: 1}),
		col("", widget.Space{Size: 2, Drop: 1}),
		col("state", widget.Space{Size: 5}),
		col("qp_num", widget.Space{Size: 8}),
		col("sq_psn", widget.Space{Size: 8, Drop: 2}),
		col("peer", widget.Space{Size: 4, Weight: 1, Drop: 3}),
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
	if t := troubleOf(s); t.what != "" && !t.refused { // the form tells what is refused
		for _, text := range widget.Wrap(nil, line.Escape(s.th.Glyphs.Ban+" "+t.red()), max(o.w-2, 8)) {
			o.lines = append(o.lines, func(b *line.Buf) { b.Text(text, s.th.Err) })
		}
	}
	text := widget.Wrap(nil, meaning(q.State), max(o.w-2, 8))
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
		text := widget.Wrap(nil, m, max(o.w-2, 8))
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

// chart draws the states of a queue pair: [the current one], (the target), the other
// possible ones bright, the rest dim.
type chart struct {
	th         *theme.Theme
	now, to    verbs.QPState
	reachables []verbs.QPState
}

// mainLine is the way up; the other states are drawn on a line of their own.
var mainLine = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD}

// wideChart is the width of the chart with long arrows.
const wideChart = 41

func (c *chart) lines(w int) []func(*line.Buf) {
	if w >= wideChart {
		return []func(*line.Buf){c.wideMain, c.wideStem, c.wideSide}
	}
	return []func(*line.Buf){c.slimMain, c.slimSide}
}

// state writes a name between two cells that mark it.
func (c *chart) state(b *line.Buf, s verbs.QPState) {
	open, shut, st := " ", " ", c.th.Undefined
	switch {
	case s == c.now:
		open, shut, st = "[", "]", stateStyle(c.th, s)
	case s == c.to:
		open, shut, st = "(", ")", c.th.Key
	case slices.Contains(c.reachables, s):
		st = c.th.Value
	}
	b.Text(open, st)
	b.Text(s.String(), st)
	b.Text(shut, st)
}

// slim writes a name without cells for missing marks.
func (c *chart) slim(b *line.Buf, s verbs.QPState) {
	if s == c.now || s == c.to {
		c.state(b, s)
		return
	}
	st := c.th.Undefined
	if slices.Contains(c.reachables, s) {
		st = c.th.Value
	}
	b.Text(s.String(), st)
}

func (c *chart) wideMain(b *line.Buf) {
	for i, s := range mainLine {
		if i > 0 {
			b.Text(c.th.Glyphs.LongRight, c.th.Frame)
		}
		c.state(b, s)
	}
}

// stem is the column under the middle of RTS.
const stem = 29

func (c *chart) wideStem(b *line.Buf) {
	b.Space(stem)
	b.Text(c.th.Glyphs.V, c.th.Frame)
}

func (c *chart) wideSide(b *line.Buf) {
	b.Text(" any ", c.th.Undefined)
	b.Text(c.th.Glyphs.LongRight, c.th.Frame)
	c.state(b, verbs.QPErr)
	b.Text(c.th.Glyphs.LongRight, c.th.Frame)
	b.Text(" RESET", c.th.Undefined)
	b.To(stem + 1) // the chart is one cell inside its box
	b.Text(c.th.Glyphs.BL, c.th.Frame)
	b.Text(c.th.Glyphs.LongRight, c.th.Frame)
	c.state(b, verbs.QPSQE)
}

func (c *chart) slimMain(b *line.Buf) {
	for i, s := range mainLine {
		if i > 0 {
			b.Text(c.th.Glyphs.Right, c.th.Frame)
		}
		c.slim(b, s)
	}
}

func (c *chart) slimSide(b *line.Buf) {
	b.Text("any", c.th.Undefined)
	b.Text(c.th.Glyphs.Right, c.th.Frame)
	c.slim(b, verbs.QPErr)
	b.Text(c.th.Glyphs.Right, c.th.Frame)
	b.Text("RESET  RTS", c.th.Undefined)
	b.Text(c.th.Glyphs.Right, c.th.Frame)
	c.slim(b, verbs.QPSQE)
}

// goesOn is a hint about this program, shown after the meaning of a state.
var goesOn = map[verbs.QPState]string{verbs.QPRTS: " 3 goes on to Post."}

// meaning says what a state accepts and what it drops.
func meaning(q verbs.QPState) string {
	e, _ := explain.Find("qp_state", q.String())
	return e.Means + goesOn[q]
}

// onward is the next state of bring-up after each state.
var onward = map[verbs.QPState]verbs.QPState{
	verbs.QPReset: verbs.QPInit, verbs.QPInit: verbs.QPRTR, verbs.QPRTR: verbs.QPRTS, verbs.QPRTS: verbs.QPRTS,
	verbs.QPSQD: verbs.QPRTS, verbs.QPSQE: verbs.QPRTS, verbs.QPErr: verbs.QPReset, verbs.QPUnknown: verbs.QPReset,
}

// around returns the state dir steps away in the order of the enum. Unreachable
// states are included: trying them shows how the provider refuses.
func around(s verbs.QPState, dir int) verbs.QPState {
	n := int(verbs.QPErr) + 1
	return verbs.QPState(((int(s)+dir)%n + n) % n)
}
