package widget

import (
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// MaxInput bounds what can be typed or pasted: a longer paste is cut.
const MaxInput = 64 << 10

// Input is a line of text with a cursor. It is a block of one line.
type Input struct {
	Placeholder string
	Focused     bool // show the cursor

	th   *theme.Theme
	text []rune
	pos  int // cursor, in runes
	from int // first rune shown
	w    int

	offered bool // the text is replaced by what is typed or pasted next
}

// NewInput makes an empty input.
func NewInput(th *theme.Theme) *Input { return &Input{th: th, Focused: true} }

// Value returns the text.
func (in *Input) Value() string { return string(in.text) }

// SetValue replaces the text and puts the cursor at its end.
func (in *Input) SetValue(s string) {
	in.text, in.from, in.offered = cleanInput(nil, s), 0, false
	in.pos = len(in.text)
}

// Offer is SetValue with a text that the first printable key or paste replaces. Any
// key that moves the cursor or deletes keeps it, to be edited.
func (in *Input) Offer(s string) {
	in.SetValue(s)
	in.offered = len(in.text) > 0
}

// Kept returns the text to which the next key or paste adds: the value, or "" if it is
// offered.
func (in *Input) Kept() string {
	if in.offered {
		return ""
	}
	return in.Value()
}

// Cursor returns the cursor's byte offset in Value.
func (in *Input) Cursor() int { return len(string(in.text[:in.pos])) }

// SetCursor moves the cursor to a byte offset in Value, or to its end.
func (in *Input) SetCursor(offset int) {
	v := in.Value()
	in.pos = len([]rune(v[:min(max(offset, 0), len(v))]))
}

// Replace puts s in place of the bytes from offset from up to offset to, and at
// least up to the cursor, which ends up behind it; that is how a completion is
// taken.
func (in *Input) Replace(from, to int, s string) {
	in.offered = false
	v, cur := in.Value(), in.Cursor()
	from = min(max(from, 0), cur)
	head := v[:from] + s
	tail := v[min(max(to, cur), len(v)):]
	in.text = cleanInput(nil, head)
	in.pos = len(in.text)
	in.text = cleanInput(in.text, tail)
}

// cleanInput turns a paste into one line: line ends and tabs become blanks, other
// control characters go.
func cleanInput(dst []rune, s string) []rune {
	if len(s) > MaxInput {
		s = s[:MaxInput]
	}
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			r = ' '
		case unicode.IsControl(r) || r == utf8.RuneError:
			continue
		}
		dst = append(dst, r)
	}
	return dst
}

// Insert puts text at the cursor.
func (in *Input) Insert(s string) {
	add := cleanInput(nil, s)
	if in.offered {
		in.SetValue("")
	}
	if len(in.text)+len(add) > MaxInput {
		return
	}
	tail := append([]rune(nil), in.text[in.pos:]...)
	in.text = append(append(in.text[:in.pos], add...), tail...)
	in.pos += len(add)
}

// Update takes keys and pastes and reports whether it used the message.
func (in *Input) Update(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		in.Insert(msg.Content)
		return true
	case tea.KeyPressMsg:
		if in.command(msg) {
			return true
		}
		if msg.Text != "" {
			in.Insert(msg.Text)
			return true
		}
	}
	return false
}

func (in *Input) command(msg tea.KeyPressMsg) bool {
	e := &keymap.Edit
	for _, c := range []struct {
		hit bool
		do  func()
	}{
		{keymap.Matches(msg, e.Left), func() { in.pos = max(in.pos-1, 0) }},
		{keymap.Matches(msg, e.Right), func() { in.pos = min(in.pos+1, len(in.text)) }},
		{keymap.Matches(msg, e.WordLeft), func() { in.pos = in.wordLeft() }},
		{keymap.Matches(msg, e.WordRight), func() { in.pos = in.wordRight() }},
		{keymap.Matches(msg, e.Home), func() { in.pos = 0 }},
		{keymap.Matches(msg, e.End), func() { in.pos = len(in.text) }},
		{keymap.Matches(msg, e.Backspace), func() { in.cut(max(in.pos-1, 0), in.pos) }},
		{keymap.Matches(msg, e.Delete), func() { in.cut(in.pos, min(in.pos+1, len(in.text))) }},
		{keymap.Matches(msg, e.KillEnd), func() { in.cut(in.pos, len(in.text)) }},
		{keymap.Matches(msg, e.KillStart), func() { in.cut(0, in.pos) }},
		{keymap.Matches(msg, e.KillWord), func() { in.cut(in.wordLeft(), in.pos) }},
	} {
		if c.hit {
			in.offered = false
			c.do()
			return true
		}
	}
	return false
}

