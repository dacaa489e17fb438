package measure

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/session/bench"
	"rdmatui/verbs/format"
)

// shape is an element of a drawing: a text, a line, a rectangle or a path.
type shape struct {
	XMLName xml.Name
	Class   string  `xml:"class,attr"`
	Anchor  string  `xml:"text-anchor,attr"`
	Path    string  `xml:"d,attr"`
	X       float64 `xml:"x,attr"`
	Y       float64 `xml:"y,attr"`
	X1      float64 `xml:"x1,attr"`
	Y1      float64 `xml:"y1,attr"`
	X2      float64 `xml:"x2,attr"`
	Y2      float64 `xml:"y2,attr"`
	Height  string  `xml:"height,attr"`
	Text    string  `xml:",chardata"`
}

// plot is a part of a drawing, from one title to the next; the last one also has the figures.
type plot []shape

// of returns the shapes of a kind and class.
func (p plot) of(kind, class string) (list []shape) {
	for _, s := range p {
		if s.XMLName.Local == kind && s.Class == class {
			list = append(list, s)
		}
	}
	return list
}

// plots draws a view. It checks that everything lies in the drawing and that no plot reaches into the one above.
func plots(t *testing.T, v *View, limits []Limit) (list []plot) {
	t.Helper()
	var b strings.Builder
	if err := WriteSVG(&b, "name", v, limits); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ViewBox string  `xml:"viewBox,attr"`
		Shapes  []shape `xml:",any"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatal(err)
	}
	var x0, y0, width, height float64
	if _, err := fmt.Sscan(doc.ViewBox, &x0, &y0, &width, &height); err != nil {
		t.Fatal(err)
	}
	lowest, above := 0.0, 0.0
	for i, s := range doc.Shapes[3:] { // after title, style and background
		for _, x := range []float64{s.X, s.X1, s.X2} {
			if x < 0 || x > width {
				t.Errorf("%+v is beside the drawing", s)
			}
		}
		if s.Class == "t" {
			list, above = append(list, nil), lowest
		}
		top, bottom := s.Y, s.Y
		switch s.XMLName.Local {
		case "line":
			top, bottom = min(s.Y1, s.Y2), max(s.Y1, s.Y2)
		case "rect":
			high, err := strconv.ParseFloat(s.Height, 64)
			if err != nil {
				t.Fatal(err)
			}
			bottom += high
		case "text":
			top -= 10 // the height of most letters
		case "path":
			top, bottom = above, above
		}
		if i > 0 && top < above || bottom > height {
			t.Errorf("%+v is not between %g and %g", s, above, height)
		}
		lowest = max(lowest, bottom)
		list[len(list)-1] = append(list[len(list)-1], s)
	}
	return list[1:] // without the name
}

// axes are the scales of a plot, as its labels tell.
type axes struct{ left, right, bottom, top, most, end float64 }

func (a *axes) value(y float64) float64 { return (a.bottom - y) / (a.bottom - a.top) * a.most }
func (a *axes) time(x float64) float64  { return (x - a.left) / (a.right - a.left) * a.end }

// near reports whether a value that was read from a drawing is the one meant: a coordinate has a tenth of a unit.
func near(got, want, scale float64) bool { return math.Abs(got-want) < scale/500 }

// readAxes reads the labels, and checks that each is at its line and that the scales are even.
func readAxes(t *testing.T, p plot) *axes {
	t.Helper()
	lines, texts := p.of("line", "g"), p.of("text", "")
	if len(lines) != 3 || len(texts) < 8 {
		t.Fatalf("%d lines, %d labels", len(lines), len(texts))
	}
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	top, bottom := lines[2], lines[0]
	times := texts[3:8]
	a := &axes{bottom.X1, bottom.X2, bottom.Y1, top.Y1, number(texts[2].Text),
		number(strings.TrimSuffix(times[4].Text, " s"))}
	if !(a.left < a.right) || !(a.top < a.bottom) || !(a.most > 0) || !(a.end > 0) {
		t.Fatalf("%+v", a)
	}
	for i, line := range lines {
		label := texts[i]
		if got := a.value(line.Y1); !near(got, number(label.Text), a.most) || line.Y1 != line.Y2 || line.X1 != a.left ||
			line.X2 != a.right || label.Anchor != "end" || label.X >= a.left || math.Abs(label.Y-line.Y1) > 6 {
			t.Errorf("the line of %g has %+v", got, label)
		}
	}
	for i, label := range times {
		if got := number(strings.TrimSuffix(label.Text, " s")); !near(a.time(label.X), got, a.end) ||
			!near(got, a.end*float64(i)/4, a.end) || label.Anchor != "middle" || label.Y < a.bottom+10 ||
			label.Y > a.bottom+20 {
			t.Errorf("label %d of the times: %+v", i, label)
		}
	}
	if title := p.of("text", "t")[0]; title.X != a.left || title.Y >= a.top || title.Y < a.top-20 {
		t.Errorf("%+v above the line %g", title, a.top)
	}
	if base := p.of("line", "a"); len(base) != 1 || base[0].Y1 != a.bottom || base[0].Y2 != a.bottom {
		t.Errorf("%+v at the bottom, %g", base, a.bottom)
	}
	return a
}

// read reads the parts of a curve: pairs of time and value.
func (a *axes) read(t *testing.T, path string) (parts [][][2]float64) {
	t.Helper()
	for _, part := range strings.Split(path, "M")[1:] {
		var list [][2]float64
		for _, at := range strings.Split(part, "L") {
			var x, y float64
			if _, err := fmt.Sscan(at, &x, &y); err != nil {
				t.Fatal(err)
			}
			list = append(list, [2]float64{a.time(x), a.value(y)})
		}
		parts = append(parts, list)
	}
	return parts
}

// uneven is a view of a test with three phases whose points all differ.
func uneven(test bench.Test, change func(v *View)) *View {
	p := bench.DefaultParams(test)
	p.Size = 1 << 20
	v := &View{State: Ended, Params: p, Both: true, Phases: []Phase{{Params: p}}}
	for i, phase := range []int{0, 0, 1, 1, 2} {
		v.Points = append(v.Points, Point{At: time.Duration(i+1) * 200 * time.Millisecond, Over: 150 * time.Millisecond,
			Size: p.Size, Phase: phase, Messages: uint64(30 + 9*i), Received: uint64(3 * i),
			Latency: time.Duration(2000 + 1000*i)})
	}
	v.Phases = append(v.Phases, Phase{From: 450 * time.Millisecond, Params: p},
		Phase{From: 850 * time.Millisecond, Params: p})
	change(v)
	return v
}

// TestPlots reads the curves, the limits and the changes from a drawing with the help of its axes: they are those of
// the run, and the axes are not longer than needed.
func TestPlots(t *testing.T) {
	write, both := bench.Test{Verb: bench.Write}, func(v *View) { v.Params.Bidirectional = true }
	alone := func(v *View) { both(v); v.Both = false } // sees no WRITEs come
	rate, mib := (*Point).Rate, func(p *Point) float64 { return p.Throughput() / (1 << 20) }
	sent := func(of func(*Point) float64) func(*Point) float64 {
		return func(p *Point) float64 { sent, _ := p.Directions(); return of(&sent) }
	}
	received := func(of func(*Point) float64) func(*Point) float64 {
		return func(p *Point) float64 { _, received := p.Directions(); return of(&received) }
	}
	type want struct {
		title  string
		curves []func(*Point) float64
		names  []string
	}
	for name, tt := range map[string]struct {
		v      *View
		limits []float64 // in the unit of the first plot
		scale  float64
		plots  []want
	}{
		"throughput": {uneven(write, func(*View) {}), nil, 1 << 20, []want{
			{"throughput, MiB/s", []func(*Point) float64{mib}, []string{""}},
			{"message rate, messages/s", []func(*Point) float64{rate}, []string{""}}}},
		"limits": {uneven(write, func(*View) {}), []float64{900, 1700}, 1 << 20, []want{
			{"throughput, MiB/s", []func(*Point) float64{mib}, []string{""}},
			{"message rate, messages/s", []func(*Point) float64{rate}, []string{""}}}},
		"bits, hardly any": {uneven(write, func(v *View) {
			v.Params.Gbits = true
			for i := range v.Points {
				v.Points[i].Size = 1024
			}
		}), nil, 1e9 / 8, []want{
			{"throughput, Gbit/s", []func(*Point) float64{func(p *Point) float64 { return p.Throughput() * 8 / 1e9 }},
				[]string{""}},
			{"message rate, messages/s", []func(*Point) float64{rate}, []string{""}}}},
		"directions": {uneven(write, both), nil, 1 << 20, []want{
			{"throughput, MiB/s", []func(*Point) float64{sent(mib), received(mib)}, []string{"sent", "received"}},
			{"message rate, messages/s", []func(*Point) float64{sent(rate), received(rate)},
				[]string{"sent", "received"}}}},
		"one end": {uneven(write, alone), nil, 1 << 20, []want{
			{"throughput, MiB/s", []func(*Point) float64{sent(mib)}, []string{"sent"}},
			{"message rate, messages/s", []func(*Point) float64{sent(rate)}, []string{"sent"}}}},
		"latency": {uneven(bench.Test{Verb: bench.Send, Latency: true}, func(*View) {}), nil, 1, []want{
			{"latency, µs", []func(*Point) float64{func(p *Point) float64 { return float64(p.Latency) / 1e3 }},
				[]string{"mean of 0.1 s"}},
			{"message rate, messages/s", []func(*Point) float64{rate}, []string{""}}}},
		"a moment": {uneven(write, func(v *View) {
			v.Points = []Point{{At: 50 * time.Millisecond, Over: 60 * time.Millisecond, Size: 1 << 20, Messages: 6}}
			v.Phases = v.Phases[:1]
		}), nil, 1 << 20, []want{
			{"throughput, MiB/s", []func(*Point) float64{mib}, []string{""}},
			{"message rate, messages/s", []func(*Point) float64{rate}, []string{""}}}},
	} {
		var limits []Limit
		for i, amount := range tt.limits {
			limits = append(limits, Limit{fmt.Sprint("limit ", i), "of it", amount * tt.scale})
		}
		all := plots(t, tt.v, limits)
		if len(all) != len(tt.plots) {
			t.Fatalf("%s: %d plots", name, len(all))
		}
		for i, p := range all {
			a, want := readAxes(t, p), tt.plots[i]
			title, end := p[0].Text, tt.v.Points[len(tt.v.Points)-1].At.Seconds()
			if title != want.title || a.end != max(end, 0.1) {
				t.Errorf("%s: %q until %g s, want %q until %g s", name, title, a.end, want.title, end)
			}
			most, curves, names := 0.0, p.of("path", "c"), p.of("text", "")[8:]
			if i == 0 {
				most = slices.Max(append(tt.limits, 0))
				checkLimits(t, name, a, p, tt.limits)
			}
			names = slices.DeleteFunc(names, func(s shape) bool {
				return s.Y > a.top || strings.Contains(s.Text, "of it")
			})
			if len(curves) != len(want.curves) || len(names) != len(curves) {
				t.Fatalf("%s: %d curves with the names %+v", name, len(curves), names)
			}
			for c, of := range want.curves {
				most = max(most, checkCurve(t, name, a, tt.v, curves[c].Path, of))
				if n := names[c]; n.Text != want.names[c] || n.Anchor != "end" || n.X > a.right ||
					c > 0 && n.X > names[c-1].X-60 {
					t.Errorf("%s: name %d is %+v", name, c, n)
				}
			}
			if a.most != format.Ceil(most) {
				t.Errorf("%s: the axis ends at %g, the values at %g", name, a.most, most)
			}
			checkChanges(t, name, a, tt.v, p)
		}
	}
}

// checkCurve compares a curve with the points of a run, and returns the highest of its values.
func checkCurve(t *testing.T, name string, a *axes, v *View, path string, of func(*Point) float64) (most float64) {
	t.Helper()
	var want [][][2]float64
	for i := range v.Points {
		p := &v.Points[i]
		if i == 0 || p.Phase != v.Points[i-1].Phase {
			want = append(want, [][2]float64{{max((p.At - p.Over).Seconds(), 0), of(p)}})
		}
		last := len(want) - 1
		want[last] = append(want[last], [2]float64{p.At.Seconds(), of(p)})
		most = max(most, of(p))
	}
	same := func(a2, b [2]float64) bool { return near(a2[0], b[0], a.end) && near(a2[1], b[1], a.most) }
	if got := a.read(t, path); !slices.EqualFunc(got, want, func(x, y [][2]float64) bool {
		return slices.EqualFunc(x, y, same)
	}) {
		t.Errorf("%s: a curve of %.3f, want %.3f", name, got, want)
	}
	return most
}

// checkLimits: each limit has a line at its height, and its name right above that.
func checkLimits(t *testing.T, name string, a *axes, p plot, want []float64) {
	t.Helper()
	lines := p.of("line", "l")
	if len(lines) != len(want) {
		t.Fatalf("%s: %d limits", name, len(lines))
	}
	for i, line := range lines {
		name := fmt.Sprintf("limit %d, of it", i)
		texts := slices.DeleteFunc(p.of("text", ""), func(s shape) bool { return s.Text != name })
		if !near(a.value(line.Y1), want[i], a.most) || line.Y1 != line.Y2 || line.X1 != a.left || line.X2 != a.right ||
			len(texts) != 1 || texts[0].Anchor != "end" || texts[0].Y >= line.Y1 || texts[0].Y < line.Y1-10 {
			t.Errorf("%s: limit %d at %g, want %g: %+v, %+v", name, i, a.value(line.Y1), want[i], line, texts)
		}
	}
}

// checkChanges: each phase but the first has a line where it begins, with its number.
func checkChanges(t *testing.T, name string, a *axes, v *View, p plot) {
	t.Helper()
	lines := p.of("line", "m")
	if len(lines) != len(v.Phases)-1 {
		t.Fatalf("%s: %d changes", name, len(lines))
	}
	for i, line := range lines {
		texts := slices.DeleteFunc(p.of("text", ""), func(s shape) bool {
			return s.Text != fmt.Sprint(i+2) || s.Anchor != "start"
		})
		if want := v.Phases[i+1].From.Seconds(); !near(a.time(line.X1), want, a.end) || line.X1 != line.X2 ||
			line.Y1 != a.top || line.Y2 != a.bottom || len(texts) != 1 || texts[0].X <= line.X1 ||
			texts[0].X > line.X1+10 || texts[0].Y <= a.top || texts[0].Y > a.top+20 {
			t.Errorf("%s: change %d at %g, want %g: %+v, %+v", name, i, a.time(line.X1), want, line, texts)
		}
	}
}

// TestHistogramPlot: the columns of a histogram stand where their latencies are on the axis and are as high as they are
// frequent; a percentile is at the column that has it, with its text inside the drawing.
func TestHistogramPlot(t *testing.T) {
	v := uneven(bench.Test{Verb: bench.Send, Latency: true}, func(v *View) { v.Histogram = NewHistogram() })
	if list := plots(t, v, nil); len(list) != 2 {
		t.Errorf("%d plots without samples, want 2", len(list))
	}
	const common, half, rare = 1200, 600, 1
	for at, n := range map[time.Duration]int{time.Microsecond: common, 10 * time.Microsecond: half,
		100 * time.Microsecond: rare} {
		for range n {
			v.Histogram.Add(at)
		}
	}
	v.Spread = v.Histogram.Spread()
	list := plots(t, v, nil)
	if len(list) != 3 || list[2][0].Text != "latency, 1,801 samples, logarithmic" {
		t.Fatalf("%d plots, the last is %+v", len(list), list[len(list)-1][0])
	}
	p := list[2]
	base, columns, marks, texts := p.of("line", "a")[0], p.of("rect", ""), p.of("line", "m"), p.of("text", "")
	var at, high []float64
	for _, c := range columns {
		n, err := strconv.ParseFloat(c.Height, 64)
		if err != nil || math.Abs(c.Y+n-base.Y1) > 0.2 {
			t.Errorf("%+v does not stand on %g: %v", c, base.Y1, err)
		}
		at, high = append(at, (c.X-base.X1)/(base.X2-base.X1)), append(high, n)
	}
	if len(columns) != 3 || len(marks) != 4 || len(texts) != 6 {
		t.Fatalf("%d columns, %d percentiles, %d texts", len(columns), len(marks), len(texts))
	}
	if !near(at[0], 0, 1) || math.Abs(at[1]-0.5) > 0.01 || math.Abs(at[2]-1) > 0.01 || at[2] >= 1 ||
		math.Abs(high[0]-2*high[1]) > 0.1 || high[2] != 1 || high[0] < 100 { // the rare one stays visible
		t.Errorf("columns at %.3f, high %.1f", at, high)
	}
	for i, want := range []struct {
		text, anchor string
		column       int
	}{{"p50 1.01 µs", "start", 0}, {"p90 10.2 µs", "start", 1}, {"p99 10.2 µs", "start", 1},
		{"p99.9 10.2 µs", "start", 1}} {
		if line, text := marks[i], texts[i]; text.Text != want.text || text.Anchor != want.anchor ||
			line.X1 != line.X2 || math.Abs(line.X1-columns[want.column].X) > 5 || line.Y2 != base.Y1 ||
			!(text.X > line.X1) || text.X > line.X1+10 || text.Y <= line.Y1 || i > 0 && text.Y < texts[i-1].Y+10 {
			t.Errorf("percentile %d: %+v, %+v, want %+v", i, line, text, want)
		}
	}
	if from, to := texts[4], texts[5]; from.Text != "1 µs" || to.Text != "100 µs" || from.X != base.X1 ||
		to.X != base.X2 || from.Anchor != "start" || to.Anchor != "end" || from.Y < base.Y1+10 || to.Y != from.Y {
		t.Errorf("the ends of the axis: %+v, %+v", from, to)
	}
	for range 3000 { // most are now at the right edge, where their text has its room on the left
		v.Histogram.Add(100 * time.Microsecond)
	}
	v.Spread = v.Histogram.Spread()
	p = plots(t, v, nil)[2]
	if line, text := p.of("line", "m")[0], p.of("text", "")[0]; text.Anchor != "end" || text.X >= line.X1 ||
		text.X < line.X1-10 || text.Text != "p50 100 µs" {
		t.Errorf("%+v, %+v", line, text)
	}
}

// TestFigures: the lines below the plots tell the settings, the mean of each phase if there are several, the results,
// the counters that are not 0 and the error.
func TestFigures(t *testing.T) {
	write, latency := bench.Test{Verb: bench.Write}, bench.Test{Verb: bench.Send, Latency: true}
	none := func(*View) {}
	for name, tt := range map[string]struct {
		v    *View
		want []string // the beginnings
	}{
		"phases": {uneven(write, none), []string{"write-bw -s 1048576, ended",
			"1, from 0.0 s: 240.0 MiB/s, 240 messages/s -s 1048576",
			"2, from 0.5 s: 400.0 MiB/s, 400 messages/s -s 1048576",
			"3, from 0.8 s: 520.0 MiB/s, 520 messages/s -s 1048576"}},
		"phases of latency": {uneven(latency, none), []string{"send-lat -s 1048576, ended",
			"1, from 0.0 s: 2.56 µs, 240 messages/s", "2, from 0.5 s: 4.54 µs, 400 messages/s",
			"3, from 0.8 s: 6 µs, 520 messages/s"}},
		"one phase": {uneven(write, func(v *View) { v.Phases = v.Phases[:1] }),
			[]string{"write-bw -s 1048576, ended"}},
		"a phase without messages": {uneven(write, func(v *View) { v.Points = slices.Delete(v.Points, 2, 4) }),
			[]string{"write-bw -s 1048576, ended", "1, from 0.0 s: ", "3, from 0.8 s: "}},
		"all else": {uneven(write, func(v *View) {
			v.Phases, v.Err, v.State = nil, "why", Failed
			v.Info = bench.Info{Params: v.Params, DeviceName: "soft0", MiB: true}
			v.Results = []bench.Result{{Report: bench.Report{Size: 64, Iters: 5}},
				{Report: bench.Report{Size: 128}}}
			v.Counters = []Counter{{"retransmissions", 1}, {"timeouts", 0}, {"NAKs", 1234}}
		}), []string{"write-bw -s 1048576, failed, soft0", " #bytes     #iterations    BW peak[MiB/sec]",
			" 64         5 ", " 128        0 ", "retransmissions: 1", "NAKs: 1,234", "why"}},
	} {
		list := plots(t, tt.v, nil)
		p := list[len(list)-1]
		lines := p.of("text", "f")
		begins := func(s shape, want string) bool { return strings.HasPrefix(s.Text, want) }
		if !slices.EqualFunc(lines, tt.want, begins) {
			t.Errorf("%s: %+v\nwant %q", name, lines, tt.want)
		}
		above := p.of("line", "a")[0].Y1 + 10
		for _, line := range lines {
			if line.Anchor != "start" || line.Y < above+10 {
				t.Errorf("%s: %+v is not below %g", name, line, above)
			}
			above = line.Y
		}
	}
}
