package wire

import (
	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// row is a packet with what is known of it from the others.
type row = conversation.Packet

// source is where the packets come from: the devices of the session, or a capture.
// Packets are numbered without gaps.
type source interface {
	Span() (from, to uint64)           // packets from to to-1 are kept
	Packet(n uint64) *row              // nil: not kept
	Trial(n uint64) *row               // the same, valid until the next call
	Marks(n uint64) conversation.Marks // of a packet that is kept
	TalkOf(r *row) conversation.Talk   // the conversation that a packet belongs to
	Has(t *conversation.Talk, r *row) bool
	// Next returns the packet of a conversation nearest to n, itself not included. What was
	// recorded at both ends of the wire counts once.
	Next(n uint64, forward bool, t *conversation.Talk) (uint64, bool)
	// CopyOf tells whether packet n is the received record of a packet that was recorded where it was sent, too.
	CopyOf(n uint64) (sent uint64, ok bool)
}

var _, _ source = (*conversation.Live)(nil), (*traced)(nil)

// traced is the packets of a capture.
type traced struct {
	*conversation.Trace
	state conversation.TraceState
	rows  map[uint64]*row // decoded lately
	tried row
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

// Span implements source.
func (t *traced) Span() (from, to uint64) { return t.state.From, t.state.To }

// CopyOf implements source. The second record of a packet in a capture is marked, and keeps its row.
func (t *traced) CopyOf(uint64) (sent uint64, ok bool) { return 0, false }

// Packet implements source.
func (t *traced) Packet(n uint64) *row {
	if r := t.rows[n]; r != nil {
		return r
	}
	r := new(row)
	if !t.Trace.Packet(n, r) {
		return nil
	}
	if len(t.rows) >= maxDecoded {
		clear(t.rows)
	}
	t.rows[n] = r
	return r
}

// Trial implements source.
func (t *traced) Trial(n uint64) *row {
	if !t.Trace.Packet(n, &t.tried) {
		return nil
	}
	return &t.tried
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
	for _, why := range capture.SkipReasons() {
		if n := s.Skipped[why]; n > 0 {
			second = append(second, say(1, format.Count(n)+" "+why.String(), th.Warn))
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