func (in *Input) cut(from, to int) {
	in.text = append(in.text[:from], in.text[to:]...)
	in.pos = from
}

func (in *Input) wordLeft() int {
	i := in.pos
	for i > 0 && in.text[i-1] == ' ' {
		i--
	}
	for i > 0 && in.text[i-1] != ' ' {
		i--
	}
	return i
}

func (in *Input) wordRight() int {
	i := in.pos
	for i < len(in.text) && in.text[i] == ' ' {
		i++
	}
	for i < len(in.text) && in.text[i] != ' ' {
		i++
	}
	return i
}

// SetSize implements widget.Block.
func (in *Input) SetSize(w, _ int) { in.w = w }

// DrawLine implements widget.Block; only row 0 has something.
func (in *Input) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		in.Draw(b, in.w)
	}
}

// Draw appends the input as a cell of w cells, scrolled so that the cursor shows,
// with an ellipsis at each side where there is more.
func (in *Input) Draw(b *line.Buf, w int) {
	r := b.Begin(w)
	defer b.End(r)
	if len(in.text) == 0 && !in.Focused {
		b.Text(in.Placeholder, in.th.Placeholder)
		return
	}
	in.scroll(w)
	b.Repeat(b.Theme.Glyphs.Ellipsis, in.mark(w), in.th.Input)
	if !in.Focused {
		b.Text(string(in.text[in.from:]), in.th.Input)
		return
	}
	st := in.th.Input
	if in.offered {
		st = in.th.Cursor // all of it goes with the next key
	}
	b.Text(string(in.text[in.from:in.pos]), st)
	under, rest := " ", ""
	if in.pos < len(in.text) {
		under, rest = string(in.text[in.pos]), string(in.text[in.pos+1:])
	}
	b.Text(under, in.th.Cursor)
	if len(in.text) == 0 {
		rest = in.Placeholder
		b.Text(rest, in.th.Placeholder)
		return
	}
	b.Text(rest, in.th.Input)
}

// markable is the width from which there is room for marks beside the cursor.
const markable = 4

// mark is the cells that tell of text before the first shown rune.
func (in *Input) mark(w int) int {
	if in.from > 0 && w >= markable {
		return 1
	}
	return 0
}

// scroll moves the first shown rune so that the cursor's cell is within w cells,
// and the marks beside it.
func (in *Input) scroll(w int) {
	after := in.cursorCells()
	if in.pos+1 < len(in.text) && w >= markable {
		after++ // the mark at the right
	}
	in.from = min(in.from, in.pos)
	for in.from < in.pos && in.mark(w)+in.cells(in.from, in.pos)+after > w {
		in.from++
	}
	for in.from > 0 && in.mark(w)+in.cells(in.from-1, len(in.text))+1 < w {
		in.from--
	}
}

func (in *Input) cells(from, to int) int {
	if to-from > 4*in.w+1024 {
		return to - from // far too long for any window: no need to measure
	}
	n := 0
	for _, r := range in.text[from:to] {
		n += in.runeCells(r)
	}
	return n
}

func (in *Input) cursorCells() int {
	if in.pos < len(in.text) {
		return in.runeCells(in.text[in.pos])
	}
	return 1
}

func (in *Input) runeCells(r rune) int {
	if r < 0x80 {
		return 1
	}
	if in.th.Glyphs.ASCII {
		return len(line.AppendASCII(nil, string(r)))
	}
	return line.Width(string(r))
}
