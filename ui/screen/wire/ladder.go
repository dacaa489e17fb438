package wire

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/conversation"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

// ladder draws a conversation as arrows between its two queue pairs, one per packet:
// the packet's two records are the two ends of its arrow, which slopes if something
// happened in between. The packets of a long message share an arrow as long as nothing
// happened to them.
type ladder struct {
	th      *theme.Theme
	list    *list
	talk    conversation.Talk
	some    bool
	near    []uint64 // packets of the conversation, as sent if that was recorded
	hops    []hop
	lines   []ladderLine
	longest int  // how many lines an arrow goes down at most
	all     bool // each packet has an arrow of its own
	at      *row // the selected packet

	foldable bool // some packets can share an arrow

	w, h, top int
}

const (
	// ladderHead is how many lines name the two ends.
	ladderHead = 1
	// ladderTime and ladderFate are the columns beside the rails, in cells.
	ladderTime = 9
	ladderFate = 12
	// arrowMin is the least length of an arrow beside its label.
	arrowMin = 3
	// maxHops is how many packets before and after the selected one are drawn.
	maxHops = 1024
	// foldMin is how many packets of a message share an arrow at least.
	foldMin = 3
)

func newLadder(th *theme.Theme, l *list) *ladder { return &ladder{th: th, list: l} }

// show sets the packet whose conversation is drawn; without one, nothing is left of the last.
func (l *ladder) show(r *row) {
	l.near, l.some, l.at, l.foldable = l.near[:0], r != nil, r, false
	if r == nil {
		l.hops, l.lines, l.top = l.hops[:0], l.lines[:0], 0
		return
	}
	l.talk = l.list.source.TalkOf(r)
	middle := l.hopOf(r)
	l.gather(middle, false)
	slices.Reverse(l.near)
	l.near = append(l.near, middle)
	l.gather(middle, true)
	l.fold()
	l.lay()
	l.follow()
}

// hopOf returns the record of a packet that is drawn: that of its sender, if it was
// recorded there.
func (l *ladder) hopOf(r *row) uint64 {
	if r.Twin != nil && !r.Marks.Has(conversation.Twice) && !r.Outgoing {
		if from, _ := l.list.source.Span(); r.Twin.N >= from {
			return r.Twin.N
		}
	}
	return r.N
}

// gather adds the packets before or after one.
func (l *ladder) gather(n uint64, forward bool) {
	for range maxHops {
		next, ok := l.list.source.Next(n, forward, &l.talk)
		if !ok {
			return
		}
		l.near = append(l.near, next)
		n = next
	}
}

// index returns the hop of the selected packet.
func (l *ladder) index() int {
	n := l.hopOf(l.at)
	for i := range l.hops {
		if h := &l.hops[i]; h.first <= n && n <= h.last {
			return i
		}
	}
	return len(l.hops) - 1
}

// follow keeps the selected packet in the window, with later packets if there is
// room.
func (l *ladder) follow() {
	page := max(l.h-ladderHead, 1)
	y := 0
	if len(l.hops) > 0 {
		y = l.hops[l.index()].sent
	}
	l.top = min(max(l.top, y+min(2, page/3)-page+1), y-min(2, page/3))
	l.top = max(min(l.top, len(l.lines)-page), 0)
}

// next returns the packet before or after the selected one in the conversation, nil
// if there is none.
func (l *ladder) next(k tea.KeyPressMsg) *row {
	by := 0
	page := max(l.h-ladderHead, 1)
	m := &keymap.List
	switch {
	case keymap.Matches(k, m.Up):
		by = -1
	case keymap.Matches(k, m.Down):
		by = 1
	case keymap.Matches(k, m.PageUp):
		by = l.hopsUntil(-page)
	case keymap.Matches(k, m.PageDown):
		by = l.hopsUntil(page)
	case keymap.Matches(k, m.Home):
		by = -len(l.hops)
	case keymap.Matches(k, m.End):
		by = len(l.hops)
	}
	if by == 0 || len(l.hops) == 0 {
		return nil
	}
	return l.list.source.Packet(l.hops[max(min(l.index()+by, len(l.hops)-1), 0)].first)
}

