package measure

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// run is a run that has come as far as the test says.
type run struct {
	now     bench.Progress
	samples []time.Duration
	lanes   []bench.Lane
	thread  int
	passive bool
	looks   int
	err     error // of a look
}

func (r *run) Lanes() []bench.Lane { return r.lanes }
func (r *run) Thread() int         { return r.thread }
func (r *run) Passive() bool       { return r.passive }
func (r *run) Look() error         { r.looks++; return r.err }

func (r *run) Progress() bench.Progress { return r.now }

func (r *run) Samples(dst []time.Duration, from int) []time.Duration {
	return append(dst, r.samples[min(from, len(r.samples)):]...)
}

// at returns a time of a test that began at 1000 s.
func at(ms int) time.Time { return time.Unix(1000, 0).Add(time.Duration(ms) * time.Millisecond) }

// newSampler makes a sampler of a test that runs.
func newSampler(latency bool, counters func() []verbs.HWCounter) (*sampler, *run) {
	r := &run{now: bench.Progress{Size: 8, Since: at(0)}}
	s := &core.Session{Opts: core.Options{Counters: func(string) []verbs.HWCounter { return counters() }}}
	p := bench.DefaultParams(bench.Test{Verb: bench.Send, Latency: latency})
	sampler := &sampler{test: &Test{view: View{State: Running, Params: p}}}
	sampler.follow(&segment{p: p, run: r, counters: newCounterReader(s, "soft0")})
	return sampler, r
}

// lookAt looks at a time.
func (s *sampler) lookAt(now time.Time, end bool) {
	s.clock = func() time.Time { return now }
	s.look(end)
}

func noCounters() []verbs.HWCounter { return nil }

// TestSamplerWaits: before an end is connected, and before its first message, there is no point.
func TestSamplerWaits(t *testing.T) {
	none := &sampler{test: &Test{}}
	if none.lookAt(at(0), true); none.test.View().Version != 0 {
		t.Error("without a run something changed")
	}
	s, r := newSampler(false, noCounters)
	s.lookAt(at(200), false)
	if v := s.test.View(); len(v.Points) != 0 || v.Progress != r.now || v.Version != 1 || len(v.Phases) != 0 {
		t.Errorf("%+v", v)
	}
}

// TestSamplerPhases: a change begins another phase with its first message. What its predecessor did until its end
// counts there, and its samples give its distribution.
func TestSamplerPhases(t *testing.T) {
	reads := 0
	s, r := newSampler(true, func() []verbs.HWCounter { reads++; return nil })
	r.now, r.samples = bench.Progress{Size: 8, Messages: 2, Since: at(0)}, []time.Duration{2000, 4000}
	s.lookAt(at(100), false)
	before, threads := s.test.View(), s.threads
	r.now.Messages = 5
	s.clock = func() time.Time { return at(150) }
	then := &run{now: bench.Progress{Size: 16, Since: at(160)}}
	next := &segment{p: s.segment.p, run: then, counters: s.segment.counters}
	next.p.Size = 16
	if s.follow(next); reads != 3 || s.threads != threads || before.Phases[0].Spread.Samples != 0 {
		t.Errorf("%d reads of the counters; before the change: %+v", reads, before.Phases)
	}
	s.lookAt(at(200), false) // no message yet
	then.now.Messages, then.now.Since = 4, at(220)
	s.lookAt(at(300), false)
	v := s.test.View()
	var got []string
	for i := range v.Points {
		p := &v.Points[i]
		got = append(got, fmt.Sprint(p.Phase, p.At, p.Over, p.Size, p.Messages))
	}
	want := []string{"0 100ms 100ms 8 2", "0 150ms 50ms 8 3", "1 300ms 80ms 16 4"}
	if !slices.Equal(got, want) || len(v.Phases) != 2 {
		t.Fatalf("%q in %d phases, want %q", got, len(v.Phases), want)
	}
	if a, b := v.Phases[0], v.Phases[1]; a.From != 0 || b.From != 220*time.Millisecond || b.Params.Size != 16 ||
		a.Spread.Samples != 2 || a.Spread.P50 != 1000 || b.Spread.Samples != 0 || v.Samples != nil {
		t.Errorf("%+v", v.Phases)
	}
}

