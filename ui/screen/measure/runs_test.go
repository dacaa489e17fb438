package measure

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/measure"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// viewOf makes a view of a test with so many points of 1 MiB each in 100 ms.
func viewOf(name string, state measure.State, points int) measure.View {
	t, err := bench.Named(name)
	if err != nil {
		panic(err)
	}
	v := measure.View{State: state, Params: defaults(t), Both: true}
	for i := range points {
		v.Points = append(v.Points, measure.Point{At: time.Duration(i+1) * interval, Over: interval, Size: 1 << 16,
			Messages: 16, Latency: 12_500})
	}
	return v
}

// TestRunsList: a run in the list has its name, its figure as far as it has come, and a mark of how it stands.
func TestRunsList(t *testing.T) {
	result := bench.Result{Report: bench.Report{Size: 65536, Average: 700.25}}
	with := func(v measure.View, change func(*measure.View)) measure.View { change(&v); return v }
	for _, tt := range []struct {
		view measure.View
		want string
	}{
		{viewOf("write-bw", measure.Listening, 0), "‹Value›r ‹Dim›waiting ‹Accent›▸"},
		{viewOf("write-bw", measure.Starting, 0), "‹Value›r ‹Dim›waiting ‹Accent›▸"},
		{viewOf("write-bw", measure.Running, 0), "‹Value›r ‹Dim›running ‹Accent›▸"},
		{viewOf("write-bw", measure.Running, 3), "‹Value›r 10.00 MiB/s ‹Accent›▸"},
		{viewOf("write-lat", measure.Running, 3), "‹Value›r 12.5 µs ‹Accent›▸"},
		{viewOf("write-bw", measure.Stopped, 0), "‹Value›r ‹Dim›stopped"},
		{viewOf("write-bw", measure.Stopped, 3), "‹Value›r 10.00 MiB/s"},
		{viewOf("write-bw", measure.Failed, 3), "‹Value›r ‹Err›failed ✗"},
		{with(viewOf("write-bw", measure.Ended, 3), func(v *measure.View) { v.Results = []bench.Result{{}, result} }),
			"‹Value›r 700.2 MiB/s ‹OK›✓"},
		{with(viewOf("write-bw", measure.Ended, 3), func(v *measure.View) {
			v.Results, v.Params.Gbits = []bench.Result{result}, true
		}), "‹Value›r 700.2 Gbit/s ‹OK›✓"},
		{with(viewOf("write-lat", measure.Ended, 3), func(v *measure.View) {
			v.Results = []bench.Result{{Latency: &bench.Latency{Average: 1.234}}}
		}), "‹Value›r 1.23 µs ‹OK›✓"},
	} {
		th := uitest.Tokens()
		r := &runs{th: th, list: []*run{{name: "r", view: tt.view}}}
		cells := func() string {
			b := line.New(th)
			for col := range runColumns {
				r.Cell(b, 0, col)
				b.Space(1)
			}
			b.Finish()
			return strings.Join(strings.Fields(uitest.Marked(t, b.String(), "r ")), " ")
		}
		if got := cells(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		r.compared = r.list[0]
		if got := cells(); !strings.HasPrefix(got, "‹Theirs›r ") || !strings.HasSuffix(got, "‹Theirs›●") {
			t.Errorf("compared: %q", got)
		}
	}
}

// TestRunsAreBounded: the oldest run goes when there are too many, and is compared no more.
func TestRunsAreBounded(t *testing.T) {
	r := &runs{}
	p := bench.DefaultParams(bench.Test{Verb: bench.Write})
	for i := range maxRuns + 3 {
		n := &run{name: r.nextName(&p)}
		if r.add(n); i == 0 {
			r.compared = n
		}
		if want := min(i+1, maxRuns); r.Len() != want || r.at(0) != n || (r.compared != nil) != (i < maxRuns) {
			t.Errorf("run %d: %d runs, want %d, compared %v", i, r.Len(), want, r.compared)
		}
	}
	if first, last := r.at(0), r.at(maxRuns-1); first.name != "35 write-bw 64 KiB" || last.name != "4 write-bw 64 KiB" {
		t.Errorf("%s to %s", first.name, last.name)
	}
	if r.at(-1) != nil || r.at(maxRuns) != nil {
		t.Error("there are runs outside the list")
	}
	r.compared = r.at(1)
	r.remove(0)
	if r.compared != r.at(0) || r.Len() != maxRuns-1 {
		t.Error("another run than the removed one is compared no more")
	}
}

// TestRefreshOnlyWhatRuns: a run that is over is not looked at; one with nothing new is no change.
func TestRefreshOnlyWhatRuns(t *testing.T) {
	over, runs := &fake{view: measure.View{State: measure.Ended}}, &fake{view: measure.View{State: measure.Running}}
	x := &runsOf{list: []*run{{test: over, view: over.view}, {test: runs, view: runs.view}}}
	over.set(func(v *measure.View) { v.Err = "late" })
	if x.refresh() || x.list[0].view.Err != "" {
		t.Error("a run that is over has changed")
	}
	runs.set(func(v *measure.View) { v.Err = "new" })
	if !x.refresh() || x.list[1].view.Err != "new" || x.refresh() {
		t.Error("a change is not seen once")
	}
	if x.running() != x.list[1] {
		t.Error("the running test is not found")
	}
	runs.Stop()
	if x.refresh(); x.running() != nil {
		t.Error("a stopped test runs")
	}
}

type runsOf = runs

// TestFigures: a number has three significant digits at least, and no more than needed.
func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0000", 0.0999: "0.0999", 0.1: "0.10", 99.994: "99.99", 100: "100.0",
		999.94: "999.9", 1000: "1,000", 1234567.5: "1,234,568"} {
		if got := figures(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0.5: "0.50 msg/s", 99: "99.00 msg/s", 100: "100 msg/s",
		1234.5: "1,235 msg/s"} {
		if got := perSecond(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
	for text, want := range map[string]string{"1,234 msg/s": "1,234", "99 MiB/s": "99 MiB/s", "123.4 MiB/s": "123.4",
		"12.34 MB/s": "12.34 MB/s"} {
		if got := shorter(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]string{"1 write-bw 64 KiB": "1-write-bw-64-KiB", "azAZ09._": "azAZ09._",
		"ä/b\\c:": "--b-c-", "a`{@[/:^~": "a--------"} {
		want = strings.Replace(want, "--b", "-"+"-b", 1)
		if got := fileName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestStates: the report says how far a run is, on which device, and what it lacks.
func TestStates(t *testing.T) {
	for _, tt := range []struct {
		set  func(*measure.View)
		want string // lines
	}{
		{func(v *measure.View) { v.State = measure.Listening }, "‹Accent›waiting for a client · soft0"},
		{func(v *measure.View) { v.Points = nil }, "‹Accent›running · soft0"},
		{func(*measure.View) {}, "‹Accent›running 3 s of 10 s · soft0"},
		{func(v *measure.View) { v.Params.Duration = 0 }, "‹Accent›running 3 s · soft0"},
		{func(v *measure.View) { v.Params.Duration, v.Progress.Messages, v.Params.QPs = 0, 1500, 2 },
			"‹Accent›running 3 s, 1,500 of 10,000 messages · soft0"},
		{func(v *measure.View) { v.Params.Duration, v.Progress.Messages, v.Params.QPs = 0, 1500, 0 },
			"‹Accent›running 3 s, 1,500 of 5,000 messages · soft0"},
		{func(v *measure.View) { v.State = measure.Ended }, "‹OK›ended · soft0"},
		{func(v *measure.View) { v.State = measure.Stopped }, "‹Dim›stopped after 3 s and 480 messages · soft0"},
		{func(v *measure.View) { v.State, v.Points = measure.Stopped, nil }, "‹Dim›stopped · soft0"},
		{func(v *measure.View) { v.State, v.Err = measure.Failed, "no peer" }, "‹Err›no peer"},
		{func(v *measure.View) { v.Info.DeviceName = "" }, "‹Accent›running 3 s of 10 s"},
		{func(v *measure.View) { v.Refused = "why" }, "‹Accent›running 3 s of 10 s · soft0\n‹Err›Not changed: why"},
		{func(v *measure.View) { v.Refused, v.Changing = "why", true },
			"‹Accent›running 3 s of 10 s · soft0\n‹Dim›Connecting queue pairs with the new settings."},
		{func(v *measure.View) { v.Changing = true },
			"‹Accent›running 3 s of 10 s · soft0\n‹Dim›Connecting queue pairs with the new settings."},
		{func(v *measure.View) { v.Both, v.Params.Host = false, "x" },
			"‹Accent›running 3 s of 10 s · soft0\n‹Dim›" + fixedSettings},
		{func(v *measure.View) { v.Both, v.Params.Host, v.State = false, "x", measure.Ended }, "‹OK›ended · soft0"},
		{func(v *measure.View) { v.Both = false }, "‹Accent›running 3 s of 10 s · soft0\n‹Dim›" + fixedSettings +
			"\n‹Dim›Counted from the packets that arrived. The client must use the same size."},
		{func(v *measure.View) { v.Both, v.Points = false, nil }, "‹Accent›running · soft0\n‹Dim›" + fixedSettings},
		{func(v *measure.View) { v.Both, v.Blind = false, "why" }, "‹Accent›running 3 s of 10 s · soft0\n‹Dim›" +
			fixedSettings + "\n‹Dim›No live figures: why. The client's report appears at the end."},
		{func(v *measure.View) {
			v.Phases = []measure.Phase{{Params: v.Params}, {From: 2 * time.Second, Params: v.Params}}
			for i := range v.Points {
				v.Points[i].Phase = i / 20
			}
		}, "‹Accent›running 1 s of 10 s · soft0"},
	} {
		v := viewOf("write-bw", measure.Running, 30)
		v.Info.DeviceName = "soft0"
		if v.Params.Iters = 5000; tt.set != nil {
			tt.set(&v)
		}
		r := &report{th: uitest.Tokens(), w: 200}
		r.state(&v)
		var got []string
		for _, row := range r.rows {
			b := line.New(r.th)
			row(b)
			b.Finish()
			got = append(got, strings.TrimSpace(strings.ReplaceAll(uitest.Marked(t, b.String(), " "), "› ", "›")))
		}
		if text := strings.Join(got, "\n"); text != tt.want {
			t.Errorf("%q, want %q", text, tt.want)
		}
	}
}

// TestEmptyCharts: while there is nothing to draw, the pane says why.
func TestEmptyCharts(t *testing.T) {
	x := open(t, theme.New("none", true))
	if got := x.s.emptyText(); got != "No runs yet. enter starts the test." {
		t.Error(got)
	}
	x.Keys("enter")
	for _, tt := range []struct {
		set  func(*measure.View)
		want string
	}{
		{func(v *measure.View) { v.State, v.Port = measure.Listening, 18515 },
			"Waiting for a client on TCP port 18515."},
		{func(v *measure.View) { v.State, v.Port, v.Params.CM = measure.Listening, 7, true },
			"Waiting for a client on port 7 of rdma_cm."},
		{func(v *measure.View) { v.State = measure.Starting }, "Connecting…"},
		{func(v *measure.View) { v.State = measure.Running }, "Connected."},
		{func(v *measure.View) { v.State, v.Blind = measure.Running, "why" }, "No live figures: the result says why."},
		{func(v *measure.View) { v.State, v.Both = measure.Running, false },
			"Connected. The history begins with the client's first message."},
		{func(v *measure.View) { v.State = measure.Stopped }, "Nothing was measured."},
		{func(v *measure.View) { v.State, v.Blind = measure.Failed, "why" }, "Nothing was measured."},
	} {
		n := x.s.shown()
		n.view = viewOf("write-bw", measure.Running, 0)
		n.view.Params.Host = ""
		tt.set(&n.view)
		if got := x.s.emptyText(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if view := uitest.Text(widget.Render(x.s.th, &charts{s: x.s}, 80, 10)); !strings.HasPrefix(view, " "+tt.want) {
			t.Errorf("%q is not drawn:\n%s", tt.want, view)
		}
	}
}

// TestChartsFill: as many plots as there is room for fill the pane, each with its head, its axis and at least two rows.
func TestChartsFill(t *testing.T) {
	for _, tt := range []struct {
		test string
		h    int
		want []int // rows of each plot
	}{
		{"write-bw", 4, []int{2}}, {"write-bw", 9, []int{7}}, {"write-bw", 10, []int{3, 3}}, {"write-bw", 21, []int{8,
			9}},
		{"write-lat", 9, []int{7}}, {"write-lat", 10, []int{3, 3}}, {"write-bw", 2, []int{1}}, {"write-bw", 1,
			[]int{1}},
	} {
		x := open(t, theme.New("none", true))
		x.Keys("enter")
		x.s.shown().view = viewOf(tt.test, measure.Running, 20)
		c := &charts{s: x.s}
		view := uitest.Text(widget.Render(x.s.th, c, 60, tt.h))
		var got []int
		for _, b := range c.blocks {
			got = append(got, b.rows)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, %d rows: %v, want %v\n%s", tt.test, tt.h, got, tt.want, view)
		}
		first := map[bool]string{true: " latency 12.5 µs now",
			false: " throughput 10.00 MiB/s now"}[tt.test == "write-lat"]
		if !strings.HasPrefix(view, first+"\n") && tt.h > 1 || tt.h >= 10 && !strings.Contains(view,
			" message rate 160 msg/s now") {
			t.Errorf("%s, %d rows: no %q\n%s", tt.test, tt.h, first, view)
		}
		if tt.h < 4 {
			continue
		}
		axis := strings.Split(view, "\n")[tt.want[0]+1]
		if want := "            0 s"; !strings.HasPrefix(axis, want) || tt.test == "write-bw" &&
			!strings.HasSuffix(axis, "10 s") {
			t.Errorf("%s, %d rows: the axis is %q", tt.test, tt.h, axis)
		}
	}
}

// TestMarksOfChanges: a change of the settings is marked at its time, and named on the axis as far as there is room.
func TestMarksOfChanges(t *testing.T) {
	x := open(t, theme.New("none", true))
	x.Keys("enter")
	v := viewOf("write-bw", measure.Ended, 40)
	next := v.Params
	next.Size, next.QPs = 4096, 2
	last := next
	last.TXDepth = 7
	v.Phases = []measure.Phase{{Params: v.Params}, {From: time.Second, Params: next}, {From: 3 * time.Second,
		Params: last}}
	for i := range v.Points {
		v.Points[i].Phase = min(i/10, 2)
	}
	x.s.shown().view = v
	for w, want := range map[int]string{
		113: "            0 s                      size 4096 qp 2            tx-depth 7                              " +
			"     4 s",
		53: "            0 s       size 4096 tx-depth 7     4 s",
	} {
		c := &charts{s: x.s}
		view := strings.Split(uitest.Text(widget.Render(x.s.th, c, w, 9)), "\n")
		if got := view[8]; strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
		cells := w - axisWidth - 1
		for i, m := range c.blocks[0].marks {
			if at := cells * (10 + 10*i) / 40; m.cell != at {
				t.Errorf("%d cells: mark %d at %d, want %d", w, i, m.cell, at)
			}
		}
	}
}

// TestOnePlot: the ends of the time axis and of the scale, and what lies in between, fit what was measured.
func TestOnePlot(t *testing.T) {
	for _, tt := range []struct {
		set   func(*measure.View)
		right string
		high  string
		used  int // columns of the curve of 47
	}{
		{func(*measure.View) {}, "10 s", "10.00", 14}, {func(v *measure.View) { v.Params.Duration = 0 }, "3 s", "10.00",
			47},
		{func(v *measure.View) { v.State = measure.Ended }, "3 s", "10.00", 47},
		{func(v *measure.View) { v.Params.Duration = time.Second }, "3 s", "10.00", 47},
		{func(v *measure.View) { v.Points = v.Points[:1]; v.Params.Duration = 0 }, "100 ms", "10.00", 47},
		{func(v *measure.View) {
			for i := range v.Points {
				v.Points[i].Messages = 17
			}
		}, "10 s", "15.00", 14},
	} {
		x := open(t, theme.New("none", true))
		x.Keys("enter")
		v := viewOf("write-bw", measure.Running, 30)
		tt.set(&v)
		x.s.shown().view = v
		rows := strings.Split(uitest.Text(widget.Render(x.s.th, &charts{s: x.s}, 60, 9)), "\n")
		if !strings.HasSuffix(rows[8], tt.right) || strings.Fields(rows[1])[0] != tt.high ||
			strings.Fields(rows[7])[0] != "0" {
			t.Errorf("%q to %q, axis %q, want %s and %s", rows[1], rows[7], rows[8], tt.high, tt.right)
		}
		used := 0
		for _, l := range rows[1:8] {
			used = max(used, len([]rune(l))-axisWidth)
		}
		if used < tt.used-1 || used > tt.used+1 {
			t.Errorf("the curve has %d columns, want %d\n%s", used, tt.used, strings.Join(rows, "\n"))
		}
	}
}

// TestUsualDevice: a test that names no device runs on an open one, else on the first with an active port, else on the
// first.
func TestUsualDevice(t *testing.T) {
	down, up, more := device{name: "a"}, device{name: "b", active: true}, device{name: "c", active: true}
	for _, tt := range []struct {
		list   []device
		opened string
		want   string
	}{
		{nil, "", ""}, {nil, "a", ""}, {[]device{down}, "", "a"}, {[]device{down, up, more}, "", "b"},
		{[]device{down, up, more}, "c", "c"}, {[]device{down, up, more}, "x a c", "a"}, {[]device{down, up}, "x", "b"},
	} {
		if got := usual(tt.list, strings.Fields(tt.opened)); got.name != tt.want {
			t.Errorf("%v, open %q: %q, want %q", tt.list, tt.opened, got.name, tt.want)
		}
	}
}

// TestPeers: what is to run at the peer and without a screen has the settings of the form.
func TestPeers(t *testing.T) {
	for _, tt := range []struct {
		set  string
		peer string
		own  []string
	}{
		{"", "", []string{"rdmatui bench write-bw -d soft0 -D 10", "rdmatui bench write-bw -d soft0 -D 10 127.0.0.1"}},
		{"rdma_cm=1", "", []string{"rdmatui bench write-bw -d soft0 -D 10 -R",
			"rdmatui bench write-bw -d soft0 -D 10 -R ADDR"}},
		{"ends=server", "ib_write_bw -d DEVICE -D 10 ADDR", []string{"rdmatui bench write-bw -d soft0 -D 10"}},
		{"ends=server device=none", "ib_write_bw -d DEVICE -D 10 ADDRESS",
			[]string{"rdmatui bench write-bw -d none -D 10"}},
		{"ends=client address=10.9.0.1", "ib_write_bw -d DEVICE -D 10",
			[]string{"rdmatui bench write-bw -D 10 10.9.0.1"}},
		{"ends=client address=10.9.0.1 device=soft1", "ib_write_bw -d DEVICE -D 10",
			[]string{"rdmatui bench write-bw -d soft1 -D 10 10.9.0.1"}},
	} {
		x := open(t, theme.New("none", true))
		for word := range strings.FieldsSeq(tt.set) {
			name, value, _ := strings.Cut(word, "=")
			x.choose(name, value)
		}
		addr := ""
		for _, d := range x.s.devices {
			if d.name == "soft0" {
				addr = d.address
			}
		}
		if addr == "" {
			t.Fatal("soft0 has no address")
		}
		fill := func(s string) string {
			if strings.HasSuffix(s, "ADDR") {
				return strings.TrimSuffix(s, "ADDR") + addr
			}
			return s
		}
		var own []string
		for _, l := range tt.own {
			own = append(own, fill(l))
		}
		if got := x.s.peerLine(&x.s.settings); got != fill(tt.peer) {
			t.Errorf("%s: at the peer %q, want %q", tt.set, got, fill(tt.peer))
		}
		if got := x.s.ownLines(&x.s.settings); !slices.Equal(got, own) {
			t.Errorf("%s: without a screen %q, want %q", tt.set, got, own)
		}
		texts := x.s.texts(paneForm)
		if texts[0].Text != strings.Join(own, "\n") || (len(texts) == 2) != (tt.peer != "") {
			t.Errorf("%s: copied %q", tt.set, texts)
		}
	}
}
