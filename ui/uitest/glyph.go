package uitest

import (
	"fmt"
	"strings"
)

// Glyphs that fonts draw in different widths, or lack, are drawn as paths. A cell is 10 wide and 20 high.

// arms are the half lines that meet in the middle of a cell.
type arms uint8

const (
	up arms = 1 << iota
	right
	down
	left
)

// boxes are the glyphs of frames that consist of half lines.
var boxes = map[string]arms{
	"─": left | right, "│": up | down, "┌": right | down, "┐": left | down, "└": up | right, "┘": up | left,
	"├": up | down | right, "┤": up | down | left, "┬": left | right | down,
	"┴": left | right | up, "┼": up | right | down | left,
	"╴": left, "╵": up, "╶": right, "╷": down,
}

// strokes are lines that begin at the upper left corner of the cell, fills are areas.
var (
	strokes = map[string]string{
		"╭": "m5 20v-5q0-5 5-5", "╮": "m5 20v-5q0-5-5-5", "╰": "m5 0v5q0 5 5 5", "╯": "m5 0v5q0 5-5 5",
		"○": "m5 7a3 3 0 1 1 0 6 3 3 0 1 1 0-6z", "✓": "m1 10 3 4 5-9", "✗": "m2 6 6 8m-6 0 6-8",
		"→": "m0 10h9m-4-4 4 4-4 4", "←": "m10 10h-9m4-4-4 4 4 4",
		"↑": "m5 16v-11m-3 4 3-4 3 4", "↓": "m5 4v11m-3-4 3 4 3-4",
	}
	fills = map[string]string{
		"▸": "m2 6 7 4-7 4z", "◂": "m8 6-7 4 7 4z", "▶": "m0 4 10 6-10 6z", "◀": "m10 4-10 6 10 6z",
		"▲": "m5 4 5 11h-10z", "▼": "m5 15 5-11h-10z",
		"●": "m5 6a4 4 0 1 1 0 8 4 4 0 1 1 0-8z", "■": "m1 6h8v8h-8z",
		"█": "h10v20h-10z", "▉": "h8.75v20h-8.75z", "▊": "h7.5v20h-7.5z", "▋": "h6.25v20h-6.25z",
		"▌": "h5v20h-5z", "▍": "h3.75v20h-3.75z", "▎": "h2.5v20h-2.5z", "▏": "h1.25v20h-1.25z",
		"▇": "m0 2.5h10v17.5h-10z", "▆": "m0 5h10v15h-10z", "▅": "m0 7.5h10v12.5h-10z", "▄": "m0 10h10v10h-10z",
		"▃": "m0 12.5h10v7.5h-10z", "▂": "m0 15h10v5h-10z", "▁": "m0 17.5h10v2.5h-10z",
	}
	// shades are areas that the background shines through.
	shades = map[string]string{"░": "m0 3h10v14h-10z", "▒": "m0 3h10v14h-10z", "▓": "m0 3h10v14h-10z"}
)

// brailleDots are the positions of a braille pattern's dots, column and row, by its bits from the lowest.
var brailleDots = [8][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}

// braille returns the area of a braille pattern, of which plots consist: each dot is the middle of an eighth of the
// cell. "" if the glyph is none.
func braille(glyph string) string {
	const first, last = '\u2800', '\u28ff'
	r := []rune(glyph)
	if len(r) != 1 || r[0] < first || r[0] > last {
		return ""
	}
	var d strings.Builder
	x, y := 0, 0
	for bit, dot := range brailleDots {
		if (r[0]-first)>>bit&1 != 0 {
			atX, atY := dot[0]*cellWidth/2+1, dot[1]*cellHeight/4+1
			fmt.Fprintf(&d, "m%d %dh3v3h-3z", atX-x, atY-y)
			x, y = atX, atY // z leads back to the first corner
		}
	}
	return d.String()
}

// inRun reports whether every monospaced font has a glyph, in the usual width.
func inRun(glyph string) bool {
	r := []rune(glyph)
	return len(r) == 1 && (r[0] < 0x250 || r[0] >= 0x2010 && r[0] <= 0x2026)
}
