package measure_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/session/measure"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestMeasureBothEnds runs each test with both ends here, and checks that the view holds what was measured.
func TestMeasureBothEnds(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	for _, test := range bench.Tests {
		p := bench.DefaultParams(test)
		p.Device, p.Iters = "soft0", 200
		run, err := s.Measure(p, true)
		if err != nil {
			t.Fatal(test, err)
		}
		<-run.Ended()
		v := run.View()
		if v.State != measure.Ended || len(v.Results) != 1 || v.Err != "" || len(v.Points) == 0 {
			t.Fatalf("%s: %s %q, %d results, %d points", test, v.State, v.Err, len(v.Results), len(v.Points))
		}
		if v.Counters == nil {
			t.Errorf("%s: no counters", test)
		}
		sum := uint64(0)
		for i := range v.Points {
			sum += v.Points[i].Messages
		}
		if sum != p.Iters {
			t.Errorf("%s: the history has %d of %d messages", test, sum, p.Iters)
		}
		if !test.Latency {
			continue
		}
		if want := measure.SpreadOf(slices.Clone(v.Samples), test.Ways()); len(v.Samples) != 199 || v.Spread != want {
			t.Errorf("%s: %d samples, %+v, want %+v", test, len(v.Samples), v.Spread, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMeasureThreads: the threads that are busy during a test are told.
func TestMeasureThreads(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("this system does not tell the times of threads: ", err)
	}
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	p := bench.DefaultParams(bench.Tests[0])
	p.Device, p.Duration = "soft0", time.Second // enough for some ticks of the clock on a busy machine
	run, err := s.Measure(p, true)
	if err != nil {
		t.Fatal(err)
	}
	<-run.Ended()
	if v := run.View(); v.Err != "" || len(v.Threads) == 0 {
		t.Errorf("%s, %q: no busy thread", v.State, v.Err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMeasureLanes checks the messages of each queue pair and direction.
func TestMeasureLanes(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	for _, test := range bench.Tests {
		for _, both := range []bool{false, true} {
			if test.Latency {
				continue
			}
			p := bench.DefaultParams(test)
			p.Device, p.Iters, p.QPs, p.Bidirectional = "soft0", 200, 3, both
			run, err := s.Measure(p, true)
			if err != nil {
				t.Fatal(test, err)
			}
			<-run.Ended()
			v := run.View()
			want, got := uint64(0), uint64(0)
			if both {
				want = p.Iters
			}
			if len(v.Lanes) != 3 || v.Err != "" {
				t.Fatalf("%s: %d lanes, %q", test, len(v.Lanes), v.Err)
			}
			for _, l := range v.Lanes {
				if l.QPN == 0 || l.Sent != p.Iters || l.Received != want {
					t.Errorf("%s, both %v: %+v, want %d", test, both, l, want)
				}
			}
			for i := range v.Points {
				got += v.Points[i].Received
			}
			if got != 3*want {
				t.Errorf("%s, both %v: the history has %d of %d received", test, both, got, 3*want)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMeasureServer runs the server of one-sided tests, which posts nothing: it counts the client's messages.
func TestMeasureServer(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	for i, test := range bench.Tests {
		p := bench.DefaultParams(test)
		p.Device, p.Iters, p.Port = "soft0", 400, 0
		if !test.Latency {
			p.QPs = 2
		}
		if test.Verb != bench.Atomic {
			p.Size = []uint64{3000, 1, 1024}[i%3]
		}
		if server := p; server.Sends() || server.Receives() {
			continue
		}
		server, err := s.Measure(p, false)
		if err != nil {
			t.Fatal(test, err)
		}
		v := server.View()
		for ; v.State < measure.Listening; v = server.View() {
			runtime.Gosched()
		}
		p.Host, p.Port = "127.0.0.1", v.Port
		client, err := s.Measure(p, false)
		if err != nil {
			t.Fatal(test, err)
		}
		<-client.Ended()
		<-server.Ended()
		sum := uint64(0)
		v = server.View()
		for i := range v.Points {
			sum += v.Points[i].Messages
		}
		if want := p.Iters * uint64(p.QPs); v.State != measure.Ended || sum != want || v.Blind != "" {
			t.Errorf("%s, %d bytes: %s %q %q, %d of %d messages", test, p.Size, v.State, v.Err, v.Blind, sum, want)
		}
		for _, l := range v.Lanes {
			if l.Received != p.Iters || l.Sent != 0 {
				t.Errorf("%s: %+v", test, l)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMeasureEnds checks how a test ends that does not reach its end: by the user, by the session, by an error.
func TestMeasureEnds(t *testing.T) {
	moving := func(v *measure.View) bool { return v.Progress.Messages > 0 }
	waiting := func(v *measure.View) bool { return v.State == measure.Listening }
	stop := func(_ *session.Session, run *measure.Test) { run.Stop() }
	anyPort := func(p *bench.Params) { p.Port = 0 }
	for name, tt := range map[string]struct {
		both  bool
		p     func(*bench.Params)
		until func(v *measure.View) bool // what is waited for before the end
		end   func(s *session.Session, run *measure.Test)
		state measure.State
		err   string
	}{
		"stopped while it runs":  {true, func(*bench.Params) {}, moving, stop, measure.Stopped, ""},
		"stopped while it waits": {false, anyPort, waiting, stop, measure.Stopped, ""},
		"closed while it waits": {false, anyPort, waiting, func(s *session.Session, _ *measure.Test) { _ = s.Close() },
			measure.Stopped, ""},
		"no server": {false, func(p *bench.Params) { p.Host, p.Port = "127.0.0.1", 1 }, nil, nil,
			measure.Failed, "127.0.0.1"},
		"no device": {true, func(p *bench.Params) { p.Device = "none" }, nil, nil, measure.Failed,
			"none"},
	} {
		t.Run(name, func(t *testing.T) {
			s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
			p := bench.DefaultParams(bench.Test{Verb: bench.Write})
			p.Device, p.Iters = "soft0", 100_000_000
			tt.p(&p)
			run, err := s.Measure(p, tt.both)
			if err != nil {
				t.Fatal(err)
			}
			if tt.end != nil {
				for v := run.View(); !tt.until(&v); v = run.View() {
					if v.State.Over() {
						t.Fatalf("%s, %q", v.State, v.Err)
					}
					runtime.Gosched()
				}
				tt.end(s, run)
			}
			<-run.Ended()
			if v := run.View(); v.State != tt.state || !strings.Contains(v.Err, tt.err) || strings.Contains(v.Err,
				"\n") {
				t.Errorf("%s, %q", v.State, v.Err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMeasureChange changes tests with both ends here while they run: what the history and the phases say, and
// that a change that is refused leaves the test as it is.
func TestMeasureChange(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	await := func(run *measure.Test, until func(v *measure.View) bool) measure.View {
		t.Helper()
		for {
			v := run.View()
			if until(&v) {
				return v
			}
			if v.State.Over() {
				t.Fatalf("%s, %q", v.State, v.Err)
			}
			runtime.Gosched()
		}
	}
	for i, test := range bench.Tests {
		p := bench.DefaultParams(test)
		p.Device, p.Iters, p.CM, p.Host = "soft0", 10_000_000, i%2 == 0, "127.0.0.1"
		run, err := s.Measure(p, true)
		if err != nil {
			t.Fatal(test, err)
		}
		if err := run.Change(p); err == nil && run.View().State < measure.Running {
			t.Errorf("%s: a test that does not run yet can change", test)
		}
		await(run, sampled(0))

		refused := p
		refused.Inline = 900 // the software device has less
		if err := run.Change(refused); err != nil {
			t.Fatal(test, err)
		}
		v := await(run, func(v *measure.View) bool { return v.Refused != "" })
		if v.Changing || v.Params.Inline != p.Inline || !strings.Contains(v.Refused, "max_inline_data") {
			t.Errorf("%s: %q, changing %v", test, v.Refused, v.Changing)
		}

		refused = p
		refused.Device = "soft1"
		if err := run.Change(refused); err == nil {
			t.Errorf("%s: the device can change", test)
		}

		first, last := p, p
		first.CQMod = 1
		last.Iters = 300
		if test.Verb != bench.Atomic {
			last.Size = 128
		}
		if !test.Latency {
			last.QPs, last.TXDepth = 2, 16
		}
		if err := run.Change(first); err != nil {
			t.Fatal(test, err)
		}
		await(run, sampled(1))
		if err := run.Change(last); err != nil {
			t.Fatal(test, err)
		}
		<-run.Ended()
		checkPhases(t, run.View(), last)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// sampled tells whether the history has messages of a phase, and a test of latencies samples of it: a first message
// alone, as a busy processor may leave it, is none yet.
func sampled(phase int) func(v *measure.View) bool {
	return func(v *measure.View) bool {
		n := len(v.Points)
		return n > 0 && v.Points[n-1].Phase == phase && (v.Spread.Samples > 0 || !v.Params.Test.Latency)
	}
}

// checkPhases checks the view of a test that has changed twice and then ended.
func checkPhases(t *testing.T, v measure.View, last bench.Params) {
	t.Helper()
	last.Host = v.Params.Host
	if v.State != measure.Ended || v.Changing || v.Params != last || len(v.Results) != 1 || len(v.Phases) != 3 {
		t.Fatalf("%s: %s %q, %d results, %d phases", last.Test, v.State, v.Err, len(v.Results), len(v.Phases))
	}
	sums, at := make([]uint64, 3), v.Points[0].At
	for i := range v.Points {
		p := &v.Points[i]
		sums[p.Phase] += p.Messages
		if p.At < at || p.At < v.Phases[p.Phase].From || p.Size != v.Phases[p.Phase].Params.Size {
			t.Errorf("%s: point %d, %+v, in a phase from %v", last.Test, i, *p, v.Phases[p.Phase].From)
		}
		at = p.At
	}
	if want := last.Iters * uint64(last.QPs); sums[0] == 0 || sums[1] == 0 || sums[2] != want {
		t.Errorf("%s: %d messages in the phases, want %d in the last", last.Test, sums, want)
	}
	if mean, ok := v.Mean(2); !ok || mean.Messages != sums[2] || mean.Size != last.Size {
		t.Errorf("%s: %+v", last.Test, mean)
	}
	for i, phase := range v.Phases {
		if has := phase.Spread.Samples > 0; has != (last.Test.Latency && i < 2) {
			t.Errorf("%s: phase %d has %d samples", last.Test, i, phase.Spread.Samples)
		}
	}
}
