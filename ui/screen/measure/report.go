package measure

import (
	"fmt"
	"strings"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/measure"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// row draws one line of the report.
type row func(b *line.Buf)

// report lays out the result of the run shown.
type report struct {
	th   *theme.Theme
	w    int
	rows []row
}

const labelWidth = 20

func (r *report) text(text string, st theme.Style) {
	for _, l := range widget.Fill(nil, line.Escape(text), max(r.w-2, 10)) {
		r.rows = append(r.rows, func(b *line.Buf) { b.Text(" "+l, st) })
	}
}

// value adds a value with its name, and that of the compared run.
func (r *report) value(name, value, other string) { r.pair(name, value, other, r.th.Theirs) }

// pair adds a value with its name and what it is compared with.
func (r *report) pair(name, value, other string, st theme.Style) {
	r.rows = append(r.rows, func(b *line.Buf) {
		b.Space(1)
		b.Cell(name, labelWidth, line.Left, r.th.Label)
		b.Cell(value, max(line.Width(value), 10), line.Right, r.th.Value)
		if other != "" {
			b.Space(2)
			b.Cell(other, max(line.Width(other), 10), line.Right, st)
		}
	})
}

// build lays out the report for a width.
func (r *report) build(s *Screen, w int) {
	r.th, r.w, r.rows = s.th, w, r.rows[:0]
	n := s.shown()
	if n == nil {
		r.proposal(s, &s.settings)
		return
	}
	v := &n.view
	r.state(v)
	if n.settings.ends != bothEnds && !v.State.Over() && v.State < measure.Running {
		r.proposal(s, &n.settings)
	}
	other := s.behind(n)
	r.phases(v)
	r.results(v, other)
	r.lanes(v)
	r.counters(v, other)
	r.threads(v)
	r.limits(s, v)
	r.spread(v, other)
}

// proposal says what to run at the peer, and what the settings are without a screen.
func (r *report) proposal(s *Screen, set *settings) {
	if peer := s.peerLine(set); peer != "" {
		r.text("At the peer:", r.th.Label)
		r.text("  "+peer, r.th.Value)
	} else if set.p.CM {
		r.text("Both ends run in this program and connect through rdma_cm, as with perftest.", r.th.Dim)
	} else {
		r.text("Both ends run in this program and exchange their addresses over TCP, as with perftest.", r.th.Dim)
	}
	r.text("Without a screen:", r.th.Label)
	for _, l := range s.ownLines(set) {
		r.text("  "+l, r.th.Value)
	}
}

// state says how far the run is.
func (r *report) state(v *measure.View) {
	st, text := r.th.Accent, v.State.String()
	switch v.State {
	case measure.Running:
		if len(v.Points) > 0 {
			text += " " + format.Span(sinceChange(v).Round(interval))
		} else {
			break
		}
		if d := v.Params.Duration; d > 0 {
			text += " of " + format.Span(d)
		} else if v.Progress.Messages > 0 {
			text += fmt.Sprintf(", %s of %s messages", format.Count(v.Progress.Messages),
				format.Count(v.Params.Iters*uint64(max(v.Params.QPs, 1))))
		}
	case measure.Ended:
		st = r.th.OK
	case measure.Stopped:
		st = r.th.Dim
		if p, ok := v.Mean(v.Last()); ok {
			text += fmt.Sprintf(" after %s and %s", format.Span(v.Points[len(v.Points)-1].At.Round(time.Millisecond)),
				format.Counted(p.Messages, "message"))
		}
	case measure.Failed:
		st, text = r.th.Err, v.Err
	}
	if v.Info.DeviceName != "" && v.State != measure.Failed {
		text += " " + r.th.Glyphs.Sep + " " + v.Info.DeviceName
	}
	r.text(text, st)
	switch {
	case v.Refused != "" && !v.Changing:
		r.text("Not changed: "+v.Refused, r.th.Err)
	case v.Changing:
		r.text("Connecting queue pairs with the new settings.", r.th.Dim)
	case v.State == measure.Running && !v.Both:
		r.text(fixedSettings, r.th.Dim)
	}
	if v.Blind != "" {
		r.text("No live figures: "+v.Blind+". The client's report appears at the end.", r.th.Dim)
	} else if passive(v) && len(v.Points) > 0 {
		r.text("Counted from the packets that arrived. The client must use the same size.", r.th.Dim)
	}
}

// passive reports whether a run's end here posts nothing.
func passive(v *measure.View) bool { return !v.Both && !v.Params.Sends() && !v.Params.Receives() }

// fixedSettings says why a test with a peer takes no changes.
const fixedSettings = "Settings are fixed: both ends agreed on them before the test began."

// sinceChange returns how long a test has run with its present parameters.
func sinceChange(v *measure.View) time.Duration {
	at := v.Points[len(v.Points)-1].At
	if len(v.Phases) > 0 {
		at -= v.Phases[v.Last()].From
	}
	return max(at, 0)
}

// phases compares what was measured before and after each change.
func (r *report) phases(v *measure.View) {
	if len(v.Phases) < 2 {
		return
	}
	before := 0.0
	for i := range v.Phases {
		phase := &v.Phases[i]
		head := "At first:"
		if i > 0 {
			head = fmt.Sprintf("%s: %s", format.Span(phase.From.Round(interval)),
				strings.Join(changes(&v.Phases[i-1].Params, &phase.Params), " "))
		}
		r.text(head, r.th.Label)
		p, ok := v.Mean(i)
		if !ok {
			continue
		}
		amount, text := p.Throughput(), throughput(&phase.Params, p.Throughput())
		if phase.Params.Test.Latency {
			amount, text = float64(p.Latency), format.Span(p.Latency)
		}
		spread, then := phase.Spread, ""
		if i == v.Last() {
			spread = v.Spread
		}
		if before > 0 {
			then = fmt.Sprintf("%+.0f %%", (amount/before-1)*100)
		}
		before = amount
		r.pair("  mean", text, then, r.th.Accent)
		r.value("  message rate", perSecond(p.Rate()), "")
		if spread.Samples > 0 {
			r.value("  p50, p99", format.Span(spread.P50)+", "+format.Span(spread.P99), "")
		}
	}
}

// figuresOf lists a result in perftest's words.
func figuresOf(res *bench.Result, p *bench.Params) []bench.Field {
	if l := res.Latency; l != nil {
		if p.Duration > 0 {
			return []bench.Field{{Name: "t_avg[usec]", JSON: fixed(l.Average)}, {Name: "tps average",
				JSON: fixed(l.PerSecond)}}
		}
		return []bench.Field{{Name: "t_min[usec]", JSON: fixed(l.Min)}, {Name: "t_max[usec]", JSON: fixed(l.Max)},
			{Name: "t_typical[usec]", JSON: fixed(l.Typical)},
			{Name: "t_avg[usec]", JSON: fixed(l.Average)}, {Name: "t_stdev[usec]", JSON: fixed(l.Stdev)},
			{Name: "99% percentile", JSON: fixed(l.P99)}, {Name: "99.9% percentile", JSON: fixed(l.P999)}}
	}
	u := "[MiB/sec]"
	if p.Gbits {
		u = "[Gb/sec]"
	}
	var out []bench.Field
	if res.Report.Peak > 0 {
		out = append(out, bench.Field{Name: "BW peak" + u, JSON: fixed(res.Report.Peak)})
	}
	return append(out, bench.Field{Name: "BW average" + u, JSON: fixed(res.Report.Average)},
		bench.Field{Name: "MsgRate[Mpps]", JSON: fmt.Sprintf("%.6f", res.Report.Rate)})
}

func fixed(v float64) string { return fmt.Sprintf("%.2f", v) }

// results adds the last result, or all of a sweep.
func (r *report) results(v *measure.View, other *run) {
	if len(v.Results) == 0 {
		return
	}
	last := &v.Results[len(v.Results)-1]
	var theirs []bench.Field
	if other != nil && len(other.view.Results) > 0 {
		theirs = figuresOf(&other.view.Results[len(other.view.Results)-1], &other.view.Params)
	}
	for _, f := range figuresOf(last, &v.Params) {
		r.value(f.Name, f.JSON, valueOf(theirs, f.Name))
	}
	if last.Local != nil {
		r.value("  sent", fixed(last.Local.Average), "")
		r.value("  received", fixed(last.Remote.Average), "")
	}
	if len(v.Results) == 1 {
		return
	}
	r.text("#bytes", r.th.Header)
	for i := range v.Results {
		res := &v.Results[i]
		theirs := ""
		if other != nil && i < len(other.view.Results) {
			theirs = fixed(averages(&other.view)[i])
		}
		r.value(fmt.Sprint(sizeOf(res)), fixed(averages(v)[i]), theirs)
	}
}

func valueOf(list []bench.Field, name string) string {
	for _, f := range list {
		if f.Name == name {
			return f.JSON
		}
	}
	return ""
}

// spread adds the percentiles and the histogram.
func (r *report) spread(v *measure.View, other *run) {
	if v.Spread.Samples == 0 {
		return
	}
	note := ""
	if !v.State.Over() {
		note = ", within 3 %"
	}
	r.rows = append(r.rows, func(b *line.Buf) {
		b.Text(" all samples ", r.th.Header)
		b.Text(fmt.Sprintf("%s%s", format.Count(v.Spread.Samples), note), r.th.Dim)
	})
	theirs := measure.Spread{}
	if other != nil {
		theirs = other.view.Spread
	}
	for _, f := range []struct {
		name string
		of   func(s *measure.Spread) time.Duration
	}{{"p50", func(s *measure.Spread) time.Duration { return s.P50 }},
		{"p90", func(s *measure.Spread) time.Duration { return s.P90 }},
		{"p99", func(s *measure.Spread) time.Duration { return s.P99 }},
		{"p99.9", func(s *measure.Spread) time.Duration { return s.P999 }},
		{"max", func(s *measure.Spread) time.Duration { return s.Max }}} {
		text := ""
		if theirs.Samples > 0 {
			text = format.Span(f.of(&theirs))
		}
		r.value(f.name, format.Span(f.of(&v.Spread)), text)
	}
	r.histogram(v)
}

// barRows is the height of the histogram.
const barRows = 5

// histogram draws the samples on a logarithmic axis, with marks at the percentiles.
func (r *report) histogram(v *measure.View) {
	w := max(r.w-2, 8)
	from, to := v.Spread.Min, v.Spread.Max
	columns := v.Histogram.Columns(from, to, w)
	top := maxOf(columns)
	for y := range barRows {
		r.rows = append(r.rows, func(b *line.Buf) {
			b.Space(1)
			widget.Bars(b, y, w, barRows, columns, top, r.th.Fill)
		})
	}
	marks := []rune(strings.Repeat(" ", w))
	for _, m := range []struct {
		at   time.Duration
		text string
	}{{v.Spread.Max, "max"}, {v.Spread.P999, "p99.9"}, {v.Spread.P99, "p99"}, {v.Spread.P90, "p90"},
		{v.Spread.P50, "p50"}} {
		put(marks, m.text, min(measure.Column(m.at, from, to, w), w-len(m.text)))
	}
	r.rows = append(r.rows, func(b *line.Buf) { b.Text(" "+string(marks), r.th.Label) })
	low, high := format.Span(from), format.Span(to)
	r.rows = append(r.rows, func(b *line.Buf) {
		b.Text(" "+low, r.th.Dim)
		b.Space(max(w+1-b.Col()-line.Width(high), 1))
		b.Text(high, r.th.Dim)
	})
}

// put writes a text at a column of a line. It returns false if the text does not fit or would touch another.
func put(onto []rune, text string, at int) bool {
	to := at + len([]rune(text))
	if at < 0 || to > len(onto) || strings.TrimSpace(string(onto[max(at-1, 0):min(to+1, len(onto))])) != "" {
		return false
	}
	copy(onto[at:], []rune(text))
	return true
}

// counters adds what the device counted during the run.
func (r *report) counters(v *measure.View, other *run) {
	if len(v.Counters) == 0 {
		return
	}
	var none []string
	for _, c := range v.Counters {
		theirs := ""
		if other != nil {
			for _, o := range other.view.Counters {
				if o.Name == c.Name {
					theirs = format.Count(o.Value)
				}
			}
		}
		if c.Value == 0 && (theirs == "" || theirs == "0") {
			none = append(none, c.Name)
			continue
		}
		r.value(c.Name, format.Count(c.Value), theirs)
	}
	if len(none) > 0 {
		r.text("None: "+strings.Join(none, ", "), r.th.Dim)
	}
}
