package widget

import (
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// MaxValue returns the largest value, to scale by; 0 for none.
func MaxValue(values []float64) float64 {
	m := 0.0
	for _, v := range values {
		if v > m {
			m = v
		}
	}
	return m
}

// Spark appends the last w values as a sparkline of w cells scaled to top; newer
// values are on the right. A top of 0 scales to the largest shown. Zero, negative
// and missing values are blank or the lowest block: blank is "no data".
func Spark(b *line.Buf, values []float64, w int, top float64, st theme.Style) {
	r := b.Begin(w)
	w = b.Room()
	if len(values) > w {
		values = values[len(values)-w:]
	}
	if top <= 0 {
		top = MaxValue(values)
	}
	b.Space(w - len(values))
	for _, v := range values {
		b.Text(b.Theme.Glyphs.Spark[shareOf(v, top, 8)], st)
	}
	b.End(r)
}

// shareOf maps 0 to top onto 0 to n-1; only 0 itself gives 0 where n allows.
func shareOf(v, top float64, n int) int {
	if !(v > 0) || !(top > 0) { // also not a number
		return 0
	}
	return int(min(v/top, 1)*float64(n-1) + 0.5)
}

// Gauge appends a horizontal bar of w cells, filled from the left by a fraction
// of 0 to 1, in steps of an eighth of a cell.
func Gauge(b *line.Buf, fraction float64, w int, fill, track theme.Style) {
	r := b.Begin(w)
	w = b.Room()
	n := shareOf(fraction, 1, 8*w+1)
	g := &b.Theme.Glyphs
	b.Repeat(g.Eighths[7], n/8, fill)
	if n%8 > 0 && g.Eighths[n%8-1] != " " {
		b.Text(g.Eighths[n%8-1], fill)
	}
	b.Repeat(g.Track, b.Room(), track)
	b.End(r)
}
