package widget

import (
	"math"
	"slices"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// PlotSeries is the values of one line, two for each cell from the left. Where a value is
// not a number there is no line.
type PlotSeries struct {
	Values []float64
	Style  theme.Style
}

// dots are the bits of a braille cell, by column and by row from the top.
var dots = [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// Plot is a plot of w times h cells, scaled from 0 to Top.
type Plot struct {
	W, H   int
	Top    float64
	Lines  []PlotSeries // in a cell of several lines the first one decides on the style
	Marks  []int        // cells in which something changed: a vertical line behind the others
	Levels []PlotLevel
	Rule   theme.Style // of marks
}

// PlotLevel is a horizontal line behind the others.
type PlotLevel struct {
	Value float64
	Style theme.Style
}

// Row returns the row of a value, from the top; ok is false if it is above the plot.
func (p *Plot) Row(v float64) (y int, ok bool) {
	l, ok := heightOf([]float64{v}, 0, p.H, p.Top)
	return p.H - 1 - l/4, ok && v <= p.Top
}

// Draw appends row y.
func (p *Plot) Draw(b *line.Buf, y int) {
	r := b.Begin(p.W)
	for x := range b.Room() {
		mask, st := rune(0), theme.Style{}
		for i := range p.Lines {
			m := brailleCell(p.Lines[i].Values, x, y, p.H, p.Top)
			if mask == 0 {
				st = p.Lines[i].Style
			}
			mask |= m
		}
		switch {
		case mask == 0:
			p.drawBehind(b, x, y)
		case b.Theme.Glyphs.ASCII:
			b.Text("*", st)
		default:
			b.Text(string(0x2800+mask), st)
		}
	}
	b.End(r)
}

// drawBehind draws a cell that has no dots.
func (p *Plot) drawBehind(b *line.Buf, x, y int) {
	for _, l := range p.Levels {
		if at, ok := p.Row(l.Value); ok && at == y {
			b.Text(b.Theme.Glyphs.DashH, l.Style)
			return
		}
	}
	if slices.Contains(p.Marks, x) {
		b.Text(b.Theme.Glyphs.DashV, p.Rule)
		return
	}
	b.Space(1)
}

// brailleCell returns the dots of a line in a cell. A step between neighbours is drawn too.
func brailleCell(values []float64, x, y, h int, top float64) (mask rune) {
	base := 4 * (h - 1 - y) // the level of the lowest dot
	for i := range 2 {
		at := 2*x + i
		to, ok := heightOf(values, at, h, top)
		if !ok {
			continue
		}
		from, ok := heightOf(values, at-1, h, top)
		if !ok {
			from = to
		}
		from, to = min(from, to), max(from, to)
		for l := max(from, base); l <= min(to, base+3); l++ {
			mask |= dots[i][3-(l-base)]
		}
	}
	return mask
}

// heightOf returns the height of a value in dots, from 0.
func heightOf(values []float64, i, h int, top float64) (int, bool) {
	if i < 0 || i >= len(values) || math.IsNaN(values[i]) {
		return 0, false
	}
	v := 0.0
	if top > 0 {
		v = max(min(values[i]/top, 1), 0)
	}
	return int(v*float64(4*h-1) + 0.5), true
}

// Bars appends row y of a bar chart of w times h cells, one bar for each cell, scaled
// from 0 to top. Only a value of 0 has no bar.
func Bars(b *line.Buf, y, w, h int, values []float64, top float64, st theme.Style) {
	r := b.Begin(w)
	for x := range min(b.Room(), len(values)) {
		n := 0
		if v := values[x]; v > 0 && top > 0 {
			n = max(int(min(v/top, 1)*float64(8*h)+0.5), 1)
		}
		switch n -= 8 * (h - 1 - y); {
		case n <= 0:
			b.Space(1)
		default:
			b.Text(b.Theme.Glyphs.Spark[min(n, 8)-1], st)
		}
	}
	b.End(r)
}

// FitValues spreads values over n places, the mean of those that share one. slots is how many
// values would fill all places; those that are missing at the end are not a number.
func FitValues(values []float64, slots float64, n int) []float64 {
	out := make([]float64, n)
	slots = max(slots, float64(len(values)), 1)
	for i := range out {
		from, to := int(float64(i)*slots/float64(n)), int(math.Ceil(float64(i+1)*slots/float64(n)))
		out[i] = math.NaN()
		if to = min(max(to, from+1), len(values)); from < to {
			sum := 0.0
			for _, v := range values[from:to] {
				sum += v
			}
			out[i] = sum / float64(to-from)
		}
	}
	return out
}
