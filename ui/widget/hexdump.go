package widget

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// HexRange marks bytes Off to Off+Len-1 in a style. Of ranges that overlap, the
// later in the list wins.
type HexRange struct {
	Off, Len int
	Style    theme.Style
	Tag      string // one cell before the first byte, "" for none
}

// HexDump is a scrolling view on bytes.
type HexDump struct {
	Base  uint64 // address shown for the first byte
	Empty string // shown when there are no bytes

	th     *theme.Theme
	data   []byte
	ranges []HexRange
	w, h   int
	top    int // first row shown
}

// NewHexDump makes an empty dump.
func NewHexDump(th *theme.Theme) *HexDump { return &HexDump{th: th} }

// SetData replaces the bytes; the slice is read when drawn, not copied.
func (d *HexDump) SetData(p []byte) { d.data = p; d.scroll(0) }

// SetRanges replaces the marked ranges.
func (d *HexDump) SetRanges(r ...HexRange) { d.ranges = r }

// HexDiff returns one range for every run of bytes in which now differs from was;
// bytes past the end of was count as changed.
func HexDiff(was, now []byte, st theme.Style) []HexRange {
	var out []HexRange
	for i := range now {
		if i < len(was) && was[i] == now[i] {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Off+out[n-1].Len == i {
			out[n-1].Len++
			continue
		}
		out = append(out, HexRange{Off: i, Len: 1, Style: st})
	}
	return out
}

// SetSize implements widget.Block.
func (d *HexDump) SetSize(w, h int) {
	first := d.top * d.perRow() // stay on the same bytes
	d.w, d.h = w, h
	d.top = first / d.perRow()
	d.scroll(0)
}

// digits of an offset: 4 where they do, else 8 or 16.
func (d *HexDump) digits() int {
	switch last := d.Base + uint64(max(len(d.data)-1, 0)); {
	case last>>16 == 0:
		return 4
	case last>>32 == 0:
		return 8
	}
	return 16
}

// width of a row of n bytes: offset, a blank, hex with a blank after every byte and
// one more before every eight, and ASCII between bars.
func (d *HexDump) width(n int) int { return d.digits() + 1 + 3*n + (n+7)/8 + n + 2 }

// perRow is the most bytes a row has room for; 4 if not even 8 fit.
func (d *HexDump) perRow() int {
	for _, n := range [...]int{32, 16, 8} {
		if d.width(n) <= d.w {
			return n
		}
	}
	return 4
}

func (d *HexDump) rows() int { return (len(d.data) + d.perRow() - 1) / d.perRow() }

func (d *HexDump) scroll(by int) {
	d.top = max(min(d.top+by, d.rows()-d.h), 0)
}

// Show scrolls so that the byte at off is in the window.
func (d *HexDump) Show(off int) {
	row := off / d.perRow()
	if row < d.top {
		d.top = row
	} else if row >= d.top+d.h {
		d.top = row - d.h + 1
	}
	d.scroll(0)
}

// ShowFirst scrolls so that the row of the byte at off is the first, as far as
// there are rows to fill the window.
func (d *HexDump) ShowFirst(off int) {
	d.top = off / d.perRow()
	d.scroll(0)
}

// Visible returns the range of bytes in the window.
func (d *HexDump) Visible() (from, to int) {
	n := d.perRow()
	return min(d.top*n, len(d.data)), min((d.top+d.h)*n, len(d.data))
}

// Update takes the keys of keymap.List that scroll.
func (d *HexDump) Update(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false
	}
	by, ok := keymap.Move(k, d.h, d.rows())
	d.scroll(by)
	return ok
}

// Mouse implements widget.Mouser.
func (d *HexDump) Mouse(m Mouse) bool {
	by, ok := m.Wheel()
	d.scroll(3 * by)
	return ok
}

// DrawLine implements widget.Block.
func (d *HexDump) DrawLine(b *line.Buf, y int) {
	n := d.perRow()
	off := (d.top + y) * n
	if off >= len(d.data) {
		if len(d.data) == 0 && y == 0 {
			b.Text(d.Empty, d.th.Dim)
		}
		return
	}
	row := d.data[off:min(off+n, len(d.data))]
	var styles [32]theme.Style
	inRange := d.mark(styles[:len(row)], row, off)
	d.offset(b, d.Base+uint64(off))
	for i := range n {
		tag := d.tag(off + i)
		if i%8 == 0 && tag != "" {
			b.Text(tag, d.th.Key)
		} else if i%8 == 0 {
			b.Space(1)
		}
		if i >= len(row) {
			b.Space(3)
			continue
		}
		b.Text(hex[row[i]], styles[i])
		// The blank between two bytes of one range belongs to it.
		if next := d.tag(off + i + 1); next != "" && (i+1)%8 != 0 {
			b.Text(next, d.th.Key)
		} else if i+1 < len(row) && (i+1)%8 != 0 && inRange>>i&1 == 1 && styles[i] == styles[i+1] {
			b.Text(" ", styles[i])
		} else {
			b.Space(1)
		}
	}
	d.ascii(b, row, styles[:len(row)])
}

// tag is what stands before a byte: the tag of the range that begins there.
func (d *HexDump) tag(off int) string {
	for i := range d.ranges {
		if r := &d.ranges[i]; r.Off == off && r.Tag != "" && r.Len > 0 {
			return r.Tag
		}
	}
	return ""
}

func (d *HexDump) offset(b *line.Buf, v uint64) {
	var p [16]byte
	n := d.digits()
	for i := n - 1; i >= 0; i-- {
		p[i] = "0123456789abcdef"[v&0xf]
		v >>= 4
	}
	b.Bytes(p[:n], d.th.Dim)
	b.Space(1)
}

// mark finds the style of every byte of a row, and as a mask which of them are in
// a range.
func (d *HexDump) mark(styles []theme.Style, row []byte, off int) (inRange uint32) {
	for i, c := range row {
		styles[i] = d.th.Value
		if c == 0 {
			styles[i] = d.th.Undefined // zeros recede, so that what was written stands out
		}
	}
	for _, r := range d.ranges {
		from, to := max(r.Off-off, 0), min(r.Off+r.Len-off, len(styles))
		for i := from; i < to; i++ {
			styles[i] = r.Style
			inRange |= 1 << i
		}
	}
	return inRange
}

func (d *HexDump) ascii(b *line.Buf, row []byte, styles []theme.Style) {
	b.Text(d.th.Glyphs.V, d.th.Frame)
	for i, c := range row {
		b.Text(char[c], styles[i])
	}
	b.Text(d.th.Glyphs.V, d.th.Frame)
}

// hex and char hold the text of every byte, so that drawing allocates nothing.
var hex, char = func() (h, c [256]string) {
	for i := range h {
		h[i] = string([]byte{"0123456789abcdef"[i>>4], "0123456789abcdef"[i&0xf]})
		c[i] = "."
		if i >= 0x20 && i <= 0x7e {
			c[i] = string(rune(i))
		}
	}
	return h, c
}()
