// Package line builds the screen line by line in one reused buffer. Text is
// measured, cut at the limit of its region, padded and made safe as it is
// written, so a pane can neither overflow nor pass a peer's escape sequences on.
package line

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/theme"
)

// Align says where a text sits in its region.
type Align uint8

// Alignments.
const (
	Left Align = iota
	Right
	Centre
)

// Buf builds lines. Text goes into the innermost open region; a region is cut at
// its width while being written and padded when it ends. Make one per screen and
// reuse it; it is not safe for concurrent use. No text is cut without an ellipsis.
type Buf struct {
	Theme *theme.Theme

	out   []byte
	col   int // cells written in this line
	left  int // column where the open region starts
	limit int // column where it ends
	from  int // first column that a mark for missing text may replace
	last  put // what was written last

	sgr, overSGR string // what the terminal is set to at the end of out
	over         theme.Style
	tmp          []byte
	num          [32]byte
}

// New makes an empty buffer whose lines are not limited until Begin.
func New(th *theme.Theme) *Buf {
	return &Buf{Theme: th, limit: 1 << 20}
}

// Reset empties the buffer and keeps its memory.
func (b *Buf) Reset() {
	*b = Buf{Theme: b.Theme, out: b.out[:0], limit: 1 << 20, tmp: b.tmp}
}

// String returns what was built.
func (b *Buf) String() string { return string(b.out) }

// Len returns the number of bytes built.
func (b *Buf) Len() int { return len(b.out) }

// Newline ends the line: styles are switched off, the column starts at zero.
func (b *Buf) Newline() {
	b.plain()
	b.out = append(b.out, '\n')
	b.col, b.last = 0, put{at: len(b.out)}
}

// Finish switches styles off, so that the text may stand before any other.
func (b *Buf) Finish() { b.plain() }

// Col returns the column within the open region.
func (b *Buf) Col() int { return b.col - b.left }

// Room returns the cells left in the open region.
func (b *Buf) Room() int { return max(b.limit-b.col, 0) }

// Region is an open region; End needs it to restore the one around it.
type Region struct {
	left, limit, from int
	align             Align
	start             int
}

// put is a text that was written: where it starts, in bytes and in cells.
type put struct{ at, col int }

// Begin opens a region of w cells here, cut short if the one around it is
// narrower. Text that does not fit is cut with an ellipsis.
func (b *Buf) Begin(w int) Region {
	r := Region{left: b.left, limit: b.limit, from: b.from, start: len(b.out)}
	if b.Room() > 0 { // else what is missing here is missing in the region around it
		b.from = b.col
	}
	b.left, b.limit = b.col, min(b.limit, b.col+max(w, 0))
	return r
}

// BeginCell is Begin with an alignment.
func (b *Buf) BeginCell(w int, a Align) Region {
	if a != Left {
		b.set(theme.Style{}) // blanks put in front later must not inherit a style
	}
	r := b.Begin(w)
	r.align = a
	return r
}

// End pads the region to its width and goes back to the one around it.
func (b *Buf) End(r Region) {
	free := b.Room()
	switch r.align {
	case Right:
		b.indent(r.start, free)
	case Centre:
		b.indent(r.start, free/2)
	}
	b.Space(b.Room())
	b.left, b.limit, b.from = r.left, r.limit, r.from
}

// Stop closes the region where its text ended, without padding.
func (b *Buf) Stop(r Region) { b.left, b.limit, b.from = r.left, r.limit, r.from }

// indent inserts n blanks at byte offset at of this line.
func (b *Buf) indent(at, n int) {
	if n <= 0 {
		return
	}
	if b.last.at >= at {
		b.last = put{b.last.at + n, b.last.col + n}
	} else {
		b.last = put{at, b.col} // the region is empty but for the blanks
	}
	b.col += n
	end := len(b.out)
	for range n {
		b.out = append(b.out, ' ')
	}
	copy(b.out[at+n:], b.out[at:end])
	for i := at; i < at+n; i++ {
		b.out[i] = ' '
	}
}

// Over lays a style over everything written until it is replaced, such as the
// selection's background, and returns the one before. The zero Style ends it.
func (b *Buf) Over(st theme.Style) theme.Style {
	old := b.over
	b.over = st
	return old
}

func (b *Buf) set(st theme.Style) {
	sgr, over := st.SGR(), b.over.SGR()
	if sgr == b.sgr && over == b.overSGR {
		return
	}
	if b.sgr != "" || b.overSGR != "" {
		b.out = append(b.out, theme.Reset...)
	}
	b.out = append(b.out, sgr...)
	b.out = append(b.out, over...)
	b.sgr, b.overSGR = sgr, over
}

func (b *Buf) plain() {
	over := b.over
	b.over = theme.Style{}
	b.set(theme.Style{})
	b.over = over
}

// Text appends a text in a style. Whatever the text holds, it stays in its
// region and in its line: what is not printable becomes a visible escape.
func (b *Buf) Text(s string, st theme.Style) {
	room := b.Room()
	if room == 0 || s == "" {
		b.markCut(s)
		return
	}
	if len(s) <= room && isPlain(s) {
		b.put(s, len(s), st)
		return
	}
	if len(s) > room && isPlain(s[:room+1]) {
		b.putCut(s, room, st)
		return
	}
	b.textSlow(s, room, st)
}

