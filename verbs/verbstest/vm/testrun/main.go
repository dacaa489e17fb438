// Command testrun runs the project's checks, stage by stage, and reports every one of them: what
// passed, what failed, and what could not run and why. With CI=true every check must run.
//
//	go run ./verbs/verbstest/vm/testrun [STAGE...]
//
// Run it in the module's root. Without arguments all stages that are not extra run in order; see stages.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// stage is one part of the run. Its function records results in the tally and never ends the run.
type stage struct {
	name string
	what string
	run  func(*run)
	kind kind
}

// kind says when a stage runs.
type kind int

const (
	inTurn kind = iota
	beside      // while the machines run, if the host has processors for both, otherwise after them
	extra       // only if it is named
)

var stages = []stage{
	{"lint", "gofmt, go vet for each platform, staticcheck", lint, inTurn},
	{"cross", "build without cgo, for each platform", cross, inTurn},
	{"unit", "every package's tests, with the race detector", unit, inTurn},
	{"world", "2,000 seeds of the simulated world and 300 of the sessions, which derive from the commit", world,
		beside},
	{"harm", "1 GiB over a network that loses, repeats, reorders and damages", harm, beside},
	{"fuzz", "a short run of every fuzz target", fuzz, beside},
	{"vm", "on real kernels: the tests that need one", machine, inTurn},
	{"repeat", "the same again and again: COUNT, TESTS and LOAD say how", repeat, extra},
}

// run is the state that the stages share.
type run struct {
	ctx     context.Context
	scratch string // directory for build output
	ci      bool
	tally   *tally
	waiting []stage // to run beside the machines
}

// stage runs one stage, unless the run was interrupted.
func (r *run) stage(s stage) {
	if r.ctx.Err() != nil {
		return
	}
	fmt.Printf("== %s: %s\n", s.name, s.what)
	start := time.Now()
	s.run(r)
	fmt.Printf("== %s: %s\n", s.name, time.Since(start).Round(time.Second))
}

// meanwhile runs the stages that wait until the machines run.
func (r *run) meanwhile() {
	waiting := r.waiting
	r.waiting = nil
	for _, s := range waiting {
		r.stage(s)
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := perform(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func perform(ctx context.Context, names []string) int {
	for _, name := range names {
		if !slices.ContainsFunc(stages, func(s stage) bool { return s.name == name }) {
			usage(name)
			return 2
		}
	}
	scratch, err := os.MkdirTemp("", "rdmatui-testrun-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		return 2
	}
	defer os.RemoveAll(scratch)
	r := &run{ctx: ctx, scratch: scratch, ci: isTrue(os.Getenv("CI")), tally: newTally()}
	for _, s := range stages {
		switch wanted := slices.Contains(names, s.name) || len(names) == 0 && s.kind != extra; {
		case wanted && s.kind == beside:
			r.waiting = append(r.waiting, s)
		case wanted:
			r.stage(s)
		}
	}
	r.meanwhile() // if none ran beside machines
	if ctx.Err() != nil {
		r.tally.fail("testrun", "interrupted")
	}
	if !r.tally.report(os.Stdout, r.ci) {
		return 1
	}
	return 0
}

func usage(name string) {
	fmt.Fprintf(os.Stderr, "testrun: no stage %q; there are:\n", name)
	for _, s := range stages {
		fmt.Fprintf(os.Stderr, "  %-6s %s\n", s.name, s.what)
	}
}

// isTrue reads the value of CI as the usual services set it.
func isTrue(value string) bool { return value == "true" || value == "1" }
