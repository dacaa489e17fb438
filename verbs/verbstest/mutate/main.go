// Command mutate changes the program's behaviour mechanically, one place at a time, and lists the changes that no test notices.
//
//	go run ./verbs/verbstest/mutate [-n 400] [-seed 1] [-group NAME] [-jobs N]
//
// Run it in the module's root. A mutant is one operator, constant, condition or statement that is changed; the tree itself stays as
// it is, since the go command lays the changed file over it (go help build, -overlay). The tests of the mutant's package run first,
// then those of the packages that use it. A mutant that does not compile does not count; one whose tests fail, or hang, is noticed.
//
// The mutants are chosen by the seed, in equal parts from the groups; see groups. A survivor is a behaviour that no test holds, or
// makes no difference: harmless.txt lists the latter with the reason, and those do not count either.
//
// Exit status: 0 where at least -least percent were noticed; 1 where fewer were; 2 where the tests could not run.
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
	limit := flags.Duration("limit", 90*time.Second, "how long the tests of one package may take")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	all, err := find(groups, *only)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no group %q", *only)
	}
	known, kerr := readHarmless()
	if err != nil || kerr != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err, kerr)
		return 2
	}
	r := &report{known: known}
	try(ctx, choose(all, *seed), *n, *jobs, *limit, r)
	r.print(os.Stdout)
	switch {
	case r.counted() == 0:
		fmt.Fprintln(os.Stderr, "mutate: nothing was tried")
		return 2
	case r.percent() < *least:
		return 1
	}
	return 0
}

// try runs mutants in order, several at a time, until n of them have counted or none is left.
func try(ctx context.Context, mutants []mutant, n, jobs int, limit time.Duration, r *report) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := func() *mutant {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil || len(mutants) == 0 || r.counted() >= n {
			return nil
		}
		m := &mutants[0]
		mutants = mutants[1:]
		return m
	}
	for range jobs {
		workers.Go(func() {
			for m := next(); m != nil; m = next() {
				v := m.try(ctx, limit)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				r.add(m, v)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
}
