package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/measure"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// quantity is what a plot shows of each point.
type quantity struct {
	name string
	fits func(t bench.Test) bool
	of   func(p *measure.Point) float64
	text func(p *bench.Params, v float64) string
}

// quantities in the order of the plots; a small pane shows the first.
var quantities = []quantity{
	{"latency", func(t bench.Test) bool { return t.Latency },
		func(p *measure.Point) float64 { return float64(p.Latency) },
		func(_ *bench.Params, v float64) string { return format.Span(time.Duration(v)) }},
	{"throughput", bandwidth, (*measure.Point).Throughput, throughput},
	{"message rate", func(bench.Test) bool { return true }, (*measure.Point).Rate,
		func(_ *bench.Params, v float64) string { return perSecond(v) }},
}

func perSecond(v float64) string {
	if v < 100 {
		return figures(v) + " msg/s"
	}
	return format.Count(uint64(v+0.5)) + " msg/s"
}

// charts draws the history of the run shown, with the compared one behind it.
type charts struct {
	s      *Screen
	w, h   int
	blocks []chart
}

// chart is one plot, ready to be drawn.
type chart struct {
	head        func(b *line.Buf)
	rows        int // of the plot, between the head and the axis
	top         float64
	high        string // the label of top
	left, right string // labels of the axis
	series      []widget.PlotSeries
	marks       []mark
	limits      []measure.Limit
}

// mark is where a change was made.
type mark struct {
	cell  int
	words []string
}

const (
	leastPlot = 2  // rows of the smallest plot
	mostPlots = 3  // on one pane
	axisWidth = 12 // cells left of a plot
)

// SetSize implements widget.Block.
func (c *charts) SetSize(w, h int) { c.w, c.h = w, h }

// DrawLine implements widget.Block.
func (c *charts) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		c.build()
	}
	if len(c.blocks) == 0 {
		if y == 0 {
			b.Text(" "+c.s.emptyText(), c.s.th.Dim)
		}
		return
	}
	for i := range c.blocks {
		if rows := c.blocks[i].rows + 2; y < rows {
			c.blocks[i].draw(b, y, c.w, c.s)
			return
		} else {
			y -= rows
		}
	}
}

// build prepares the plots for the run shown.
func (c *charts) build() {
	c.blocks = c.blocks[:0]
	n := c.s.shown()
	if n == nil || len(n.view.Points) == 0 {
		return
	}
	if len(n.view.Results) > 1 {
		c.blocks = append(c.blocks, c.sweep(n))
	}
	for i := range quantities {
		if q := &quantities[i]; q.fits(n.view.Params.Test) {
			c.blocks = append(c.blocks, c.history(n, q))
		}
	}
	most := max(min(c.h/(leastPlot+3), mostPlots), 1)
	c.blocks = c.blocks[:min(len(c.blocks), most)]
	room := c.h
	for i := range c.blocks {
		rows := room / (len(c.blocks) - i)
		c.blocks[i].rows = max(rows-2, 1)
		room -= rows
	}
}

// cells is the width of a plot.
func (c *charts) cells() int { return max(c.w-axisWidth-1, 4) }

// history is the plot of a quantity over time.
func (c *charts) history(n *run, q *quantity) chart {
	v := &n.view
	span := spanOf(v)
	other := c.s.behind(n)
	if other != nil {
		span = max(span, spanOf(&other.view))
	}
	mine := values(v, q)
	out := chart{left: "0 s", right: format.Span(span.Round(interval)), marks: c.marks(v, span)}
	each := v.Params.Bidirectional && other == nil
	if each {
		c.directions(&out, v, q, slots(v, span))
	} else {
		out.add(widget.FitValues(mine, slots(v, span), 2*c.cells()), c.s.th.Accent)
	}
	if other != nil && q.fits(other.view.Params.Test) {
		out.add(widget.FitValues(values(&other.view, q), slots(&other.view, span), 2*c.cells()), c.s.th.Theirs)
	}
	highest := out.highest()
	scale := 1.0
	if q.name == "throughput" {
		scale = unitBytes(&v.Params)
		limits, _ := c.s.limits(v)
		highest = out.raise(limits, highest)
	}
	out.top = format.Ceil(highest/scale) * scale
	out.high = shorter(q.text(&v.Params, out.top))
	last := mine[len(mine)-1]
	if p, ok := v.Mean(v.Last()); v.State.Over() && ok {
		last = q.of(&p)
	}
	out.head = func(b *line.Buf) {
		c.s.drawHead(b, q, v, last, other)
		if each {
			c.s.drawDirections(b, v, q)
		}
	}
	return out
}

