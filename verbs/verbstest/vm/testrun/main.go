// Command testrun runs the project's checks, stage by stage, and reports every one of them: what
// passed, what failed, what could not run and why, and how long it took. With CI=true every check must run.
//
//	go run ./verbs/verbstest/vm/testrun [PLAN | STAGE...]
//
// Run it in the module's root. A plan is test (the default), quick or all; see plans. A stage that is named alone runs
// as in the plan all. Stages that need a machine with a kernel run beside those of the host.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// stage is one part of the run. Its function records results in the tally and never ends the run.
type stage struct {
	name string
	what string
	run  func(*run)
	lane lane
	// budget is how long the stage may take in the plans test and quick on two processors, with filled caches and
	// beside the other lane.
	budget time.Duration
}

// lane says beside what a stage runs.
type lane int

const (
	onHost lane = iota
	inMachines
)

var stages = []stage{
	{"lint", "gofmt, go vet for each platform, staticcheck", lint, onHost, 3 * time.Minute},
	{"cross", "build without cgo, for each platform", cross, onHost, 30 * time.Second},
	{"unit", "every package's tests, with the race detector", unit, onHost, 8 * time.Minute},
	{"quickunit", "the tests of changed packages, without the race detector", quickUnit, onHost, 3 * time.Minute},
	{"world", "without the race detector: simulated world and sessions, screens in all sizes, long tests", world,
		onHost, 2 * time.Minute},
	{"harm", "1 GiB over a network that loses, repeats, reorders and damages", harm, onHost, 30 * time.Second},
	{"fuzz", "a short run of every fuzz target", fuzz, onHost, 3 * time.Minute},
	{"release", "archives, packages, licences and checksums of a release, installed; the module renamed",
		release, onHost, 12 * time.Minute},
	{"mutants", "a sample of changes, each of which a test must notice", mutants, onHost, 20 * time.Minute},
	{"vm", "on real kernels: the tests that need one", machine, inMachines, 12 * time.Minute},
	{"repeat", "the same again and again: COUNT, TESTS, SUITE and LOAD say how", repeat, inMachines, 0},
}

// plan is a choice of stages and how thorough they are.
type plan struct {
	stages   []string
	fuzzRuns string  // of each target
	seeds    int     // of the simulated world
	sessions int     // seeds of the simulated sessions
	guests   []guest // that run tests
	strict   bool    // a stage over its budget fails
	quick    bool    // most tests that need a machine are left to the others
	vetAll   bool    // go vet looks at every package on every platform
}

// thorough is the plan all, and that of stages named alone.
const thorough = "all"

var plans = map[string]plan{
	"test": {stages: []string{"lint", "cross", "unit", "world", "harm", "fuzz", "vm"},
		fuzzRuns: "20000x", seeds: 1000, sessions: 150, guests: slices.Concat(inNewest, judges)},
	"quick": {stages: []string{"lint", "quickunit", "vm"},
		guests: []guest{{suite: newestSuite, part: "quick"}}, quick: true},
	thorough: {stages: []string{"lint", "cross", "unit", "world", "harm", "fuzz", "release", "mutants", "vm"},
		fuzzRuns: "100000x", seeds: 2000, sessions: 300, guests: slices.Concat(inNewest, inQEMU), strict: true,
		vetAll: true},
}

// run is the state that the stages share.
type run struct {
	ctx     context.Context
	plan    plan
	scratch string // directory for build output
	ci      bool
	tally   *tally
	cpu     *atomic.Int64 // processor time of the stage's programs so far, in nanoseconds

	hostDone chan struct{} // closed when the stages of the host have ended
}

// stage runs one stage, unless the run was interrupted.
func (r *run) stage(s stage) {
	if r.ctx.Err() != nil {
		return
	}
	fmt.Printf("== %s: %s\n", s.name, s.what)
	start := time.Now()
	own := *r
	own.cpu = new(atomic.Int64)
	s.run(&own)
	took := time.Since(start)
	fmt.Printf("== %s: %s\n", s.name, took.Round(time.Second))
	r.tally.spent(s, took, time.Duration(own.cpu.Load()))
}

// all runs stages one after another in each lane, and the lanes side by side.
func (r *run) all(chosen []stage) {
	r.hostDone = make(chan struct{})
	in := func(l lane) {
		for _, s := range chosen {
			if s.lane == l {
				r.stage(s)
			}
		}
	}
	var lanes sync.WaitGroup
	lanes.Go(func() {
		in(onHost)
		close(r.hostDone)
	})
	lanes.Go(func() { in(inMachines) })
	lanes.Wait()
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := perform(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// choose returns the plan and the stages that the words name.
func choose(words []string) (p plan, chosen []stage, unknown string) {
	p, isPlan := plans[strings.Join(words, " ")]
	if len(words) == 0 {
		p = plans["test"]
	} else if !isPlan {
		p = plans[thorough]
		p.stages, p.strict = words, false
	}
	for _, name := range p.stages {
		i := slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
		if i < 0 {
			return p, nil, name
		}
		chosen = append(chosen, stages[i])
	}
	return p, chosen, ""
}

func perform(ctx context.Context, words []string) int {
	p, chosen, unknown := choose(words)
	if unknown != "" {
		usage(unknown)
		return 2
	}
	scratch, err := os.MkdirTemp("", "rdmatui-testrun-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		return 2
	}
	defer os.RemoveAll(scratch)
	start := time.Now()
	r := &run{ctx: ctx, plan: p, scratch: scratch, ci: isTrue(os.Getenv("CI")), tally: newTally()}
	r.all(chosen)
	if ctx.Err() != nil {
		r.tally.fail("testrun", "interrupted")
	}
	if p.quick {
		fmt.Printf("left to make test: %d tests that need a machine\n", r.tally.leaveOut())
	}
	r.tally.times(os.Stdout, p.strict)
	fmt.Printf("%v in all\n", time.Since(start).Round(time.Second))
	if !r.tally.report(os.Stdout, r.ci) {
		return 1
	}
	return 0
}

func usage(name string) {
	fmt.Fprintf(os.Stderr, "testrun: no plan or stage %q; the plans are test, quick and all, the stages:\n", name)
	for _, s := range stages {
		fmt.Fprintf(os.Stderr, "  %-9s %s\n", s.name, s.what)
	}
}

// isTrue reads the value of CI as the usual services set it.
func isTrue(value string) bool { return value == "true" || value == "1" }