// hopsUntil returns how many hops it is to the one that many lines down from the selected
// one, at least one.
func (l *ladder) hopsUntil(down int) int {
	if len(l.hops) == 0 {
		return 0
	}
	i := l.index()
	y := max(min(l.hops[i].sent+down, len(l.lines)-1), 0)
	if by := l.lines[y].hop - i; by*down > 0 {
		return by
	}
	return down / max(down, -down)
}

// SetSize implements widget.Block.
func (l *ladder) SetSize(w, h int) {
	if l.w, l.h = w, h; l.some {
		l.follow()
	}
}

// Mouse implements widget.Mouser.
func (l *ladder) Mouse(m widget.Mouse) bool {
	page := max(l.h-ladderHead, 1)
	by, ok := m.Wheel()
	l.top = max(min(l.top+3*by, len(l.lines)-page), 0)
	return ok
}

// DrawLine implements widget.Block.
func (l *ladder) DrawLine(b *line.Buf, y int) {
	if !l.some {
		if y == 0 {
			b.Text(" No conversation yet.", l.th.Dim)
		}
		return
	}
	if y < ladderHead {
		l.drawEnds(b)
		return
	}
	if y += l.top - ladderHead; y < len(l.lines) {
		l.drawHop(b, y)
	}
}

// Below implements widget.Scroller.
func (l *ladder) Below() int {
	if !l.some {
		return 0
	}
	return max(len(l.lines)-l.top-(l.h-ladderHead), 0)
}

// rails returns the columns of the two rails.
func (l *ladder) rails() (left, right int) {
	left, right = ladderTime+1, l.w-ladderFate
	if l.w < 54 {
		left = 1 // the list shows the times
	}
	return left, max(right, left+12)
}

// drawEnds names both ends above the rails. If the addresses do not fit both are left
// out: the packet's detail shows them.
func (l *ladder) drawEnds(b *line.Buf) {
	left, right := l.rails()
	ends := [...]string{l.name(l.talk.Ends[0]), l.name(l.talk.Ends[1])}
	room, full := right+1-left, 2
	for i, e := range l.talk.Ends {
		full += line.Width("qp "+ends[i]+" ") + line.Width(wire.AddrText(e.Addr))
	}
	addrs, most := full <= room, room
	if !addrs {
		most = (room - 2) / 2
	}
	b.To(left)
	r := b.BeginCell(max(most, 1), line.Left)
	l.drawName(b, l.talk.Ends[0], ends[0], addrs)
	b.Stop(r)
	b.Space(2)
	r = b.BeginCell(max(right+1-b.Col(), 1), line.Right)
	l.drawName(b, l.talk.Ends[1], ends[1], addrs)
	b.End(r)
}

// name names an end; the number of the one that only sends requests may be unknown.
func (l *ladder) name(e conversation.End) string {
	switch name := l.list.names[e]; {
	case name != "":
		return name
	case e.QP == 0:
		return "?"
	}
	return fmt.Sprintf("0x%06x", e.QP)
}

func (l *ladder) drawName(b *line.Buf, e conversation.End, name string, addr bool) {
	b.Text("qp ", l.th.Label)
	b.Text(name, l.th.Value)
	if addr {
		b.Space(1)
		b.Text(wire.AddrText(e.Addr), l.th.Dim)
	}
}

