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
// The groups texts and scripts have the facts of the explanations and of the lab and the scenarios: a mutant is another
// number or another name of an enumeration. For each of them the tests are built with the changed text.
//
// The seed chooses the mutants, from each group a part in proportion to its lines; see groups. A surviving mutant is
// either behaviour that no test checks or a change without effect: harmless.txt lists the latter with the reason, and
// those do not count. Some of the tests of verbs/native need a kernel with an RDMA device. On a machine without one, a
// mutant that no test reaches there does not count, and is reported on its own. In the virtual machine it counts:
//
//	verbs/verbstest/vm/run -t 7200 -m 8192 -- go run ./verbs/verbstest/mutate -group native
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
	"slices"
	"strings"
	"syscall"
	"time"

	vmtest "rdmatui/verbs/verbstest/vm"
)

const modulePath = "rdmatui"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// names lists the groups.
func names() string {
	var list []string
	for _, g := range groups {
		list = append(list, g.name)
	}
	return strings.Join(list, ", ")
}

func run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	n := flags.Int("n", 400, "how many mutants to try")
	seed := flags.Uint64("seed", 1, "which ones")
	only := flags.String("group", "", "one group alone: "+names())
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
	if err := fill(ctx, groups); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		return 2
	}
	among := slices.DeleteFunc(slices.Clone(groups), func(g *group) bool { return *only != "" && *only != g.name })
	if len(among) == 0 {
		fmt.Fprintf(os.Stderr, "mutate: no group %q: there are %s\n", *only, names())
		return 2
	}
	start := time.Now()
	r := &report{known: known, kernel: os.Getenv(vmtest.Variable) != ""}
	shares := parts(*n, among)
	for _, g := range among {
		if err := g.try(ctx, shares[g], *jobs, *seed, r); err != nil {
			fmt.Fprintf(os.Stderr, "mutate: %s: %v\n", g.name, err)
			return 2
		}
	}
	r.print(os.Stdout, time.Since(start))
	switch sum := r.total(""); {
	case sum.counted() == 0:
		fmt.Fprintln(os.Stderr, "mutate: no mutant was tried")
		return 2
	case sum.percent() < *least:
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
	mutants, err := g.choose(ctx, sources, n, seed)
	if err != nil {
		return err
	}
	list, err := overlay(dir, sources, mutants)
	if err != nil {
		return err
	}
	var patterns []string
	for _, d := range g.dirs {
		patterns = append(patterns, "./"+d)
	}
	suites, err := listSuites(ctx, dir, list, append(patterns, g.then...))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d lines, %d mutants\n", g.name, g.lines, len(mutants))
	failing, err := tryAll(ctx, dir, mutants, suites, jobs)
	if err != nil {
		return err
	}
	r.failing = append(r.failing, failing...)
	for _, m := range mutants {
		r.add(m)
	}
	return nil
}
