package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/bench"
	"rdmatui/session/measure"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// fake is a test that shows what it is told.
type fake struct {
	view    measure.View
	stopped bool
	changed []bench.Params
}

func (f *fake) View() measure.View { return f.view }
func (f *fake) Stop() {
	f.stopped = true
	f.set(func(v *measure.View) { v.State = measure.Stopped })
}

func (f *fake) Change(p bench.Params) error {
	f.changed = append(f.changed, p)
	return p.Check()
}

func (f *fake) set(change func(v *measure.View)) {
	change(&f.view)
	f.view.Version++
}

// rig is a screen over tests that only show what they are told.
type rig struct {
	*uitest.ScreenDriver
	s       *Screen
	started []*fake
	both    []bool
}

func open(t *testing.T, th *theme.Theme) *rig {
	t.Helper()
	sess := uitest.NewSession(t, session.Options{Live: true})
	env := sess.Env(th)
	x := &rig{s: New(env)}
	x.s.start = func(p bench.Params, both bool) (test, error) {
		if both {
			p.Host = "127.0.0.1"
		}
		if err := p.Check(); err != nil {
			return nil, err
		}
		f := &fake{view: measure.View{Params: p, Both: both}}
		x.started, x.both = append(x.started, f), append(x.both, both)
		return f, nil
	}
	x.ScreenDriver = uitest.NewScreen(t, env, x.s)
	return x
}

// choose sets a field of the form.
func (x *rig) choose(name, value string) {
	if err := x.s.settings.set(name, value); err != nil {
		panic(err)
	}
	x.s.refill()
}

// last is the test that was started last.
func (x *rig) last() *fake { return x.started[len(x.started)-1] }

// bandwidthRun starts write-bw and shows it after 3 of 10 seconds.
func (x *rig) bandwidthRun() {
	x.Keys("enter")
	x.last().set(func(v *measure.View) {
		v.State, v.Info.DeviceName = measure.Running, "soft0"
		for i := range 30 {
			v.Points = append(v.Points, measure.Point{At: time.Duration(i+1) * interval, Over: interval, Size: 65536,
				Messages: uint64(1000 + i%7*50)})
		}
		v.Counters = []measure.Counter{{Name: "retransmissions", Value: 3}, {Name: "out of order"}}
	})
	x.Frame()
}

// bandwidthEnd ends that run.
func (x *rig) bandwidthEnd(average float64) {
	x.last().set(func(v *measure.View) {
		v.State = measure.Ended
		v.Results = []bench.Result{{Report: bench.Report{Size: 65536, Iters: 30000, Average: average,
			Rate: average / 65536}}}
	})
	x.Frame()
}

// lanesRun shows a test of several queue pairs or both directions.
func (x *rig) lanesRun(n int, both bool) {
	x.choose("qp", fmt.Sprint(n))
	x.choose("bidirectional", map[bool]string{false: "0", true: "1"}[both])
	x.bandwidthRun()
	x.last().set(func(v *measure.View) {
		for i := range n {
			l := bench.Lane{QPN: verbs.QPN(0x11 + i), Sent: uint64(3000 + 200*i)}
			if both {
				l.Received = uint64(2500 - 100*i)
			}
			v.Lanes = append(v.Lanes, l)
		}
		for i := range v.Points {
			if both {
				v.Points[i].Received = uint64(500 + i%4*50)
			}
		}
	})
	x.Frame()
}

// card adds a device of 10 Gbit/s in a slot of 16 Gbit/s.
func (x *rig) card() {
	detail := devices.Detail{Ports: make([]devices.Port, 1)}
	p := &detail.Ports[0]
	p.PortNum, p.ActiveSpeed, p.ActiveWidth = 1, 4, 1
	detail.PCI, detail.PCILink = "0000:05:00.0", &devices.PCILink{GTs: 5, Width: 4}
	x.s.devices = append(x.s.devices, device{name: "mlx5_0", active: true, limits: limitsOf(&detail)})
}

// changedRun doubles the size of a running write-bw and its queue pairs.
func (x *rig) changedRun() {
	x.bandwidthRun()
	x.choose("size", "131072")
	x.choose("qp", "2")
	x.Keys("enter")
	x.last().set(func(v *measure.View) {
		v.Phases = []measure.Phase{{Params: v.Params}}
		for i, p := range x.last().changed {
			v.Phases = append(v.Phases, measure.Phase{From: time.Duration(3+i) * time.Second, Params: p})
			v.Params = p
		}
		for i := range 20 {
			v.Points = append(v.Points, measure.Point{At: time.Duration(i+31) * interval, Over: interval, Size: 131072,
				Phase: v.Last(), Messages: uint64(700 + i%5*20)})
		}
	})
	x.Frame()
}