// add adds a curve.
func (c *chart) add(values []float64, st theme.Style) {
	c.series = append(c.series, widget.PlotSeries{Values: values, Style: st})
}

// highest is the largest value of all curves.
func (c *chart) highest() (most float64) {
	for i := range c.series {
		most = max(most, maxOf(c.series[i].Values))
	}
	return most
}

// marks returns where the parameters changed.
func (c *charts) marks(v *measure.View, span time.Duration) (out []mark) {
	slots := max(slots(v, span), float64(len(v.Points)), 1)
	for i := range v.Points {
		if n := v.Points[i].Phase; i > 0 && n != v.Points[i-1].Phase {
			out = append(out, mark{int(float64(i) / slots * float64(c.cells())),
				changes(&v.Phases[n-1].Params, &v.Phases[n].Params)})
		}
	}
	return out
}

// drawHead draws the line above a plot: the quantity and its value, of the compared run
// too.
func (s *Screen) drawHead(b *line.Buf, q *quantity, v *measure.View, value float64, other *run) {
	th := s.th
	b.Space(1)
	b.Text(q.name+" ", th.Label)
	b.Text(q.text(&v.Params, value), th.Accent)
	if other == nil || !q.fits(other.view.Params.Test) {
		word := " now"
		if v.State.Over() {
			word = " mean"
		}
		b.Text(word, th.Dim)
		return
	}
	if p, ok := other.view.Mean(other.view.Last()); ok {
		b.Text(" "+th.Glyphs.Full+" ", th.Theirs)
		b.Text(q.text(&other.view.Params, q.of(&p)), th.Theirs)
	}
}

// sweep is the plot of the results over the message sizes.
func (c *charts) sweep(n *run) chart {
	v, th := &n.view, c.s.th
	name := "average by size"
	mine := averages(v)
	most := float64(max(len(mine), sweepSizes(v)))
	out := chart{left: sizeOf(&v.Results[0]), right: "8 MiB"}
	slots := most
	if v.State.Over() {
		slots, out.right = 0, sizeOf(&v.Results[len(v.Results)-1])
	}
	out.add(widget.FitValues(mine, slots, 2*c.cells()), th.Accent)
	if other := c.s.behind(n); other != nil && len(other.view.Results) > 1 &&
		other.view.Params.Test.Latency == v.Params.Test.Latency {
		out.add(widget.FitValues(averages(&other.view), most, 2*c.cells()), th.Theirs)
	}
	out.top = format.Ceil(out.highest())
	text := unit(&v.Params)
	if v.Params.Test.Latency {
		text = "µs"
	}
	out.high = figures(out.top) + " " + text
	out.high = shorter(out.high)
	out.head = func(b *line.Buf) {
		b.Text(" "+name+" ", th.Label)
		b.Text(figures(mine[len(mine)-1])+" "+text, th.Accent)
		b.Text(" at "+sizeOf(&v.Results[len(mine)-1]), th.Dim)
	}
	return out
}

// sweepSizes is how many sizes the sweep of a run has.
func sweepSizes(v *measure.View) int { return len(v.Params.Sizes(bench.MaxSize)) }

// averages lists the average of each size.
func averages(v *measure.View) (out []float64) {
	for i := range v.Results {
		if l := v.Results[i].Latency; l != nil {
			out = append(out, l.Average)
		} else {
			out = append(out, v.Results[i].Report.Average)
		}
	}
	return out
}