// markCut puts an ellipsis in place of the last cell, where a text has no room
// at all and nothing else would tell that it is missing.
func (b *Buf) markCut(missing string) {
	if strings.TrimLeft(missing, " ") == "" || b.col <= b.from || b.col <= b.last.col {
		return
	}
	text, style := b.out[b.last.at:], ""
	if i := bytes.IndexByte(text, theme.Reset[0]); i >= 0 { // the style has been switched off behind the text
		text, style = text[:i], string(text[i:])
	}
	keep, cells, _ := fit(text, b.col-b.last.col-1)
	b.out = append(b.out[:b.last.at+keep], blanks[:b.col-b.last.col-1-cells]...)
	b.out = append(b.out, b.Theme.Glyphs.Ellipsis...)
	b.out = append(b.out, style...)
}

// put writes safe text of known width.
func (b *Buf) put(s string, cells int, st theme.Style) {
	b.begin(st)
	b.out = append(b.out, s...)
	b.col += cells
}

// begin sets the style of a text that follows.
func (b *Buf) begin(st theme.Style) {
	b.set(st)
	b.last = put{len(b.out), b.col}
}

// putCut writes the first cells of plain text that is too long for its room.
func (b *Buf) putCut(s string, room int, st theme.Style) {
	b.put(s[:room-1], room-1, st)
	b.ellipsis()
}

// ellipsis marks what is cut right behind the text written last.
func (b *Buf) ellipsis() {
	b.out = append(b.out, b.Theme.Glyphs.Ellipsis...)
	b.col++
}

func (b *Buf) textSlow(s string, room int, st theme.Style) {
	if !b.Theme.Glyphs.ASCII {
		if cells, _, ok := narrowFit(s, room); ok {
			b.putNarrow(s, cells, room, st)
			return
		}
	}
	short := trimBytes(s, room)
	b.tmp = appendSafe(b.tmp[:0], short, b.Theme.Glyphs.ASCII)
	keep, cells, fits := fit(b.tmp, room)
	cut := !fits || len(short) < len(s)
	if cut {
		keep, cells, _ = fit(b.tmp, room-1)
	}
	b.begin(st)
	b.out = append(b.out, b.tmp[:keep]...)
	b.col += cells
	if cut {
		b.ellipsis()
	}
}

func (b *Buf) putNarrow(s string, cells, room int, st theme.Style) {
	if cells <= room {
		b.put(s, cells, st)
		return
	}
	_, end, _ := narrowFit(s, room-1)
	b.put(s[:end], room-1, st)
	b.ellipsis()
}

// fit returns how many bytes of safe text fit into room cells, and their width.
func fit(s []byte, room int) (keep, cells int, all bool) {
	for keep < len(s) {
		n, w := 1, 1
		if s[keep] >= 0x80 || keep+1 < len(s) && s[keep+1] >= 0x80 {
			cluster, cw := ansi.FirstGraphemeCluster(s[keep:], ansi.GraphemeWidth)
			n, w = len(cluster), cw
		}
		if cells+w > room {
			return keep, cells, false
		}
		keep, cells = keep+n, cells+w
	}
	return keep, cells, true
}

// Bytes is Text for bytes, such as what strconv appends to Tmp.
func (b *Buf) Bytes(p []byte, st theme.Style) {
	if len(p) <= b.Room() && isPlain(p) {
		b.begin(st)
		b.out = append(b.out, p...)
		b.col += len(p)
		return
	}
	b.Text(string(p), st)
}

// Tmp returns an empty slice with room for a number, to append to.
func (b *Buf) Tmp() []byte { return b.num[:0] }

// Int appends a decimal number.
func (b *Buf) Int(v int64, st theme.Style) { b.Bytes(strconv.AppendInt(b.Tmp(), v, 10), st) }

// Uint appends a decimal number.
func (b *Buf) Uint(v uint64, st theme.Style) { b.Bytes(strconv.AppendUint(b.Tmp(), v, 10), st) }

// Hex appends 0x and at least digits hex digits.
func (b *Buf) Hex(v uint64, digits int, st theme.Style) {
	p := append(b.Tmp(), "0x"...)
	for d := digits; d > 1 && v>>(4*(d-1)) == 0; d-- {
		p = append(p, '0')
	}
	b.Bytes(strconv.AppendUint(p, v, 16), st)
}

const blanks = "                                                                                                                                "

// Space appends n blanks, no more than the region has room for.
func (b *Buf) Space(n int) {
	n = min(n, b.Room())
	if n <= 0 {
		return
	}
	b.begin(theme.Style{})
	b.col += n
	for ; n > len(blanks); n -= len(blanks) {
		b.out = append(b.out, blanks...)
	}
	b.out = append(b.out, blanks[:n]...)
}

// To pads up to a column of the open region; it does nothing past that column.
func (b *Buf) To(col int) { b.Space(b.left + col - b.col) }

// Repeat appends a glyph of one cell n times, no more than there is room for.
func (b *Buf) Repeat(glyph string, n int, st theme.Style) {
	n = min(n, b.Room())
	if n <= 0 {
		return
	}
	b.begin(st)
	b.col += n
	for range n {
		b.out = append(b.out, glyph...)
	}
}

// Cell appends text as a cell of w cells: aligned, padded, cut with an ellipsis.
func (b *Buf) Cell(s string, w int, a Align, st theme.Style) {
	r := b.BeginCell(w, a)
	b.Text(s, st)
	b.End(r)
}
