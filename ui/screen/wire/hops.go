package wire

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"rdmatui/session/conversation"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

// hop is an arrow of the ladder: one packet, or the packets of a message that follow each
// other without trouble.
type hop struct {
	first, last    uint64 // packets of the source
	packets, bytes int    // bytes of payload
	sent, arrived  int    // lines of the ladder
	label          int    // width of the label with its spaces, if the arrow slopes
}

// link is what decides whether a packet continues the message of the one before.
type link struct {
	end   conversation.End
	info  wire.OpcodeInfo
	psn   wire.PSN
	marks conversation.Marks
	plain bool // decoded, of a known opcode
}

func linkOf(r *row) link {
	info, known := r.Wire.BTH.Opcode.Info()
	return link{r.To(), info, r.Wire.BTH.PSN, r.Marks, r.Err == nil && known}
}

// continues reports whether the packet b goes on with the message of a.
func (a *link) continues(b *link) bool {
	return a.plain && b.plain && (a.marks|b.marks)&trouble == 0 && a.end == b.end &&
		a.info.Operation == b.info.Operation &&
		a.info.Position&wire.Ends == 0 && b.info.Position&wire.Starts == 0 && b.psn == a.psn.Add(1)
}

// fold makes the hops of the packets at hand.
func (l *ladder) fold() {
	l.hops, l.foldable = l.hops[:0], false
	var before link
	run := 0 // hops at the end that are one message
	for _, n := range l.near {
		r := l.list.source.Trial(n)
		if r == nil {
			continue
		}
		this := linkOf(r)
		if before.continues(&this) {
			run++
		} else {
			l.join(run)
			run = 1
		}
		l.hops = append(l.hops, hop{first: n, last: n, packets: 1, bytes: len(r.Wire.Payload)})
		before = this
	}
	l.join(run)
}

// join makes one hop of the last n, if they are enough, unless each packet has an arrow of its own.
func (l *ladder) join(n int) {
	if n < foldMin {
		return
	}
	if l.foldable = true; l.all {
		return
	}
	at := len(l.hops) - n
	for _, h := range l.hops[at+1:] {
		l.hops[at].last = h.last
		l.hops[at].packets++
		l.hops[at].bytes += h.bytes
	}
	l.hops = l.hops[:at+1]
}

// Time runs down the ladder. An arrow has one line if nothing else of the conversation
// happened while its packet was on the way. Else it slopes: from the line where the packet
// was sent to the one where it arrived, past what happened in between. This needs the
// records of both ends, which only the session's own devices have.

// ladderLine is where a packet was sent, where it arrived, or both.
type ladderLine struct {
	hop     int
	arrives bool // only that
}

// slopes reports whether the arrow has more than one line.
func (h *hop) slopes() bool { return h.arrived > h.sent }

// lay gives each arrow its lines.
func (l *ladder) lay() {
	type event struct {
		ladderLine
		n uint64 // of the record
	}
	var events []event
	_, to := l.list.source.Span()
	for i := range l.hops {
		h := &l.hops[i]
		events = append(events, event{ladderLine{hop: i}, h.first})
		if r := l.list.source.Trial(h.first); h.packets == 1 && r != nil && r.Twin != nil &&
			r.Twin.N > h.first && r.Twin.N < to {
			events = append(events, event{ladderLine{hop: i, arrives: true}, r.Twin.N})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.n, b.n) })
	l.lines, l.longest = l.lines[:0], 0
	for _, e := range events {
		h, last := &l.hops[e.hop], len(l.lines)-1
		switch {
		case !e.arrives:
			h.sent, h.arrived = last+1, last+1
		case last == h.sent:
			continue // nothing happened meanwhile
		default:
			h.arrived = last + 1
			h.label = l.labelWidth(h)
			l.longest = max(l.longest, h.arrived-h.sent)
		}
		l.lines = append(l.lines, e.ladderLine)
	}
}