// drawHop draws a line of an arrow.
func (l *ladder) drawHop(b *line.Buf, y int) {
	at, th := l.lines[y], l.th
	h := &l.hops[at.hop]
	hop := l.list.source.Packet(h.first)
	if hop == nil {
		return // dropped meanwhile
	}
	if at.hop == l.index() {
		st := th.SelBlur
		if th.SelBlur.SGR() == "" {
			st = th.Selection
		}
		defer b.Over(b.Over(st))
		defer func() { b.Space(b.Room()) }()
		if !at.arrives {
			b.Text(th.Glyphs.Pointer, th.Accent)
		}
	}
	left, right := l.rails()
	if left > ladderTime {
		b.To(1)
		l.drawAfter(b, y)
	}
	b.To(left)
	b.Text(th.Glyphs.V, th.Frame)
	r := b.Begin(right - left - 1)
	switch {
	case h.slopes():
		l.drawSlope(b, y, hop, h)
	case hop.To() == l.talk.Ends[1]:
		l.drawRight(b, hop, h)
	default:
		l.drawLeft(b, hop, h)
	}
	b.End(r)
	b.Text(th.Glyphs.V, th.Frame)
	if !at.arrives {
		b.Space(1)
		drawMarks(b, hop)
	}
}

// drawAfter shows how long after the line before a line begins.
func (l *ladder) drawAfter(b *line.Buf, y int) {
	r := b.BeginCell(ladderTime-1, line.Right)
	defer b.End(r)
	if y == 0 {
		b.Text("0", l.th.Dim)
		return
	}
	_, before, known := l.span(y - 1)
	if at, _, ok := l.span(y); ok && known && at.After(before) {
		b.Text("+", l.th.Dim)
		eventline.Took(b, at.Sub(before), l.th.Dim)
	}
}

// drawRight draws an arrow from the left rail; the arrow of a lost packet ends midway.
func (l *ladder) drawRight(b *line.Buf, hop *row, h *hop) {
	th, st := l.th, opcodeStyle(l.th, hop)
	b.Space(1)
	r := b.BeginCell(b.Room()-arrowMin-1, line.Left)
	l.drawLabel(b, hop, h, st)
	b.Stop(r)
	b.Space(1)
	if hop.Marks.Has(conversation.Lost) {
		b.Repeat(th.Glyphs.H, b.Room()/2, st)
		b.Text(th.Glyphs.Ban, st)
		return
	}
	b.Repeat(th.Glyphs.H, b.Room()-1, st)
	b.Text(th.Glyphs.Right, st)
}

// drawLeft draws an arrow from the right rail, as long as its label allows.
func (l *ladder) drawLeft(b *line.Buf, hop *row, h *hop) {
	th, st := l.th, opcodeStyle(l.th, hop)
	label := line.New(&theme.Theme{})
	l.drawLabel(label, hop, h, theme.Style{})
	room := max(b.Room()-line.Width(label.String())-2, arrowMin-1)
	if hop.Marks.Has(conversation.Lost) {
		b.Space(room - room/2)
		b.Text(th.Glyphs.Ban, st)
		b.Repeat(th.Glyphs.H, room/2-1, st)
	} else {
		b.Text(th.Glyphs.Left, st)
		b.Repeat(th.Glyphs.H, room-1, st)
	}
	b.Space(1)
	r := b.BeginCell(b.Room()-1, line.Left)
	l.drawLabel(b, hop, h, st)
	b.Stop(r)
}

func (l *ladder) drawLabel(b *line.Buf, hop *row, h *hop, st theme.Style) {
	p := &hop.Wire
	if h.packets > 1 {
		b.Text(messageName(p.BTH.Opcode), st)
		b.Space(1)
		b.Text(b.Theme.Glyphs.Times, b.Theme.Dim)
		b.Uint(uint64(h.packets), b.Theme.Value)
	} else {
		b.Text(ladderName(hop), st)
	}
	b.Space(1)
	b.Hex(uint64(p.BTH.PSN), 6, b.Theme.Value)
	if h.bytes > 0 {
		b.Space(1)
		b.Uint(uint64(h.bytes), b.Theme.Dim)
		b.Text(" B", b.Theme.Dim)
	}
}
