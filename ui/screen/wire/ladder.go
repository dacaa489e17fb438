package wire

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
)

// ladder draws a conversation as arrows between its two queue pairs, one per packet:
// the packet's two records are the two ends of its arrow.
type ladder struct {
	th   *theme.Theme
	list *list
	talk talk
	some bool
	hops []*row // as sent, if that was recorded
	at   *row   // the selected packet

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
)

func newLadder(th *theme.Theme, l *list) *ladder { return &ladder{th: th, list: l} }

// show sets the packet whose conversation is drawn.
func (l *ladder) show(r *row) {
	l.hops, l.some, l.at = l.hops[:0], r != nil, r
	if r == nil {
		return
	}
	l.talk = l.list.talkOf(r)
	for _, each := range l.list.story.rows {
		if l.talk.has(each) && (each.twin == nil || each.twice || each.Outgoing) {
			l.hops = append(l.hops, each)
		}
	}
	l.follow()
}

// is reports whether a hop is the selected packet, at either end of the wire.
func (l *ladder) is(hop *row) bool { return hop == l.at || l.at.twin == hop && !l.at.twice }

// index returns the hop of the selected packet.
func (l *ladder) index() int {
	for i, h := range l.hops {
		if l.is(h) {
			return i
		}
	}
	return len(l.hops) - 1
}

// follow keeps the selected packet in the window, with later packets if there is
// room.
func (l *ladder) follow() {
	page := max(l.h-ladderHead, 1)
	i := l.index()
	l.top = min(max(l.top, i+min(2, page/3)-page+1), i-min(2, page/3))
	l.top = max(min(l.top, len(l.hops)-page), 0)
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
		by = -page
	case keymap.Matches(k, m.PageDown):
		by = page
	case keymap.Matches(k, m.Home):
		by = -len(l.hops)
	case keymap.Matches(k, m.End):
		by = len(l.hops)
	}
	if by == 0 || len(l.hops) == 0 {
		return nil
	}
	return l.hops[max(min(l.index()+by, len(l.hops)-1), 0)]
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
	switch m.Kind {
	case widget.WheelUp:
		l.top -= 3
	case widget.WheelDown:
		l.top += 3
	default:
		return false
	}
	l.top = max(min(l.top, len(l.hops)-page), 0)
	return true
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
	if i := l.top + y - ladderHead; i < len(l.hops) {
		l.drawHop(b, i)
	}
}

// Below implements widget.Scroller.
func (l *ladder) Below() int {
	if !l.some {
		return 0
	}
	return max(len(l.hops)-l.top-(l.h-ladderHead), 0)
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
	ends := [...]string{l.name(l.talk.left), l.name(l.talk.right)}
	room, full := right+1-left, 2
	for i, e := range [...]end{l.talk.left, l.talk.right} {
		full += line.Width("qp "+ends[i]+" ") + line.Width(e.addr.String())
	}
	addrs, most := full <= room, room
	if !addrs {
		most = (room - 2) / 2
	}
	b.To(left)
	r := b.BeginCell(max(most, 1), line.Left)
	l.drawName(b, l.talk.left, ends[0], addrs)
	b.Stop(r)
	b.Space(2)
	r = b.BeginCell(max(right+1-b.Col(), 1), line.Right)
	l.drawName(b, l.talk.right, ends[1], addrs)
	b.End(r)
}

// name names an end; the number of the one that only sends requests may be unknown.
func (l *ladder) name(e end) string {
	switch name := l.list.names[e]; {
	case name != "":
		return name
	case e.qp == 0:
		return "?"
	}
	return fmt.Sprintf("0x%06x", e.qp)
}

func (l *ladder) drawName(b *line.Buf, e end, name string, addr bool) {
	b.Text("qp ", l.th.Label)
	b.Text(name, l.th.Value)
	if addr {
		b.Space(1)
		b.Text(e.addr.String(), l.th.Dim)
	}
}

func (l *ladder) drawHop(b *line.Buf, i int) {
	hop, th := l.hops[i], l.th
	if l.is(hop) {
		st := th.SelBlur
		if th.SelBlur.SGR() == "" {
			st = th.Selection
		}
		defer b.Over(b.Over(st))
		defer func() { b.Space(b.Room()) }()
		b.Text(th.Glyphs.Pointer, th.Accent)
	}
	left, right := l.rails()
	if left > ladderTime {
		b.To(1)
		r := b.BeginCell(ladderTime-1, line.Right)
		if i == 0 {
			b.Text("0", th.Dim)
		} else if after := hop.At.Sub(l.hops[i-1].At); after > 0 {
			b.Text("+", th.Dim)
			eventline.Took(b, after, th.Dim)
		}
		b.End(r)
	}
	b.To(left)
	b.Text(th.Glyphs.V, th.Frame)
	r := b.Begin(right - left - 1)
	if hop.end == l.talk.right {
		l.drawRight(b, hop)
	} else {
		l.drawLeft(b, hop)
	}
	b.End(r)
	b.Text(th.Glyphs.V, th.Frame)
	b.Space(1)
	hop.drawMarks(b)
}

// drawRight draws an arrow from the left rail; the arrow of a lost packet ends midway.
func (l *ladder) drawRight(b *line.Buf, hop *row) {
	th, st := l.th, opcodeStyle(l.th, hop)
	b.Space(1)
	r := b.BeginCell(b.Room()-arrowMin-1, line.Left)
	l.drawLabel(b, hop, st)
	b.Stop(r)
	b.Space(1)
	if hop.lost {
		b.Repeat(th.Glyphs.H, b.Room()/2, st)
		b.Text(th.Glyphs.Ban, st)
		return
	}
	b.Repeat(th.Glyphs.H, b.Room()-1, st)
	b.Text(th.Glyphs.Right, st)
}

// drawLeft draws an arrow from the right rail, as long as its label allows.
func (l *ladder) drawLeft(b *line.Buf, hop *row) {
	th, st := l.th, opcodeStyle(l.th, hop)
	label := line.New(&theme.Theme{})
	l.drawLabel(label, hop, theme.Style{})
	room := max(b.Room()-line.Width(label.String())-2, arrowMin-1)
	if hop.lost {
		b.Space(room - room/2)
		b.Text(th.Glyphs.Ban, st)
		b.Repeat(th.Glyphs.H, room/2-1, st)
	} else {
		b.Text(th.Glyphs.Left, st)
		b.Repeat(th.Glyphs.H, room-1, st)
	}
	b.Space(1)
	r := b.BeginCell(b.Room()-1, line.Left)
	l.drawLabel(b, hop, st)
	b.Stop(r)
}

func (l *ladder) drawLabel(b *line.Buf, hop *row, st theme.Style) {
	p := &hop.Wire
	b.Text(ladderName(hop), st)
	b.Space(1)
	b.Hex(uint64(p.BTH.PSN), 6, b.Theme.Value)
	if n := len(p.Payload); n > 0 {
		b.Space(1)
		b.Uint(uint64(n), b.Theme.Dim)
		b.Text(" B", b.Theme.Dim)
	}
}
