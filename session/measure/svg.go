package measure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"rdmatui/session/bench"
	"rdmatui/verbs/format"
)

// Limit is what a part of the host's hardware can carry in one direction.
type Limit struct {
	Name, Detail string
	Bytes        float64 // a second
}

// Sizes of the drawing.
const (
	svgWidth         = 960.0
	svgLeft          = 110.0 // of the plots
	svgRight         = 930.0
	svgHeight        = 170.0 // of a plot
	svgGap           = 70.0  // between two plots, for labels and the next title
	svgLine          = 18.0
	histogramColumns = 164
)

// Colours that differ for the colour-blind; Okabe and Ito's.
const (
	svgSent, svgReceived, svgLimit, svgMark = "#0072b2", "#009e73", "#d55e00", "#666"
)

const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" xml:space="preserve" font-family="sans-serif" font-size="13">
<title>%s</title>
<style>.a{stroke:#999}.g{stroke:#e5e5e5}.m{stroke:#666;stroke-dasharray:3 3}.l{stroke:#d55e00;stroke-dasharray:6 4}
.c{fill:none;stroke-width:1.6;stroke-linejoin:round}.t{font-size:15px;font-weight:bold}
.f{font:12px monospace}</style>
<rect width="100%%" height="100%%" fill="#fff"/>
`

// drawing is an SVG image, from top to bottom.
type drawing struct {
	b bytes.Buffer
	y float64
}

// curve is a quantity over time.
type curve struct {
	name, colour string
	of           func(p *Point) float64
}

// panel is a plot of curves in one unit.
type panel struct {
	title, unit string
	scale       float64 // of one unit
	curves      []curve
	limits      []Limit
}

// WriteSVG draws a run: its history, the spread of its latencies and its results.
func WriteSVG(w io.Writer, name string, v *View, limits []Limit) error {
	d := &drawing{y: 34}
	d.text(svgLeft, d.y, "start", "#000", "t", name)
	for _, p := range panels(v, limits) {
		d.panel(v, &p)
	}
	if v.Spread.Samples > 0 && v.Histogram != nil {
		d.histogram(v)
	}
	d.figures(v)
	_, err := fmt.Fprintf(w, svgHead+"%s</svg>\n", svgWidth, d.y+svgLine, escape(name), d.b.Bytes())
	return err
}

// panels lists the plots of a run.
func panels(v *View, limits []Limit) (list []panel) {
	unit, scale := "MiB/s", float64(1<<20)
	if v.Params.Gbits {
		unit, scale = "Gbit/s", 1e9/8
	}
	if v.Params.Test.Latency {
		list = append(list, panel{title: "latency", unit: "µs", scale: 1e3, curves: []curve{{"mean of 0.1 s", svgSent,
			func(p *Point) float64 { return float64(p.Latency) }}}})
	} else {
		list = append(list, panel{"throughput", unit, scale, curvesOf(v, (*Point).Throughput), limits})
	}
	return append(list, panel{title: "message rate", unit: "messages/s", scale: 1, curves: curvesOf(v, (*Point).Rate)})
}

// curvesOf returns the curves of a quantity: with -b one for each direction that is known.
func curvesOf(v *View, of func(*Point) float64) []curve {
	if !v.Params.Bidirectional {
		return []curve{{"", svgSent, of}}
	}
	list := []curve{{"sent", svgSent, func(p *Point) float64 { sent, _ := p.Directions(); return of(&sent) }}}
	if v.KnowsReceived() {
		list = append(list, curve{"received", svgReceived,
			func(p *Point) float64 { _, received := p.Directions(); return of(&received) }})
	}
	return list
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

func (d *drawing) text(x, y float64, anchor, colour, class, text string) {
	fmt.Fprintf(&d.b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=%q fill=%q class=%q>%s</text>\n", x, y, anchor, colour,
		class, escape(text))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.b, "<line class=%q x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2)
}

// begin starts a plot with its title, and returns its upper and lower edge.
func (d *drawing) begin(title string) (top, bottom float64) {
	top = d.y + svgGap - 2*svgLine
	bottom = top + svgHeight
	d.text(svgLeft, top-10, "start", "#000", "t", title)
	d.y = bottom + svgLine
	return top, bottom
}

// panel draws a plot over time.
func (d *drawing) panel(v *View, p *panel) {
	if len(v.Points) == 0 {
		return
	}
	top, bottom := d.begin(p.title + ", " + p.unit)
	highest := 0.0
	for i := range v.Points {
		for _, c := range p.curves {
			highest = max(highest, c.of(&v.Points[i])/p.scale)
		}
	}
	for _, l := range p.limits {
		highest = max(highest, l.Bytes/p.scale)
	}
	high := format.Ceil(highest)
	at := func(amount float64) float64 { return bottom - amount/p.scale/high*svgHeight }
	for _, share := range []float64{0, 0.5, 1} {
		y := at(share * high * p.scale)
		d.line("g", svgLeft, y, svgRight, y)
		d.text(svgLeft-8, y+4, "end", "#333", "", fmt.Sprintf("%g", share*high))
	}
	end := max(v.Points[len(v.Points)-1].At, interval)
	x := func(t time.Duration) float64 { return svgLeft + float64(t)/float64(end)*(svgRight-svgLeft) }
	for i := range 5 {
		t := end * time.Duration(i) / 4
		d.text(x(t), bottom+16, "middle", "#333", "", fmt.Sprintf("%.3g s", t.Seconds()))
	}
	for i := range v.Phases[min(1, len(v.Phases)):] {
		from := x(v.Phases[i+1].From)
		d.line("m", from, top, from, bottom)
		d.text(from+3, top+10, "start", svgMark, "", fmt.Sprint(i+2))
	}
	for _, l := range p.limits {
		d.line("l", svgLeft, at(l.Bytes), svgRight, at(l.Bytes))
		d.text(svgRight, at(l.Bytes)-4, "end", svgLimit, "", fmt.Sprintf("%s, %s", l.Name, l.Detail))
	}
	for i, c := range p.curves {
		d.curve(v, c, x, at)
		d.text(svgRight-float64(90*i), top-10, "end", c.colour, "", c.name)
	}
	d.line("a", svgLeft, bottom, svgRight, bottom)
}

// curve draws a curve, interrupted where the parameters changed.
func (d *drawing) curve(v *View, c curve, x func(time.Duration) float64, y func(float64) float64) {
	fmt.Fprintf(&d.b, "<path class=\"c\" stroke=%q d=\"", c.colour)
	for i := range v.Points {
		p := &v.Points[i]
		if i == 0 || p.Phase != v.Points[i-1].Phase {
			fmt.Fprintf(&d.b, "M%.1f %.1f", x(max(p.At-p.Over, 0)), y(c.of(p)))
		}
		fmt.Fprintf(&d.b, "L%.1f %.1f", x(p.At), y(c.of(p)))
	}
	d.b.WriteString("\"/>\n")
}

// histogram draws the latencies on a logarithmic axis.
func (d *drawing) histogram(v *View) {
	s := &v.Spread
	top, bottom := d.begin(fmt.Sprintf("latency, %s samples, logarithmic", format.Count(s.Samples)))
	columns := v.Histogram.Columns(s.Min, s.Max, histogramColumns)
	most, width := 1.0, (svgRight-svgLeft)/histogramColumns
	for _, n := range columns {
		most = max(most, n)
	}
	for i, n := range columns {
		if n > 0 {
			high := max(n/most*svgHeight, 1)
			fmt.Fprintf(&d.b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=%q/>\n",
				svgLeft+float64(i)*width, bottom-high, width, high, svgSent)
		}
	}
	for i, q := range []struct {
		name string
		at   time.Duration
	}{{"p50", s.P50}, {"p90", s.P90}, {"p99", s.P99}, {"p99.9", s.P999}} {
		x := svgLeft + (float64(Column(q.at, s.Min, s.Max, histogramColumns))+0.5)*width
		d.line("m", x, top, x, bottom)
		anchor, beside := "start", x+3
		if x > svgRight-100 {
			anchor, beside = "end", x-3
		}
		d.text(beside, top+10+float64(i)*14, anchor, svgMark, "", fmt.Sprintf("%s %s", q.name, format.Span(q.at)))
	}
	d.line("a", svgLeft, bottom, svgRight, bottom)
	d.text(svgLeft, bottom+16, "start", "#333", "", format.Span(s.Min))
	d.text(svgRight, bottom+16, "end", "#333", "", format.Span(s.Max))
}

// figures writes the settings, the results and the counters.
func (d *drawing) figures(v *View) {
	lines := []string{strings.TrimRight(v.Params.Test.String()+" "+v.Params.Flags(), " ") + ", " + v.State.String()}
	if v.Info.DeviceName != "" {
		lines[0] += ", " + v.Info.DeviceName
	}
	for i := range v.Phases {
		if p, ok := v.Mean(i); ok && len(v.Phases) > 1 {
			mean := fmt.Sprintf("%.1f MiB/s", p.Throughput()/(1<<20))
			if v.Params.Test.Latency {
				mean = format.Span(p.Latency)
			}
			lines = append(lines, fmt.Sprintf("%d, from %.1f s: %s, %s messages/s %s", i+1, v.Phases[i].From.Seconds(),
				mean, format.Count(uint64(p.Rate())), v.Phases[i].Params.Flags()))
		}
	}
	if len(v.Results) > 0 {
		lines = append(lines, bench.Columns(&v.Info.Params, v.Info.MiB))
	}
	for i := range v.Results {
		lines = append(lines, v.Results[i].Row(&v.Info.Params))
	}
	for _, c := range v.Counters {
		if c.Value > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", c.Name, format.Count(c.Value)))
		}
	}
	if v.Err != "" {
		lines = append(lines, v.Err)
	}
	d.y += svgLine / 2
	for _, l := range lines {
		d.y += svgLine
		d.text(20, d.y, "start", "#000", "f", l)
	}
}