// TestSamplerPoints: each look adds the messages since the last one, in the time since then; the first interval begins
// with the first message.
func TestSamplerPoints(t *testing.T) {
	s, r := newSampler(false, noCounters)
	r.lanes = []bench.Lane{{Received: 9}} // which only counts with -b
	s.lookAt(at(100), false)
	r.now = bench.Progress{Size: 8, Messages: 10, Since: at(150)} // the first message
	s.lookAt(at(200), false)
	r.now.Messages = 40
	s.lookAt(at(300), false)
	s.lookAt(at(400), false)                                      // nothing new
	r.now = bench.Progress{Size: 16, Messages: 5, Since: at(450)} // the next size
	s.lookAt(at(500), false)
	r.now.Messages = 7
	s.lookAt(at(510), true)                                       // the last look, soon after
	s.lookAt(at(515), true)                                       // and nothing new: no point
	r.now = bench.Progress{Size: 16, Messages: 3, Since: at(520)} // the same size again
	s.lookAt(at(620), false)
	s.lookAt(at(640), true) // nothing new, but long enough for a point
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	want := []Point{{At: ms(50), Over: ms(50), Size: 8, Messages: 10},
		{At: ms(150), Over: ms(100), Size: 8, Messages: 30},
		{At: ms(250), Over: ms(100), Size: 8}, {At: ms(360), Over: ms(110), Size: 16, Messages: 7},
		{At: ms(470), Over: ms(110), Size: 16, Messages: 3}, {At: ms(490), Over: least, Size: 16}}
	v := s.test.View()
	if !slices.Equal(v.Points, want) || v.Progress != r.now {
		t.Errorf("%+v, %+v", v.Points, v.Progress)
	}
	if p := &want[1]; p.Rate() != 300 || p.Throughput() != 2400 || (&Point{Messages: 1}).Rate() != 0 ||
		(&Point{Messages: 1, Over: 1}).Rate() < 1e8 {
		t.Errorf("%f messages/s, %f bytes/s", p.Rate(), p.Throughput())
	}
	if mean, ok := v.Mean(0); !ok || mean.Messages != 10 || mean.Over != ms(240) || mean.Size != 16 {
		t.Errorf("%+v", mean)
	}
	s.test.view.Points = want[:3]
	all := s.test.View()
	if mean, ok := all.Mean(0); !ok || mean.Messages != 40 || mean.Over != ms(250) || mean.Size != 8 {
		t.Errorf("%+v", mean)
	}
	s.test.view.Points = want[2:3]
	idle := s.test.View()
	if mean, ok := idle.Mean(0); ok {
		t.Errorf("without messages: %+v", mean)
	}
	if mean, ok := (&View{}).Mean(0); ok {
		t.Errorf("without points: %+v", mean)
	}
}

// TestSamplerLatency: the samples of a size, their mean and their distribution, for half a round trip; without samples
// the mean is the time per message.
func TestSamplerLatency(t *testing.T) {
	s, r := newSampler(true, noCounters)
	r.now = bench.Progress{Size: 8, Messages: 3, Since: at(0)}
	r.samples = []time.Duration{2000, 4000}
	s.lookAt(at(100), false)
	r.now.Messages = 4
	r.samples = append(r.samples, 12000)
	s.lookAt(at(200), false)
	v := s.test.View()
	if v.Points[0].Latency != 1500 || v.Points[1].Latency != 6000 || !slices.Equal(v.Samples, r.samples) ||
		v.Spread.Samples != 3 || v.Spread.Min < 950 || v.Spread.Min > 1050 || v.Histogram == nil ||
		v.Spread != v.Histogram.Spread() {
		t.Errorf("%+v", v)
	}
	s.lookAt(at(250), false) // neither messages nor samples
	if v := s.test.View(); v.Points[2].Latency != 0 || len(v.Samples) != 3 {
		t.Errorf("%+v", v)
	}
	r.now = bench.Progress{Size: 16, Messages: 2, Since: at(260)} // another size, without samples yet
	r.samples = nil
	s.lookAt(at(300), false)
	if v := s.test.View(); v.Points[3].Latency != 12500*time.Microsecond || v.Samples != nil || v.Histogram != nil ||
		v.Spread != (Spread{}) {
		t.Errorf("%+v", v)
	}
	r.samples = []time.Duration{6000}
	s.lookAt(at(400), false)
	if v := s.test.View(); !slices.Equal(v.Samples, r.samples) || v.Spread.Samples != 1 {
		t.Errorf("%+v", v)
	}
	r.now = bench.Progress{Size: 32, Messages: 2, Since: at(410)} // another size, with samples at once
	r.samples = []time.Duration{8000}
	s.lookAt(at(450), false)
	if v := s.test.View(); !slices.Equal(v.Samples, r.samples) {
		t.Errorf("%+v", v)
	}
	many := make([]time.Duration, maxSamples+1)
	s.taken, r.samples = maxSamples-1, many[:maxSamples]
	s.lookAt(at(480), false)
	if v := s.test.View(); len(v.Samples) != 2 {
		t.Errorf("%d samples are kept, want 2", len(v.Samples))
	}
	r.samples = many
	s.lookAt(at(500), false)
	if v := s.test.View(); v.Samples != nil || v.Spread.Samples != 3 {
		t.Errorf("%d of too many samples are kept, the distribution has %d", len(v.Samples), v.Spread.Samples)
	}
}