// latencyRun starts write-lat and ends it.
func (x *rig) latencyRun() {
	x.choose(fieldTest, "write-lat")
	x.Keys("enter")
	x.last().set(func(v *measure.View) {
		v.State, v.Info.DeviceName = measure.Ended, "soft0"
		h := measure.NewHistogram()
		for i := range 1000 {
			d := time.Duration(10_000 + i*5)
			if i%50 == 0 {
				d *= 9
			}
			h.Add(d)
			v.Samples = append(v.Samples, 2*d)
		}
		v.Points = []measure.Point{{At: interval, Over: interval, Size: 2, Messages: 600, Latency: 13_000},
			{At: 2 * interval, Over: interval, Size: 2, Messages: 400, Latency: 12_000}}
		v.Histogram, v.Spread = h, measure.SpreadOf(append([]time.Duration(nil), v.Samples...), 2)
		l := bench.NewLatency(2, 1000, append([]time.Duration(nil), v.Samples...), 2)
		v.Results = []bench.Result{{Latency: &l}}
	})
	x.Frame()
}

// sweepRun runs all sizes.
func (x *rig) sweepRun() {
	x.choose("all", "1")
	x.Keys("enter")
	x.last().set(func(v *measure.View) {
		v.State, v.Info.DeviceName = measure.Ended, "soft0"
		for i := range 8 {
			size := uint64(2) << i
			v.Points = append(v.Points, measure.Point{At: time.Duration(i+1) * interval, Over: interval, Size: size,
				Messages: 5000})
			v.Results = append(v.Results, bench.Result{Report: bench.Report{Size: size, Iters: 5000,
				Average: float64(size), Rate: 1}})
		}
	})
	x.Frame()
}

// faces are what the goldens show.
var faces = map[string]func(*rig){
	"running": (*rig).bandwidthRun,
	"ended":   func(x *rig) { x.bandwidthRun(); x.bandwidthEnd(700) },
	"compared": func(x *rig) {
		x.bandwidthRun()
		x.bandwidthEnd(700)
		x.Keys("O")
		x.bandwidthRun()
		x.bandwidthEnd(650)
	},
	"changed": (*rig).changedRun,
	"changing": func(x *rig) {
		x.changedRun()
		x.last().set(func(v *measure.View) { v.Changing = true })
		x.Frame()
		x.Keys("[", "z")
	},
	"refused": func(x *rig) {
		x.changedRun()
		x.last().set(func(v *measure.View) { v.Refused = "create_qp bench-qp0: EINVAL, max_inline_data is 900" })
		x.Frame()
		x.Keys("[", "z")
	},
	"directions":        func(x *rig) { x.lanesRun(2, true) },
	"directions-zoomed": func(x *rig) { x.lanesRun(2, true); x.Keys("[", "z") },
	"lanes":             func(x *rig) { x.lanesRun(5, false) },
	"many-lanes":        func(x *rig) { x.lanesRun(40, false); x.Keys("[", "z") },
	"threads": func(x *rig) {
		x.bandwidthRun()
		x.last().set(func(v *measure.View) {
			v.Threads = []measure.Thread{{TID: 8963, Name: "rdmatui", Role: "client", User: 0.51, System: 0.39},
				{TID: 8964, Name: "rdmatui", User: 0.2, System: 0.01}, {TID: 8970, Name: "mlx5_events", System: 0.02}}
		})
		x.Frame()
	},
	"limits": func(x *rig) {
		x.card()
		x.bandwidthRun()
		x.last().set(func(v *measure.View) {
			v.Info.DeviceName, v.Info.Params.DevicePort = "mlx5_0", 1
		})
		x.Frame()
	},
	"limits-zoomed": func(x *rig) {
		x.card()
		x.bandwidthRun()
		x.last().set(func(v *measure.View) {
			v.Info.DeviceName, v.Info.Params.DevicePort = "mlx5_0", 1
		})
		x.Frame()
		x.Keys("[", "z")
	},
	"latency": (*rig).latencyRun,
	"result":  func(x *rig) { x.latencyRun(); x.Keys("[", "z") },
	"sweep":   (*rig).sweepRun,
	"waiting": func(x *rig) {
		x.choose(fieldEnds, "server")
		x.Keys("enter")
		x.last().set(func(v *measure.View) { v.State, v.Port = measure.Listening, 18515 })
		x.Frame()
	},
	"passive": func(x *rig) {
		x.choose(fieldEnds, "server")
		x.bandwidthRun()
	},
	"blind": func(x *rig) {
		x.choose(fieldEnds, "server")
		x.Keys("enter")
		x.last().set(func(v *measure.View) {
			v.State, v.Blind = measure.Running, "with -a only the client knows the size of a message"
		})
		x.Frame()
	},
	"failed": func(x *rig) {
		x.choose(fieldEnds, "client")
		x.choose(fieldAddress, "10.9.0.1")
		x.Keys("enter")
		x.last().set(func(v *measure.View) {
			v.State, v.Err = measure.Failed, "10.9.0.1 port 18515: connection refused\x1b[2J"
		})
		x.Frame()
	},
}

