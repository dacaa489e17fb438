package session_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/session/measure"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/session/tune"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// sparedInRuns are calls that a run can do without.
var sparedInRuns = []string{"query_port", "query_device_ex", "query_srq", "query_qp", "read"}

// brokenRuns are runs of one end with a provider that may be broken; the other end has a whole one.
var brokenRuns = map[string]func(t *testing.T, p *brokenProvider) error{
	"rc-pingpong":  func(t *testing.T, p *brokenProvider) error { return brokenScenario(t, p, "rc-pingpong") },
	"ud-pingpong":  func(t *testing.T, p *brokenProvider) error { return brokenScenario(t, p, "ud-pingpong") },
	"srq-pingpong": func(t *testing.T, p *brokenProvider) error { return brokenScenario(t, p, "srq-pingpong") },
	"write bandwidth": func(t *testing.T, p *brokenProvider) error {
		return brokenBench(t, p, bench.Test{Verb: bench.Write}, func(p *bench.Params) { p.QPs = 2 })
	},
	"send bandwidth": func(t *testing.T, p *brokenProvider) error {
		return brokenBench(t, p, bench.Test{Verb: bench.Send}, func(p *bench.Params) {
			p.Events, p.Bidirectional = true, true
		})
	},
	"send latency": func(t *testing.T, p *brokenProvider) error {
		return brokenBench(t, p, bench.Test{Verb: bench.Send, Latency: true}, func(p *bench.Params) {
			p.Connection, p.Size = verbs.UD, 64
		})
	},
	"read latency": func(t *testing.T, p *brokenProvider) error {
		return brokenBench(t, p, bench.Test{Verb: bench.Read, Latency: true}, func(p *bench.Params) {
			p.Size = 64
		})
	},
	"write latency": func(t *testing.T, p *brokenProvider) error {
		return brokenBench(t, p, bench.Test{Verb: bench.Write, Latency: true}, func(*bench.Params) {})
	},
	"measure": brokenMeasure,
}

// failing lists which of so many calls fail, one in each run: the first, the second, and the last that is not far away.
func failing(made int) []int { return slices.Compact([]int{1, min(made, 2), min(made, 20)}) }

// TestBrokenRuns: a run of which a call to the provider fails ends with that error, and its session with nothing left.
func TestBrokenRuns(t *testing.T) {
	for name, run := range brokenRuns {
		t.Run(name, func(t *testing.T) {
			whole := newBroken(soft.New(soft.Options{}))
			if err := run(t, whole); err != nil {
				t.Fatal(err)
			}
			for _, call := range slices.Sorted(maps.Keys(whole.b.made)) {
				if slices.Contains(sparedInRuns, call) {
					continue
				}
				for _, n := range failing(whole.b.made[call]) {
					p := newBroken(soft.New(soft.Options{}))
					p.b.only = call
					p.b.at(n)
					err := run(t, p)
					if failed := p.b.at(0); failed != "" && (err == nil || !errors.Is(err, errBroken) &&
						!strings.Contains(err.Error(), errBroken.Error())) {
						t.Errorf("call %d of %s failed: %v", n, failed, err)
					}
				}
			}
		})
	}
}

func brokenScenario(t *testing.T, p *brokenProvider, name string) error {
	params := scenario.DefaultParams(name)
	params.Count, params.Validate, params.Port = 20, true, sessiontest.FreePort(t)
	server := session.New(core.Options{Providers: []verbs.Provider{p.Provider}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	served := make(chan error, 1)
	go func() {
		p := params
		p.Server, p.Device = true, "soft0"
		_, err := sessiontest.RunScenario(ctx, server, p, nil)
		served <- err
	}()
	sessiontest.Listening(t, server)
	client := session.New(core.Options{Providers: []verbs.Provider{p}})
	params.Address, params.Device = "127.0.0.1", "soft1"
	_, err := sessiontest.RunScenario(ctx, client, params, nil)
	if err != nil {
		cancel()
	}
	<-served
	return errors.Join(err, client.Close(), server.Close())
}

func brokenBench(t *testing.T, broken *brokenProvider, test bench.Test, change func(*bench.Params)) error {
	port := make(chan uint16, 1)
	p := bench.DefaultParams(test)
	p.Iters, p.Port, p.Device = 20, 0, "soft0"
	change(&p)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := sessiontest.StartBench(ctx, t, broken.Provider, p, port)
	p.Host, p.Device, p.Port = "127.0.0.1", "soft1", <-port
	client := &sessiontest.BenchEnd{S: session.New(core.Options{Providers: []verbs.Provider{broken}})}
	run, err := client.S.NewBench(p, bench.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	if err = run.Do(ctx); err != nil {
		cancel()
	}
	<-server.Err
	return errors.Join(err, client.S.Close(), server.S.Close())
}

func brokenMeasure(t *testing.T, p *brokenProvider) error {
	s := session.New(core.Options{Providers: []verbs.Provider{p}})
	params := bench.DefaultParams(bench.Test{Verb: bench.Send})
	params.Device, params.Iters = "soft0", 20
	run, err := s.Measure(params, true)
	if err == nil {
		<-run.Ended()
		if v := run.View(); v.State == measure.Failed {
			err = errors.New(v.Err)
		}
	}
	return errors.Join(err, s.Close())
}

// TestBrokenTune: an experiment of which a call to the provider fails tells so.
func TestBrokenTune(t *testing.T) {
	play := func(p *brokenProvider) (why string, err error) {
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		run, err := s.NewTune(tune.Options{Device: "soft0", Experiments: []string{"chain"}, Round: time.Nanosecond,
			Least: 4, Tries: 2, Turns: 2, MostTurns: 3},
			tune.Watcher{Measured: func(got tune.Result) { why = got.Why }})
		if err == nil {
			err = run.Do(t.Context())
		}
		return why, errors.Join(err, s.Close())
	}
	whole := newBroken(soft.New(soft.Options{}))
	if why, err := play(whole); err != nil || why != "" {
		t.Fatal(why, err)
	}
	for _, call := range slices.Sorted(maps.Keys(whole.b.made)) {
		if slices.Contains(sparedInRuns, call) {
			continue
		}
		for _, n := range failing(whole.b.made[call]) {
			p := newBroken(soft.New(soft.Options{}))
			p.b.only = call
			p.b.at(n)
			why, err := play(p)
			if failed := p.b.at(0); failed != "" && !errors.Is(err, errBroken) &&
				!strings.Contains(why, errBroken.Error()) {
				t.Errorf("call %d of %s failed: %v, %q", n, failed, err, why)
			}
		}
	}
}