// TestSamplerDirections: with -b a point has what its end received since the last look.
func TestSamplerDirections(t *testing.T) {
	s, r := newSampler(false, noCounters)
	s.segment.p.Bidirectional = true
	r.now.Messages, r.lanes = 10, []bench.Lane{{QPN: 1, Sent: 4, Received: 3}, {QPN: 2, Sent: 6, Received: 4}}
	s.lookAt(at(100), false)
	r.now.Messages, r.lanes = 30, []bench.Lane{{QPN: 1, Sent: 14, Received: 13}, {QPN: 2, Sent: 16, Received: 5}}
	s.lookAt(at(200), false)
	v := s.test.View()
	if v.Points[0].Received != 7 || v.Points[1].Received != 11 || !slices.Equal(v.Lanes, r.lanes) {
		t.Errorf("%+v, %+v", v.Points, v.Lanes)
	}
	if sent, received := v.Points[1].Directions(); sent.Rate() != 200 || received.Rate() != 110 ||
		v.Points[1].Rate() != 310 {
		t.Errorf("%+v, %+v", sent, received)
	}
	// what arrives in a short last interval counts, although nothing was sent in it
	r.lanes = []bench.Lane{{QPN: 1, Sent: 14, Received: 14}, {QPN: 2, Sent: 16, Received: 16}}
	s.lookAt(at(205), true)
	if v := s.test.View(); len(v.Points) != 2 || v.Points[1].Received != 23 {
		t.Errorf("%+v", v.Points)
	}
}

// TestSamplerPassive: at an end that posts nothing each look asks the device, until that fails.
func TestSamplerPassive(t *testing.T) {
	for _, tt := range []struct {
		passive bool
		err     error
		looks   int
		blind   string
	}{
		{false, errFull, 0, ""}, {true, nil, 2, ""}, {true, errFull, 1, errFull.Error()},
	} {
		s, r := newSampler(false, noCounters)
		r.passive, r.err = tt.passive, tt.err
		s.lookAt(at(100), false)
		s.lookAt(at(200), false)
		if v := s.test.View(); r.looks != tt.looks || v.Blind != tt.blind {
			t.Errorf("%+v: %d looks, blind %q", tt, r.looks, v.Blind)
		}
	}
}

// TestSamplerTells: threads and counters that were not read stay as they were.
func TestSamplerTells(t *testing.T) {
	s, r := newSampler(false, noCounters)
	s.tell(r.now, nil, nil, nil, []Counter{{"timeouts", 1}}, []Thread{{TID: 1}})
	s.tell(r.now, nil, nil, nil, nil, nil)
	if v := s.test.View(); len(v.Counters) != 1 || len(v.Threads) != 1 {
		t.Errorf("%+v, %+v", v.Counters, v.Threads)
	}
}