// bodies are the sizes that terminals of the named size leave for the screen.
var bodies = map[string][2]int{"80x24": {80, 20}, "120x40": {120, 36}, "40x10": {40, 7}}

func TestGolden(t *testing.T) {
	for name, set := range faces {
		for size, wh := range bodies {
			x := open(t, theme.New("none", true))
			set(x)
			uitest.Golden(t, name+"-"+size, x.View(wh[0], wh[1]))
		}
	}
	x := open(t, theme.New("none", false))
	x.latencyRun()
	uitest.Golden(t, "ascii-80x24", x.View(80, 20))
}

// TestSweep checks that every size is drawn within its bounds, whatever is shown.
func TestSweep(t *testing.T) {
	for name, set := range faces {
		x := open(t, theme.New("16", name != "failed"))
		set(x)
		for range int(panes) {
			for _, w := range []int{1, 5, 40, 64, 80, 110, 160} {
				for _, h := range []int{1, 5, 13, 14, 20, 36} {
					uitest.Exact(t, widget.Render(x.s.th, x.s, w, h), w, h)
				}
			}
			x.Keys("]")
		}
	}
}

// TestKeys checks what the keys do to runs.
func TestKeys(t *testing.T) {
	x := open(t, theme.New("none", true))
	for _, k := range []string{"O", "m", "w", "r", "d"} { // without a run
		x.Keys(k)
	}
	if len(x.Flashes) != 4 || len(x.started) != 0 { // r runs nothing, too
		if len(x.Flashes) != 5 {
			t.Errorf("said %q", x.Flashes)
		}
	}
	x.bandwidthRun()
	x.Keys("enter") // one at a time: the busy keys have no enter
	if len(x.started) != 1 || !x.both[0] || x.last().view.Params.Device != "soft0" ||
		x.last().view.Params.Duration != usualDuration {
		t.Fatalf("%d started, %v, %+v", len(x.started), x.both, x.last().view.Params)
	}
	x.Keys("d")
	if len(x.Asked) != 0 {
		t.Error("a running test can be discarded")
	}
	x.Keys("esc")
	if !x.last().stopped {
		t.Error("esc does not stop the test")
	}
	x.Keys("m", "ctrl+u")
	x.Type("before")
	x.Keys("enter", "O", "r")
	if len(x.started) != 2 || x.s.runs.list[1].name != "before" || x.s.behind(x.s.shown()) != x.s.runs.list[1] {
		t.Errorf("%d started, named %q", len(x.started), x.s.runs.list[1].name)
	}
	x.last().Stop()
	x.Frame()
	x.Keys("]", "down", "d", "y")
	if len(x.s.runs.list) != 1 || x.s.runs.compared != nil {
		t.Errorf("%d runs are left", len(x.s.runs.list))
	}
}

// TestChange changes the settings of a running test by keys.
func TestChange(t *testing.T) {
	x := open(t, theme.New("none", true))
	x.Keys(".", "+", "down", "down", "down", "+") // all settings; not on a number; size
	if got := x.s.settings.p.Size; got != 131072 || len(x.Flashes) != 1 {
		t.Fatalf("size %d, %q", got, x.Flashes)
	}
	x.Keys("-")
	x.bandwidthRun()
	x.Keys("enter") // nothing to change
	for _, keys := range []string{"- -", "e ctrl+u 5 0 0 enter enter", "down down down down down down + +"} {
		x.Keys(strings.Fields(keys)...)
	}
	var got []string
	for i := range x.last().changed {
		was := &x.last().view.Params
		if i > 0 {
			was = &x.last().changed[i-1]
		}
		got = append(got, strings.Join(changes(was, &x.last().changed[i]), " "))
	}
	want := []string{"size 32768", "size 16384", "size 500", "qp 2", "qp 4"}
	if !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
	if x.s.shown().settings.p.QPs != 4 {
		t.Error("to run again takes the settings from before the change")
	}
	x.choose("tx-depth", "0")
	x.Keys("enter")
	if n := len(x.Flashes); n != 3 || !strings.Contains(x.Flashes[2], "-t 0") || x.s.shown().settings.p.TXDepth == 0 {
		t.Errorf("said %q", x.Flashes)
	}
}

