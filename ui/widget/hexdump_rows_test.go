package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// TestBytesInARow: a row has as many bytes as fit, 4 at least; its offset has as many digits as the last one needs.
func TestBytesInARow(t *testing.T) {
	for _, tt := range []struct {
		base   uint64
		n      int // bytes
		w      int
		perRow int
		digits int
	}{
		{0, 64, 139, 32, 4}, {0, 64, 138, 16, 4}, {0, 64, 73, 16, 4}, {0, 64, 72, 8, 4}, {0, 64, 40, 8, 4}, {0, 64, 39,
			4, 4},
		{0, 64, 1, 4, 4}, {0xffc0, 64, 73, 16, 4}, {0xffc0, 65, 73, 8, 8}, {0xffc0, 65, 77, 16, 8}, {0xffc0, 65, 76, 8,
			8},
		{0xffffffc0, 64, 77, 16, 8}, {0xffffffc0, 65, 85, 16, 16}, {0xffffffc0, 65, 84, 8, 16}, {0, 0, 140, 32, 4},
	} {
		th := theme.New("none", true)
		d := widget.NewHexDump(th)
		d.Base = tt.base
		d.SetData(hexData(tt.n))
		rows := strings.Split(uitest.Text(widget.Render(th, d, tt.w, 3)), "\n")
		if d.PerRow() != tt.perRow || d.Digits() != tt.digits {
			t.Errorf("%#x, %d bytes, %d cells: %d in a row, %d digits", tt.base, tt.n, tt.w, d.PerRow(), d.Digits())
		}
		if tt.n == 0 || tt.w < 24 {
			continue
		}
		for y := range 2 {
			off := tt.base + uint64(y*tt.perRow)
			want := fmt.Sprintf("%0*x ", tt.digits, off)
			text := ""
			for i := range tt.perRow {
				if i%8 == 0 {
					want += " "
				}
				c := byte((y*tt.perRow + i) * 7)
				want += fmt.Sprintf("%02x ", c)
				text += widget.Char[c]
			}
			if want += "│" + text + "│"; strings.TrimRight(rows[y], " ") != strings.TrimRight(want, " ") {
				t.Errorf("%d cells, row %d:\n%q, want\n%q", tt.w, y, rows[y], want)
			}
			if n := len([]rune(want)); n != d.RowWidth(tt.perRow) {
				t.Errorf("%d cells: a row is %d cells, said %d", tt.w, n, d.RowWidth(tt.perRow))
			}
		}
	}
}

// TestShowAByte: the window moves as little as possible to show a byte, or puts its row on top; it keeps its bytes when
// the width changes.
func TestShowAByte(t *testing.T) {
	th := theme.New("none", true)
	d := widget.NewHexDump(th)
	d.SetData(hexData(16 * 20))
	d.SetSize(80, 5)
	from := func() int { at, _ := d.Visible(); return at / 16 }
	for _, tt := range []struct{ row, want int }{{0, 0}, {4, 0}, {5, 1}, {9, 5}, {5, 5}, {4, 4}, {19, 15}, {15, 15}, {0,
		0}} {
		for _, off := range []int{0, 15} {
			if d.Show(16*tt.row + off); from() != tt.want {
				t.Errorf("row %d, byte %d: from row %d, want %d", tt.row, off, from(), tt.want)
			}
		}
	}
	for row, want := range map[int]int{0: 0, 7: 7, 15: 15, 16: 15, 19: 15} {
		if d.ShowFirst(16*row + 3); from() != want {
			t.Errorf("row %d first: from row %d, want %d", row, from(), want)
		}
	}
	d.ShowFirst(16 * 6)
	for _, w := range []int{140, 80, 44, 80} {
		d.SetSize(w, 5)
		if at, to := d.Visible(); at > 96 || at+d.PerRow() <= 96 || to-at != 5*d.PerRow() {
			t.Errorf("%d cells: bytes %d to %d", w, at, to)
		}
	}
	d.SetData(hexData(20))
	if at, to := d.Visible(); at != 0 || to != 20 {
		t.Errorf("fewer bytes: %d to %d", at, to)
	}
	d.SetData(nil)
	d.Empty = "nothing"
	if got := uitest.Text(widget.Render(th, d, 20, 2)); !strings.HasPrefix(got, "nothing\n") ||
		d.Update(uitest.Key("x")) {
		t.Errorf("%q", got)
	}
}

// TestMarkedBytes: bytes have the style of the last range that holds them, also the blanks between them; zeros recede,
// and a tag stands before its range.
func TestMarkedBytes(t *testing.T) {
	th := uitest.Tokens()
	d := widget.NewHexDump(th)
	p := []byte{1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 0, 12}
	d.SetData(p)
	for _, tt := range []struct {
		ranges []widget.HexRange
		want   string
	}{
		{nil, "‹Dim›0000 ‹Value› 01 ‹Undefined›00 ‹Value›03 04 05 06 07 08  09 0a ‹Undefined›00 ‹Value›0c"},
		{[]widget.HexRange{{Off: 1, Len: 2, Style: th.Range}},
			"‹Dim›0000 ‹Value› 01 ‹Range›00 03‹› ‹Value›04 05 06 07 08  09 0a ‹Undefined›00 ‹Value›0c"},
		{[]widget.HexRange{{Off: 6, Len: 4, Style: th.Range}, {Off: 7, Len: 1, Style: th.Changed}},
			"‹Dim›0000 ‹Value› 01 ‹Undefined›00 ‹Value›03 04 05 06 ‹Range›07 ‹Changed›08  ‹Range›09 0a‹› " +
				"‹Undefined›00 ‹Value›0c"},
		{[]widget.HexRange{{Off: 0, Len: 1, Style: th.Range, Tag: "a"}, {Off: 2, Len: 1, Style: th.Range, Tag: "b"},
			{Off: 8, Len: 1, Style: th.Range, Tag: "c"}, {Off: 3, Len: 0, Tag: "d"}},
			"‹Dim›0000 ‹Key›a‹Range›01 ‹Undefined›00‹Key›b‹Range›03 ‹Value›04 05 06 07 08 ‹Key›c‹Range›09 ‹Value›0a " +
				"‹Undefined›00 ‹Value›0c"},
	} {
		d.SetRanges(tt.ranges...)
		got, _, _ := strings.Cut(uitest.Marked(t, widget.Render(th, d, 80, 1), "0000"), "  ‹Frame›")
		clean := func(s string) string { return strings.NewReplacer("‹›", "", " ", "", "\n", "").Replace(s) }
		got, _, _ = strings.Cut(clean(got), "‹Frame›")
		if got != clean(tt.want) {
			t.Errorf("%q, want %q", got, clean(tt.want))
		}
	}
}
