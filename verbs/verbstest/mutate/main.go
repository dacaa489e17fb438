// Command mutate changes the program's behaviour mechanically, one place at a time, and lists the changes that no test
// notices.
//
//	go run ./verbs/verbstest/mutate [-n 400] [-seed 1] [-group NAME] [-jobs N]
//
// Run it in the module's root. A mutant is a change of one operator, constant, condition or statement that compiles.
// The tree itself is not changed: an overlay (go help build, -overlay) replaces files by versions that contain every
// mutant beside the original code. So each test program is built once, and an environment variable selects the mutant.
// Each test first runs alone without a change, to record the mutants that it reaches. For each mutant only the tests
// that reach it run: the quick ones of its own package first, then the others of that package, then those of the
// packages that use it. A mutant is noticed if its tests fail twice or hang.
//
// The seed chooses the mutants, in equal parts from the groups; see groups. A surviving mutant is either behaviour that
// no test checks or a change without effect: harmless.txt lists the latter with the reason, and those do not count.
//
// Exit status: 0 if at least -least percent were noticed, 1 if fewer were, 2 if the tests could not run.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const modulePath = "rdmatui"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	n := flags.Int("n", 400, "how many mutants to try")
	seed := flags.Uint64("seed", 1, "which ones")
	only := flags.String("group", "", "one group of packages alone: wire, soft, session or devices")
	jobs := flags.Int("jobs", runtime.NumCPU(), "how many at a time")
	least := flags.Float64("least", 95, "percentage that must be noticed")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	known, err := readHarmless()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		return 2
	}
	start := time.Now()
	r := &report{known: known}
	for i := range groups {
		g := &groups[i]
		part := *n
		if *only == "" {
			part = *n*(i+1)/len(groups) - *n*i/len(groups)
		} else if *only != g.name {
			continue
		}
		if err := g.try(ctx, part, *jobs, *seed, r); err != nil {
			fmt.Fprintf(os.Stderr, "mutate: %s: %v\n", g.name, err)
			return 2
		}
	}
	r.print(os.Stdout, time.Since(start))
	switch {
	case r.counted() == 0:
		fmt.Fprintln(os.Stderr, "mutate: no mutant was tried")
		return 2
	case r.percent() < *least:
		return 1
	}
	return 0
}

// try chooses n mutants of a group and tries them, several at a time.
func (g *group) try(ctx context.Context, n, jobs int, seed uint64, r *report) error {
	dir, err := os.MkdirTemp("", "rdmatui-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sources, err := g.load(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	step := func(what string) {
		fmt.Fprintf(os.Stderr, "%s: %s took %.0f s\n", g.name, what, time.Since(start).Seconds())
		start = time.Now()
	}
	mutants := g.choose(ctx, sources, n, seed)
	step("choosing")
	list, err := overlay(dir, sources, mutants)
	if err != nil {
		return err
	}
	var patterns []string
	for _, d := range g.dirs {
		patterns = append(patterns, "./"+d)
	}
	suites, err := build(ctx, dir, list, sources, append(patterns, g.then...), jobs)
	if err != nil {
		return err
	}
	step("building")
	r.failing = append(r.failing, profile(ctx, dir, suites, jobs)...)
	step("running each test alone")
	tryAll(ctx, mutants, suites, jobs, r)
	step("trying")
	return ctx.Err()
}

func tryAll(ctx context.Context, mutants []*mutant, suites []*suite, jobs int, r *report) {
	var mu sync.Mutex
	each(jobs, len(mutants), func(i int) {
		if ctx.Err() != nil {
			return
		}
		v := mutants[i].try(ctx, suites)
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			r.add(mutants[i], v)
		}
	})
}