// draw draws row y of a chart: its head, the plot with the scale, the axis.
func (c *chart) draw(b *line.Buf, y, w int, s *Screen) {
	th := s.th
	switch {
	case y == 0:
		c.head(b)
		return
	case w < axisWidth+2: // no room for a plot
		return
	case y == c.rows+1:
		b.Space(axisWidth)
		b.Text(c.axis(w-axisWidth-1), th.Dim)
		return
	}
	p := widget.Plot{W: w - axisWidth - 1, H: c.rows, Top: c.top, Rule: th.Label,
		Lines: c.series}
	for _, m := range c.marks {
		p.Marks = append(p.Marks, m.cell)
	}
	for _, l := range c.limits {
		p.Levels = append(p.Levels, widget.PlotLevel{Value: l.Bytes, Style: th.Warn})
	}
	if label := c.scaleLabel(&p, y-1); label != "" {
		b.Cell(label, axisWidth-2, line.Right, th.Warn)
	} else {
		label = map[int]string{c.rows: "0", 1: c.high}[y]
		b.Cell(label, axisWidth-2, line.Right, th.Dim)
	}
	b.Text(" "+th.Glyphs.V, th.Frame)
	p.Draw(b, y-1)
}

// axis returns the line below a plot: its ends and, where there is room, the changes.
func (c *chart) axis(w int) string {
	text := []rune(strings.Repeat(" ", max(w, 0)))
	put(text, c.left, 0)
	put(text, c.right, len(text)-line.Width(c.right))
	for _, m := range slices.Backward(c.marks) {
		for n := len(m.words); n > 0 && !put(text, strings.Join(m.words[:n], " "), m.cell); n-- {
		}
	}
	return string(text)
}

// interval is the time between two points of a short history.
const interval = 100 * time.Millisecond

// spanOf is the time that the plots of a run cover.
func spanOf(v *measure.View) time.Duration {
	if len(v.Points) == 0 {
		return interval
	}
	span := v.Points[len(v.Points)-1].At
	if !v.State.Over() {
		span = max(span, v.Params.Duration)
	}
	return max(span, interval)
}

// slots is how many points would fill the span.
func slots(v *measure.View, span time.Duration) float64 {
	last := v.Points[len(v.Points)-1].At
	if last <= 0 {
		return 1
	}
	return float64(len(v.Points)) * float64(span) / float64(last)
}

func values(v *measure.View, q *quantity) []float64 {
	out := make([]float64, len(v.Points))
	for i := range v.Points {
		out[i] = q.of(&v.Points[i])
	}
	return out
}

// maxOf returns the largest number.
func maxOf(values []float64) (most float64) {
	for _, v := range values {
		if v > most {
			most = v
		}
	}
	return most
}

// shorter leaves the noun out of a label that is too wide for the scale.
func shorter(text string) string {
	if line.Width(text) > axisWidth-2 {
		return shortest(text)
	}
	return text
}

// shortest leaves the unit out.
func shortest(text string) string {
	text, _, _ = strings.Cut(text, " ")
	return text
}

func sizeOf(r *bench.Result) string {
	if r.Latency != nil {
		return format.Size(r.Latency.Size)
	}
	return format.Size(r.Report.Size)
}

// emptyText says what the plots will show.
func (s *Screen) emptyText() string {
	n := s.shown()
	switch {
	case n == nil:
		return "No runs yet. enter starts the test."
	case n.view.State == measure.Listening && n.view.Params.CM:
		return fmt.Sprintf("Waiting for a client on port %d of rdma_cm.", n.view.Port)
	case n.view.State == measure.Listening:
		return fmt.Sprintf("Waiting for a client on TCP port %d.", n.view.Port)
	case n.view.State < measure.Running:
		return "Connecting…"
	case n.view.State == measure.Running && n.view.Blind != "":
		return "No live figures: the result says why."
	case n.view.State == measure.Running && passive(&n.view):
		return "Connected. The history begins with the client's first message."
	case n.view.State == measure.Running:
		return "Connected."
	}
	return "Nothing was measured."
}
