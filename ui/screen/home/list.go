package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// span is a text in a style; at is its column, 0: after the span before. The style
// belongs to the theme, which changes while the program runs.
type span struct {
	text  string
	style *theme.Style
	at    int
}

// item is an entry of a list, of one or more lines, with the action of enter.
type item struct {
	lines [][]span
	name  string // identifies it for the cursor
	does  string // what enter does, for the hints
	open  func() tea.Cmd
	addr  string // an address to copy, "" for none
}

// text returns the text of the item.
func (it *item) text() string {
	var words []string
	for _, l := range it.lines {
		for _, s := range l {
			words = append(words, strings.Fields(s.text)...)
		}
	}
	return strings.Join(words, " ")
}

// list shows items, with a cursor that moves from item to item.
type list struct {
	Focused bool
	Empty   string // shown if there are no items

	th     *theme.Theme
	items  []item
	cursor int
	top    int // first visible line
	h      int
}

// set replaces the items; the cursor stays on its item.
func (l *list) set(items []item) {
	was := ""
	if it := l.at(); it != nil {
		was = it.name
	}
	l.items = items
	for i := range items {
		if items[i].name == was {
			l.cursor = i
		}
	}
	l.move(0)
}

// at is the item under the cursor, nil if there is none.
func (l *list) at() *item {
	if l.cursor < len(l.items) {
		return &l.items[l.cursor]
	}
	return nil
}

// SetSize implements widget.Block.
func (l *list) SetSize(_, h int) {
	l.h = h
	l.move(0)
}

// move moves the cursor and keeps its item visible.
func (l *list) move(by int) {
	l.cursor = max(min(l.cursor+by, len(l.items)-1), 0)
	first, end := 0, 0
	for i := range l.items {
		first, end = end, end+len(l.items[i].lines)
		if i == l.cursor {
			break
		}
	}
	l.top = max(min(l.top, first), end-l.h, 0)
}

// height returns the number of lines of all items.
func (l *list) height() (n int) {
	for i := range l.items {
		n += len(l.items[i].lines)
	}
	return n
}

// Below implements widget.Scroller.
func (l *list) Below() int { return max(l.height()-l.top-l.h, 0) }

// line finds a line by number: its item, and its row in the item.
func (l *list) line(n int) (at, row int, ok bool) {
	for i := range l.items {
		if n < len(l.items[i].lines) {
			return i, n, n >= 0
		}
		n -= len(l.items[i].lines)
	}
	return 0, 0, false
}

// DrawLine implements widget.Block.
func (l *list) DrawLine(b *line.Buf, y int) {
	i, row, ok := l.line(l.top + y)
	if !ok {
		if len(l.items) == 0 && y == 0 {
			b.Space(2)
			b.Text(l.Empty, l.th.Dim)
		}
		return
	}
	if i == l.cursor && l.Focused {
		defer b.Over(b.Over(l.th.Selection))
		defer func() { b.Space(b.Room()) }()
	}
	mark := " "
	if i == l.cursor && row == 0 && l.Focused {
		mark = l.th.Glyphs.Pointer
	}
	b.Text(mark, l.th.Accent)
	b.Space(1)
	cell := b.BeginCell(max(b.Room()-1, 0), line.Left)
	for _, s := range l.items[i].lines[row] {
		if s.at > 0 {
			b.Space(max(s.at-b.Col(), 1))
		}
		b.Text(s.text, *s.style)
	}
	b.End(cell)
}

// Update takes the keys that move the cursor.
func (l *list) Update(k tea.KeyPressMsg) bool {
	by, ok := keymap.Move(k, l.h/2, len(l.items))
	if ok {
		l.move(by)
	}
	return ok
}

// Mouse implements widget.Mouser: a click moves the cursor, the wheel too.
func (l *list) Mouse(m widget.Mouse) bool {
	switch m.Kind {
	case widget.WheelUp:
		l.move(-1)
	case widget.WheelDown:
		l.move(1)
	case widget.Click:
		i, _, ok := l.line(l.top + m.Y)
		if !ok {
			return false
		}
		l.move(i - l.cursor)
	}
	return true
}