// TestChange: a running test of both ends takes other parameters, the newest alone; it keeps what connects its ends.
func TestChange(t *testing.T) {
	for name, tt := range map[string]struct {
		view   func(v *View)
		change func(p *bench.Params)
		ok     bool
	}{
		"size":               {func(*View) {}, func(p *bench.Params) { p.Size = 64 }, true},
		"one end":            {func(v *View) { v.Both = false }, func(*bench.Params) {}, false},
		"an ended test":      {func(v *View) { v.State = Ended }, func(*bench.Params) {}, false},
		"a run of all sizes": {func(v *View) { v.Params.All = true }, func(*bench.Params) {}, false},
		"all sizes":          {func(*View) {}, func(p *bench.Params) { p.All = true }, false},
		"test":               {func(*View) {}, func(p *bench.Params) { p.Test.Latency = true }, false},
		"device":             {func(*View) {}, func(p *bench.Params) { p.Device = "soft1" }, false},
		"connection manager": {func(*View) {}, func(p *bench.Params) { p.CM = true }, false},
		"no queue pair":      {func(*View) {}, func(p *bench.Params) { p.QPs = 0 }, false},
	} {
		p := bench.DefaultParams(bench.Test{Verb: bench.Send})
		v := View{State: Running, Both: true, Params: p, Refused: "the change before", Version: 7}
		v.Params.Host, v.Params.Port = loopback, 5
		tt.view(&v)
		test := &Test{view: v, asked: make(chan struct{}, 1)}
		tt.change(&p)
		for n := range uint64(2) {
			err, v := test.Change(p), test.View()
			version, asked := uint64(7), 0
			if tt.ok {
				version, asked = 8+n, 1
			}
			if (err == nil) != tt.ok || v.Changing != tt.ok || (v.Refused == "") != tt.ok || v.Version != version ||
				len(test.asked) != asked {
				t.Errorf("%s: %v, %+v", name, err, v)
			}
		}
		if w := test.wanted; tt.ok && (w.Host != loopback || w.Port != 5 || w.Size != p.Size) {
			t.Errorf("%s: wants %+v", name, w)
		}
	}
}

// TestLast: the last phase is the newest one, or the first if there is none.
func TestLast(t *testing.T) {
	for phases, want := range []int{0, 0, 1} {
		if got := (&View{Phases: make([]Phase, phases)}).Last(); got != want {
			t.Errorf("%d phases: the last one is %d", phases, got)
		}
	}
}

// TestSamplerCounters: counters are read at the first look, at each tenth, and at the last; only those that the device
// has are told, since the test began.
func TestSamplerCounters(t *testing.T) {
	reads := uint64(0)
	s, _ := newSampler(false, func() []verbs.HWCounter {
		reads++
		return []verbs.HWCounter{{Name: "unknown", Value: 7}, {Name: "timeouts", Value: 100 + reads},
			{Name: "completer_retry_err", Value: 10}, {Name: "out_of_buffer", Value: 20 - reads}}
	})
	for i := range 21 {
		s.lookAt(at(100*i), false)
		if want := uint64(2 + i/counterEvery); reads != want {
			t.Errorf("look %d: %d reads, want %d", i, reads, want)
		}
	}
	s.lookAt(at(2200), true)
	want := []Counter{{"retransmissions", 0}, {"timeouts", 4}, {"RNR NAKs sent", 0}}
	if got := s.test.View().Counters; reads != 5 || !slices.Equal(got, want) {
		t.Errorf("%d reads: %+v, want %+v", reads, got, want)
	}
}

// counting is a provider that reads counters itself.
type counting struct {
	verbs.Provider
	err error
}

func (c counting) HWCounters(string) ([]verbs.HWCounter, error) {
	return []verbs.HWCounter{{Name: "own"}}, c.err
}

// TestCounterList: a device's provider reads its counters, or else the host.
func TestCounterList(t *testing.T) {
	plain := struct{ verbs.Provider }{}
	for _, tt := range []struct {
		providers []verbs.Provider
		want      string
	}{
		{nil, "host"}, {[]verbs.Provider{plain}, "host"}, {[]verbs.Provider{counting{err: errFull}}, "host"},
		{[]verbs.Provider{plain, counting{err: errFull}, counting{}}, "own"},
	} {
		host := func(string) []verbs.HWCounter { return []verbs.HWCounter{{Name: "host"}} }
		s := &core.Session{Opts: core.Options{Providers: tt.providers, Counters: host}}
		if got := newCounterReader(s, "soft0").list(); len(got) != 1 || got[0].Name != tt.want {
			t.Errorf("%d providers: %v, want %s", len(tt.providers), got, tt.want)
		}
	}
}

