package post

import (
	"fmt"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// pathBlock draws the data path: in one line, or with the slots of the queues, what the current request waits for, and
// the requests behind it.
func pathBlock(s *Screen) widget.Block {
	var p path
	var notes []string
	return &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			p = newPath(s)
			notes = pager.Wrap(notes[:0], line.Escape(p.note), max(w-2, 8))
			for _, text := range p.behind {
				notes = append(notes, line.Escape(text))
			}
		}
		b.Space(1)
		switch {
		case h < 3:
			p.drawShort(b, y)
		case y == 0:
			p.drawLanes(b, p.arrow(), func(l *lane, w int) { b.Cell(l.name, w, line.Left, p.laneStyle(l, s.th.Key)) })
		case y == 1:
			p.drawLanes(b, " ", func(l *lane, w int) { p.drawFill(b, l, w) })
		case y == h-1 && len(notes) > h-2:
			b.Cell(fmt.Sprintf("%s and %d more", s.th.Glyphs.Ellipsis, len(notes)-(h-3)), b.Room(), line.Left, s.th.Dim)
		case y-2 < len(notes):
			b.Cell(notes[y-2], b.Room(), line.Left, p.noteStyle(y-2 < len(notes)-len(p.behind)))
		}
	}}
}

func (p *path) laneStyle(l *lane, usual theme.Style) theme.Style {
	return [...]theme.Style{idle: usual, here: p.th.Accent, stuck: p.th.Err, unknown: p.th.Dim}[l.stage]
}

func (p *path) noteStyle(first bool) theme.Style {
	if !first {
		return p.th.Dim
	}
	return p.laneStyle(&lane{stage: p.stage}, p.th.Value)
}

// arrow points in the direction of the data.
func (p *path) arrow() string {
	switch {
	case !p.back:
		return p.th.Glyphs.Pointer
	case p.th.Glyphs.ASCII:
		return "<"
	}
	return "◂"
}

// drawLanes draws one line of all lanes, with a glyph between them.
func (p *path) drawLanes(b *line.Buf, between string, cell func(l *lane, w int)) {
	room := b.Room() - 3*(lanes-1)
	for i := range p.lanes {
		if i > 0 {
			b.Space(1)
			b.Text(between, p.th.Dim)
			b.Space(1)
		}
		w := room / lanes
		if i < room%lanes {
			w++
		}
		cell(&p.lanes[i], max(w, 0))
	}
}

// drawFill draws the slots of a queue with their number, or the text of another lane.
func (p *path) drawFill(b *line.Buf, l *lane, w int) {
	r := b.Begin(w)
	st := p.laneStyle(l, p.th.Value)
	switch text := fmt.Sprintf("%d/%d", l.used, l.slots); {
	case l.slots > 0:
		bar := min(w-len(text)-1, l.slots, 16)
		if full := filled(l, bar); bar > 0 {
			b.Repeat(p.th.Glyphs.Thumb, full, st)
			b.Repeat(p.th.Glyphs.Track, bar-full, p.th.Dim)
			b.Space(1)
		}
		b.Text(text, st)
	case l.text == "" && l.stage == unknown:
		b.Text("not known here", st)
	default:
		b.Text(l.text, st)
	}
	b.End(r)
}

// filled returns how many cells show requests: at least one if there is a request, all only if the queue is full.
func filled(l *lane, cells int) int {
	if l.used == 0 || cells <= 0 {
		return 0
	}
	return max(min(l.used*cells/l.slots, cells), 1)
}

// drawShort draws the path in one line, with the note in a second one or where there is room.
func (p *path) drawShort(b *line.Buf, y int) {
	if y > 0 {
		b.Cell(p.short, b.Room(), line.Left, p.noteStyle(true))
		return
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		if i > 0 {
			b.Text(" "+p.arrow()+" ", p.th.Dim)
		}
		text := l.short
		if l.slots > 0 {
			text += fmt.Sprintf(" %d/%d", l.used, l.slots)
		}
		b.Cell(text, min(line.Width(text), 16, b.Room()), line.Left, p.laneStyle(l, p.th.Key))
	}
	b.Space(min(2, b.Room()))
	b.Cell(p.short, b.Room(), line.Left, p.noteStyle(true))
}
