package widget

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Box is a border with a title on the left of its top line and a note on the
// right. Several parts are stacked with dividers between them. The line below a part
// says how many of its rows do not fit.
type Box struct {
	Title   string
	Note    string
	Focused bool
	// Head, if set, appends more to the title, such as counters in colours.
	Head func(b *line.Buf)
	// Clicked, if set, is called for a click anywhere in the box.
	Clicked func()
	// Divider, if set, is the title in the divider below a part; "" for none.
	Divider func(part int) string

	th    *theme.Theme
	parts []Child
	items []Space
	size  []int // of each part, dividers between them
	w, h  int
}

// NewBox makes a box around one block.
func NewBox(th *theme.Theme, title string, body Block) *Box {
	return NewPartBox(th, title, Flex(1, 1, body))
}

// NewPartBox makes a box around stacked parts.
func NewPartBox(th *theme.Theme, title string, parts ...Child) *Box {
	x := &Box{Title: title, th: th}
	x.SetParts(parts...)
	return x
}

// SetParts replaces the parts; SetSize must follow.
func (x *Box) SetParts(parts ...Child) {
	x.parts, x.items = parts, x.items[:0]
	for _, p := range parts {
		x.items = append(x.items, p.Space)
	}
}

// SetSize implements Block; the border is part of the size.
func (x *Box) SetSize(w, h int) {
	x.w, x.h = w, h
	x.size = Divide(x.size[:0], max(h-2, 0), 1, x.items)
	for i, p := range x.parts {
		if x.size[i] > 0 {
			p.SetSize(max(w-2, 0), x.size[i])
		}
	}
}

// DrawLine implements Block.
func (x *Box) DrawLine(b *line.Buf, y int) {
	if x.w < 2 || x.h < 2 {
		return // no room for a border, let alone for something in it
	}
	g, st := &x.th.Glyphs, x.style()
	switch y {
	case 0:
		x.top(b, st)
		return
	case x.h - 1:
		b.Text(g.BL, st)
		below, _ := x.part(y - 2)
		x.more(b, below, st)
		b.Text(g.BR, st)
		return
	}
	i, top := x.part(y - 1)
	if above, ok := x.divider(y - 1); i < 0 && ok {
		x.rule(b, above, st)
		return
	}
	b.Text(g.V, st)
	r := b.Begin(x.w - 2)
	if i >= 0 {
		x.parts[i].DrawLine(b, y-1-top)
	}
	b.End(r)
	b.Text(g.V, st)
}

func (x *Box) style() theme.Style {
	if x.Focused {
		return x.th.FrameFocus
	}
	return x.th.Frame
}

// more fills the line below a part, up to its last cell.
func (x *Box) more(b *line.Buf, part int, st theme.Style) {
	g, room, mark := &x.th.Glyphs, b.Room()-1, ""
	if part >= 0 {
		if n := Below(x.parts[part].Block); n > 0 {
			mark = fmt.Sprintf(" %s %d more ", g.Down, n)
		}
	}
	if line.Width(mark) > room-2 && mark != "" {
		mark = g.Down
	}
	if w := line.Width(mark); mark != "" && w < room {
		b.Repeat(g.H, room-w-1, st)
		b.Text(mark, x.th.Dim)
		room = 1
	}
	b.Repeat(g.H, room, st)
}

// top writes the line with the title; the note gives way first.
func (x *Box) top(b *line.Buf, st theme.Style) {
	g := &x.th.Glyphs
	b.Text(g.TL, st)
	in := b.BeginCell(x.w-2, line.Left)
	if (x.Title != "" || x.Head != nil) && x.w > 4 {
		r := b.BeginCell(x.w-3, line.Left)
		b.Text(" ", st)
		title := x.th.Label
		if x.Focused {
			title = x.th.FrameTitle
		}
		b.Text(x.Title, title)
		if x.Head != nil {
			x.Head(b)
		}
		b.Text(" ", st)
		b.Stop(r)
	}
	if n := line.Width(x.Note); x.Note != "" && b.Room() >= n+3 {
		b.Repeat(g.H, b.Room()-n-3, st)
		b.Text(" ", st)
		b.Text(x.Note, x.th.Dim)
		b.Text(" ", st)
	}
	b.Repeat(g.H, b.Room(), st)
	b.End(in)
	b.Text(g.TR, st)
}

// part finds the part at an inner row, and the row where it starts.
func (x *Box) part(y int) (part, top int) {
	for i, n := range x.size {
		if n == 0 {
			continue
		}
		if y >= top && y < top+n {
			return i, top
		}
		top += n + 1
	}
	return -1, 0
}

// divider reports whether an inner row lies between two parts, and which is
// above it.
func (x *Box) divider(y int) (above int, ok bool) {
	above, _ = x.part(y - 1)
	below, _ := x.part(y + 1)
	return above, above >= 0 && below >= 0
}

// rule draws the line between two parts, with its title.
func (x *Box) rule(b *line.Buf, above int, st theme.Style) {
	g := &x.th.Glyphs
	b.Text(g.TeeL, st)
	if x.Divider != nil && x.Divider(above) != "" {
		b.Text(" ", st)
		r := b.BeginCell(b.Room()-2, line.Left)
		b.Text(x.Divider(above), x.th.Label)
		b.Stop(r)
		b.Text(" ", st)
	}
	x.more(b, above, st)
	b.Text(g.TeeR, st)
}

// Hit returns the part at a cell of the box and the cell where it starts.
func (x *Box) Hit(cx, cy int) (part, left, top int) {
	if cx < 1 || cx >= x.w-1 || cy < 1 || cy >= x.h-1 {
		return -1, 0, 0
	}
	i, t := x.part(cy - 1)
	return i, 1, t + 1
}

// Mouse implements Mouser.
func (x *Box) Mouse(m Mouse) bool {
	clicked := m.Kind == Click && x.Clicked != nil
	if clicked {
		x.Clicked()
	}
	i, left, top := x.Hit(m.X, m.Y)
	if i < 0 {
		return clicked
	}
	t, ok := x.parts[i].Block.(Mouser)
	return ok && t.Mouse(m.In(left, top)) || clicked
}

// Text returns what the parts show, with all rows of those that know how many they
// have, as lines without styles. SetSize must follow.
func (x *Box) Text() string {
	var lines []string
	for i, p := range x.parts {
		h := 0
		if i < len(x.size) {
			h = x.size[i]
		}
		if l, ok := p.Block.(interface{ Len() int }); ok {
			h = max(h, min(l.Len()+1, maxText))
		}
		view := Render(x.th, p.Block, max(x.w-2, 1), h)
		for l := range strings.SplitSeq(ansi.Strip(view), "\n") {
			lines = append(lines, strings.TrimRight(l, " "))
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// maxText is how many rows of a part Text takes.
const maxText = 10000