// TestSamplerLoop looks at a test ten times a second, and once more at its end.
func TestSamplerLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		s, r := newSampler(false, func() []verbs.HWCounter { reads++; return nil })
		r.now.Messages, r.now.Since = 1, time.Now()
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() {
			s.clock = time.Now
			s.loop(stop)
			close(ended)
		}()
		time.Sleep(9*interval + interval/2)
		close(stop)
		<-ended
		if v := s.test.View(); v.Version != 11 || len(v.Points) != 10 || reads != 3 {
			t.Errorf("%d changes, %d points, %d reads of the counters", v.Version, len(v.Points), reads)
		}
	})
}

// TestWrites: the files of a run hold its points, results, percentiles and counters.
func TestWrites(t *testing.T) {
	p := bench.DefaultParams(bench.Test{Verb: bench.Send, Latency: true})
	v := View{State: Failed, Err: "why", Params: p, Info: bench.Info{DeviceName: "soft0"},
		Results: []bench.Result{{Latency: &bench.Latency{Size: 8}}},
		Points: []Point{{At: 1500 * time.Millisecond, Over: time.Second / 2, Size: 8, Messages: 10, Latency: 1234},
			{At: 2 * time.Second, Over: time.Second / 2, Size: 8},
			{At: 3 * time.Second, Over: time.Second, Size: 65536, Received: 12, Latency: 1}},
		Spread:   Spread{Samples: 9, Min: 1000, P50: 2000, P90: 3000, P99: 4000, P999: 5000, Max: 6000},
		Counters: []Counter{{"timeouts", 4}}}
	var out bytes.Buffer
	if err := WriteCSV(&out, "", &v); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	want := "[[t_s interval_s bytes messages messages_per_s bytes_per_s latency_us phase received] " +
		"[1.500000 0.500000 8 10 20.0 160 1.234 1 0] [2.000000 0.500000 8 0 0.0 0  1 0] " +
		"[3.000000 1.000000 65536 0 12.0 786432 0.001 1 12]]"
	if err != nil || fmt.Sprint(rows) != want {
		t.Errorf("%v, %v", rows, err)
	}
	if err := WriteJSON(&out, "run", &v); err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Results) != 1 || !bytes.Contains(doc.Results[0], []byte(`"MsgSize": 8`)) {
		t.Errorf("%s", doc.Results)
	}
	doc.Results = nil
	want = "{run send-lat " + v.Params.Flags() + " soft0 failed why [] map[max:6 min:1 p50:2 p90:3 p99:4 p99.9:5] " +
		"map[timeouts:4] [] [] [] [{1.5 0.5 1 8 10 0 1.234} {2 0.5 1 8 0 0 0} " +
		"{3 1 1 65536 0 12 0.001}]}"
	if got := fmt.Sprint(doc); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for n := range uint64(2) {
		v.Spread = Spread{Samples: n}
		out.Reset()
		err := WriteJSON(&out, "run", &v)
		if has := bytes.Contains(out.Bytes(), []byte("percentiles")); err != nil || has != (n > 0) {
			t.Errorf("%d samples: %v\n%s", n, err, out.Bytes())
		}
	}
	if err := WriteCSV(full{}, "", &v); err != errFull {
		t.Errorf("to a full disk: %v", err)
	}
}

type full struct{}

var errFull = fmt.Errorf("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestEnter: the view shows the segment that begins, and whether another change waits already.
func TestEnter(t *testing.T) {
	for _, waits := range []bool{false, true} {
		s, r := newSampler(false, noCounters)
		test := s.test
		s.clock = func() time.Time { return at(100) }
		test.asked = make(chan struct{}, 1)
		test.view.Results, test.view.Changing = []bench.Result{{}}, true
		if waits {
			test.asked <- struct{}{}
		}
		g := &segment{p: s.segment.p, run: r, counters: s.segment.counters, info: bench.Info{DeviceName: "soft1"},
			start: make(chan struct{})}
		g.p.Size = 17
		test.enter(g, s)
		v := test.View()
		if v.State != Running || v.Params.Size != 17 || v.Info.DeviceName != "soft1" || v.Results != nil ||
			v.Changing != waits {
			t.Errorf("another waits %v: %+v", waits, v)
		}
		select {
		case <-g.start:
		default:
			t.Error("the segment may not begin")
		}
	}
}
