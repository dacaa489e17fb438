package wire

import (
	"rdmatui/session/conversation"
	"rdmatui/session/trace"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// traced is the packets of a capture.
type traced struct {
	*trace.Trace
	state trace.State
	rows  map[uint64]*row // decoded lately
	tried row
	room  trace.Packet // of tried
}

// maxDecoded bounds the rows that are kept decoded: more than a screen shows.
const maxDecoded = 1 << 10

// refresh takes what has been read meanwhile, and reports whether there was anything.
func (t *traced) refresh() bool {
	was := t.state
	if t.state = t.State(); t.state == was {
		return false
	}
	t.rows = map[uint64]*row{} // requests and conversations go on
	return true
}

// span implements source.
func (t *traced) span() (from, to uint64) { return t.state.From, t.state.To }

// row implements source.
func (t *traced) row(n uint64) *row {
	if r := t.rows[n]; r != nil {
		return r
	}
	r := new(row)
	if !t.fill(r, n, new(trace.Packet)) {
		return nil
	}
	if len(t.rows) >= maxDecoded {
		clear(t.rows)
	}
	t.rows[n] = r
	return r
}

// trial implements source.
func (t *traced) trial(n uint64) *row {
	if !t.fill(&t.tried, n, &t.room) {
		return nil
	}
	return &t.tried
}

// fill fills in a row with packet n, for which p is the room.
func (t *traced) fill(r *row, n uint64, p *trace.Packet) bool {
	if !t.Packet(n, p) {
		return false
	}
	*r = row{Packet: &p.Frame.Packet, n: n, gap: p.Missed, end: end{p.Dst.Addr(), p.Wire.BTH.DestQP}, read: p}
	r.info, _ = p.Wire.BTH.Opcode.Info()
	return true
}

// marks implements source.
func (t *traced) marks(n uint64) conversation.Marks { return t.Marks(n) }

// hop implements source.
func (t *traced) hop(n uint64, forward bool, of *talk) (uint64, bool) {
	return t.Next(n, forward, of.number)
}

// talkOf implements source.
func (t *traced) talkOf(r *row) talk {
	of := r.read.Talk
	if of.Number == 0 {
		return talk{left: end{addr: r.Src.Addr()}, right: r.end}
	}
	a, b := of.Ends[0], of.Ends[1]
	return talk{number: of.Number, left: end{a.Addr, a.QP}, right: end{b.Addr, b.QP}}
}

// drawTotals says what the capture holds and how far it has been read, in one line or two.
func (t *traced) drawTotals(b *line.Buf, y, h int) {
	th, s := b.Theme, &t.state
	say := func(drop int, text string, st theme.Style) line.Piece {
		return line.Piece{Gap: 2, Drop: drop, Draw: func(b *line.Buf) { b.Text(text, st) }}
	}
	first := []line.Piece{say(0, s.Name, th.Value)}
	switch {
	case s.Err != nil:
		first = append(first, say(0, s.Err.Error()+"; what came before it was read", th.Err))
	case !s.Done:
		first = append(first, say(1, "reading", th.Info))
	}
	second := []line.Piece{say(0, format.Counted(s.RoCE, "RoCE packet"), th.Value)}
	if s.Packets > s.RoCE {
		second = append(second, say(3, format.Counted(s.Packets-s.RoCE, "other packet"), th.Dim))
	}
	second = append(second, say(2, format.Counted(s.Talks, "conversation"), th.Value))
	for _, n := range []struct {
		of   uint64
		what string
	}{{s.Cut, "cut by the capture"}, {s.Dropped, "dropped by the capturing side"}, {s.From, "oldest not kept"}} {
		if n.of > 0 {
			second = append(second, say(1, format.Count(n.of)+" "+n.what, th.Warn))
		}
	}
	switch {
	case h == 1:
		b.Pieces(append(first, second...)...)
	case y == 0:
		b.Pieces(first...)
	case y == 1:
		b.Pieces(second...)
	}
}