// labelWidth returns the width of an arrow's label, with the spaces around it.
func (l *ladder) labelWidth(h *hop) int {
	r := l.list.source.Packet(h.first)
	if r == nil {
		return 0
	}
	b := line.New(&theme.Theme{Glyphs: l.th.Glyphs})
	l.drawLabel(b, r, h, theme.Style{})
	return line.Width(b.String()) + 2
}

// span returns the times of a line's first and last packet.
func (l *ladder) span(y int) (from, to time.Time, ok bool) {
	at := l.lines[y]
	h := &l.hops[at.hop]
	first, last := l.list.source.Packet(h.first), l.list.source.Packet(h.last)
	if first == nil || last == nil {
		return from, to, false // dropped meanwhile
	}
	if at.arrives {
		return first.Twin.At, first.Twin.At, true
	}
	return first.At, last.At, true
}

// drawSlope draws line y of an arrow that slopes, and of those that it passes.
func (l *ladder) drawSlope(b *line.Buf, y int, hop *row, h *hop) {
	room, over := b.Room(), l.passing(y)
	label := min(h.label, room-arrowMin)
	st := opcodeStyle(l.th, hop)
	switch rightward := hop.To() == l.talk.Ends[1]; {
	case y != h.sent:
		l.drawPieces(b, y, over, 0, room, room)
	case rightward:
		b.Space(1)
		r := b.BeginCell(label-2, line.Left)
		l.drawLabel(b, hop, h, st)
		b.End(r)
		b.Space(1)
		l.drawPieces(b, y, over, label, room, room)
	default:
		l.drawPieces(b, y, over, 0, room-label, room)
		b.Space(1)
		r := b.BeginCell(label-2, line.Left)
		l.drawLabel(b, hop, h, st)
		b.End(r)
		b.Space(1)
	}
}

// slope is an arrow on one of its lines.
type slope struct {
	h         *hop
	st        theme.Style
	rightward bool
}

// passing returns the arrows on a line, that which begins or ends there first.
func (l *ladder) passing(y int) []slope {
	first := sort.Search(len(l.hops), func(i int) bool { return l.hops[i].sent >= y-l.longest })
	var all []slope
	for i := first; i < len(l.hops) && l.hops[i].sent <= y; i++ {
		h := &l.hops[i]
		r := l.list.source.Packet(h.first)
		if !h.slopes() || h.arrived < y || r == nil {
			continue
		}
		s := slope{h, opcodeStyle(l.th, r), r.To() == l.talk.Ends[1]}
		if all = append(all, s); i == l.lines[y].hop {
			all[0], all[len(all)-1] = s, all[0]
		}
	}
	return all
}

// drawPieces draws the cells of a line from one column to another; room is its width.
func (l *ladder) drawPieces(b *line.Buf, y int, over []slope, from, to, room int) {
	for x := from; x < to; x++ {
		glyph, st := "", theme.Style{}
		for i := range over {
			if glyph = over[i].piece(&l.th.Glyphs, y, x, room); glyph != "" {
				st = over[i].st
				break
			}
		}
		if glyph == "" {
			b.Space(1)
			continue
		}
		b.Text(glyph, st)
	}
}

// piece returns the glyph of an arrow at a column of a line, nothing where it is not.
func (s *slope) piece(g *theme.Glyphs, y, x, room int) string {
	begin, end, head := g.BL, g.TR, g.Right
	if !s.rightward {
		begin, end, head = g.BR, g.TL, g.Left
		x = room - 1 - x
	}
	h := s.h
	label := min(h.label, room-arrowMin)
	step, steps := y-h.sent, h.arrived-h.sent+1
	first, last := label+(room-label)*step/steps, label+(room-label)*(step+1)/steps-1
	if step > 0 {
		first-- // where the line above has turned down
	}
	switch {
	case x < first || x > last:
		return ""
	case x == room-1 && step == steps-1:
		return head
	case first == last && step > 0:
		return g.V
	case x == first && step > 0:
		return begin
	case x == last && step < steps-1:
		return end
	}
	return g.H
}
