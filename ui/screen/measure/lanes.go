package measure

import (
	"fmt"
	"slices"

	"rdmatui/session/bench"
	"rdmatui/session/measure"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// mostLanes bounds the queue pairs in the report.
const mostLanes = 32

// directions adds the curves of what is sent and received to a plot of a test with -b.
func (c *charts) directions(out *chart, v *measure.View, q *quantity, slots float64) {
	for i, st := range []theme.Style{c.s.th.Accent, c.s.th.Info} {
		list := make([]float64, len(v.Points))
		for n := range v.Points {
			sent, received := v.Points[n].Directions()
			list[n] = q.of([]*measure.Point{&sent, &received}[i])
		}
		out.series = append(out.series,
			widget.PlotSeries{Values: widget.FitValues(list, slots, 2*c.cells()), Style: st})
	}
}

// drawDirections names the directions behind the head of a plot, with their last values.
func (s *Screen) drawDirections(b *line.Buf, v *measure.View, q *quantity) {
	p := v.Points[len(v.Points)-1]
	if mean, ok := v.Mean(v.Last()); v.State.Over() && ok {
		p = mean
	}
	sent, received := p.Directions()
	b.Text(" "+s.th.Glyphs.Right+shortest(q.text(&v.Params, q.of(&sent))), s.th.Accent)
	if v.KnowsReceived() {
		b.Text(" "+s.th.Glyphs.Left+shortest(q.text(&v.Params, q.of(&received))), s.th.Info)
	}
}

// lanes compares the queue pairs and the directions.
func (r *report) lanes(v *measure.View) {
	p, ok := v.Mean(v.Last())
	if !ok || v.Params.QPs == 1 && !v.Params.Bidirectional || len(v.Lanes) == 0 {
		return
	}
	rate := func(n uint64) float64 { return float64(n) * float64(p.Size) / p.Over.Seconds() }
	one := func(l bench.Lane) uint64 { return max(l.Sent, l.Received) }
	least := slices.MinFunc(v.Lanes, func(a, b bench.Lane) int { return int(one(a)) - int(one(b)) })
	most := slices.MaxFunc(v.Lanes, func(a, b bench.Lane) int { return int(one(a)) - int(one(b)) })
	r.rows = append(r.rows, func(b *line.Buf) {
		b.Text(" queue pairs ", r.th.Header)
		b.Text(fmt.Sprintf("mean, %s to %s", shortest(throughput(&v.Params, rate(one(least)))),
			throughput(&v.Params, rate(one(most)))), r.th.Dim)
	})
	for _, l := range v.Lanes[:min(len(v.Lanes), mostLanes)] {
		name := fmt.Sprintf("%#06x", uint32(l.QPN))
		if !v.Params.Bidirectional {
			r.bar(name, throughput(&v.Params, rate(one(l))), rate(one(l)), rate(one(most)), r.th.Fill)
			continue
		}
		r.bar(name+" "+r.th.Glyphs.Right, throughput(&v.Params, rate(l.Sent)), rate(l.Sent), rate(one(most)), r.th.Fill)
		if v.KnowsReceived() {
			r.bar("         "+r.th.Glyphs.Left, throughput(&v.Params, rate(l.Received)), rate(l.Received),
				rate(one(most)), r.th.Info)
		}
	}
	if more := len(v.Lanes) - mostLanes; more > 0 {
		r.text(fmt.Sprintf("%d more; JSON has all", more), r.th.Dim)
	}
	if v.Params.Bidirectional && !v.KnowsReceived() {
		r.text("What the peer writes or reads shows only at the end: it leaves no completion here.", r.th.Dim)
	}
}

// bar adds a value with a bar of its share of the largest.
func (r *report) bar(name, text string, value, most float64, st theme.Style) {
	const textWidth = 14
	nameWidth := 10
	if r.w >= wideReport {
		nameWidth = 32
	}
	width := r.w - 4 - nameWidth - textWidth
	r.rows = append(r.rows, func(b *line.Buf) {
		b.Space(1)
		b.Cell(name, nameWidth, line.Left, r.th.Label)
		b.Space(1)
		if width > 0 {
			widget.Gauge(b, value/max(most, 1), width, st, r.th.Track)
		}
		b.Cell(text, textWidth, line.Right, r.th.Value)
	})
}