// TestWrite writes a run in all formats.
func TestWrite(t *testing.T) {
	x := open(t, theme.New("none", true))
	x.latencyRun()
	x.s.shown().view.Info.Params = x.s.shown().view.Params
	for choice, suffix := range map[string]string{"1": ".csv", "2": ".json", "3": ".svg"} {
		path := filepath.Join(t.TempDir(), "run"+suffix)
		x.Keys("w", choice, "ctrl+u")
		x.Type(path)
		x.Keys("enter")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err, x.Flashes)
		}
		if suffix == ".csv" {
			if lines := strings.Split(string(text), "\n"); len(lines) != 4 ||
				lines[0][:14] != "t_s,interval_s" || lines[1] != "0.100000,0.100000,2,600,6000.0,12000,13.000,1,0" {
				t.Errorf("%s", text)
			}
			continue
		}
		if suffix == ".svg" {
			for _, want := range []string{"latency, µs", "p99.9 ", "t_typical[usec]"} {
				if !strings.Contains(string(text), want) {
					t.Errorf("the drawing has no %q", want)
				}
			}
			continue
		}
		var doc struct {
			Test        string             `json:"test"`
			Percentiles map[string]float64 `json:"percentiles_us"`
			History     []map[string]float64
		}
		if err := json.Unmarshal(text, &doc); err != nil || doc.Test != "write-lat" || len(doc.History) != 2 ||
			doc.Percentiles["max"] != float64(x.s.shown().view.Spread.Max)/1e3 {
			t.Errorf("%v, %s", err, text)
		}
	}
}

// TestSettings checks how the fields depend on each other, and what they refuse.
func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		set  string // name=value, in order
		want string // the flags, or the error
	}{
		{"", "-D 10"},
		{"test=write-lat", "-n 100000"},
		{"test=write-lat size=64 iters=500", "-s 64 -n 500"},
		{"iters=700", "-n 700"},
		{"duration=", ""},
		{"all=1", "-a"},
		{"all=1 duration=5", "-D 5"},
		{"test=atomic-bw qp=3 tx-depth=7", "-D 10 -q 3 -t 7"},
		{"rdma_cm=1 test=read-bw", "-D 10 -R"},
		{"connection=UC bidirectional=1 report_gbits=1", "-c UC -D 10 -b --report_gbits"},
		{"port=7", "-p 7 -D 10"},
		{"size=x", `size: "x" is not a number up to 2147483648`},
		{"size=9223372036854775808", `size: "9223372036854775808" is not a number up to 2147483648`},
		{"qp=many", `qp: "many" is not a number`},
		{"test=none", `"none" is not a test`},
		{"connection=XRC", `connection: "XRC" is not RC, UC or UD`},
		{"ends=none", `ends: "none" is not both, client or server`},
	} {
		s := newSettings()
		var err error
		for word := range strings.FieldsSeq(tt.set) {
			name, value, _ := strings.Cut(word, "=")
			if e := s.set(name, value); e != nil {
				err = e
			}
		}
		got := s.p.Flags()
		if err != nil {
			got = fmt.Sprint(err)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.set, got, tt.want)
		}
	}
}

// TestReal runs a real test with both ends here.
func TestReal(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true})
	env := sess.Env(theme.New("none", true))
	s := New(env)
	x := &rig{s: s, ScreenDriver: uitest.NewScreen(t, env, s)}
	for _, test := range []string{"send-lat", "read-bw"} {
		x.choose(fieldTest, test)
		x.choose(fieldIters, "300")
		x.Keys("enter")
		x.Await(120, 36, "ended · soft0", test)
	}
	x.choose("rdma_cm", "1")
	x.Keys("enter")
	x.Await(120, 36, "ended · soft0", "3 read-bw")
	x.choose("rdma_cm", "0")
	x.choose(fieldIters, "100000000")
	x.Keys("enter")
	x.Await(120, 36, "MiB/s now")
	x.Keys("esc")
	x.Await(120, 36, "stopped after")
}
