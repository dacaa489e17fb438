package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

// verdict is the result of a mutant.
type verdict uint8

const (
	unreached verdict = iota // no test reaches it
	survived
	noticed
	hung
)

// tryAll runs, suite by suite, the tests that reach a mutant until one notices it: those of its own package, then the
// others. It returns the tests that fail without a change.
func tryAll(ctx context.Context, dir string, mutants []*mutant, suites []*suite,
	jobs int) (failing []string, err error) {
	for _, s := range suites {
		var left []*mutant
		for _, m := range mutants {
			if m.verdict < noticed && s.deps[m.dir] {
				left = append(left, m)
			}
		}
		if len(left) == 0 {
			continue
		}
		start := time.Now()
		if err := s.build(ctx); err != nil {
			return nil, err
		}
		failing = append(failing, s.profile(ctx, dir, jobs)...)
		errs := make([]error, len(left))
		each(jobs, len(left), func(i int) {
			if ctx.Err() == nil {
				errs[i] = s.tryOne(ctx, dir, left[i])
			}
		})
		if err := errors.Join(append(errs, ctx.Err(), os.Remove(s.binary))...); err != nil {
			return nil, err
		}
		found := 0
		for _, m := range left {
			if m.verdict >= noticed {
				found++
			}
		}
		fmt.Fprintf(os.Stderr, "%s noticed %d of %d in %.0f s\n", s.pkg, found, len(left), time.Since(start).Seconds())
	}
	return failing, nil
}

// tryOne runs the tests that reach a mutant.
func (s *suite) tryOne(ctx context.Context, dir string, m *mutant) error {
	rounds := s.rounds(m)
	if m.group.texts {
		var err error
		if s, err = s.with(m, dir); err != nil {
			return err
		}
		if err := s.compile(ctx); err != nil {
			return err
		}
		defer os.Remove(s.binary)
	}
	for _, round := range rounds {
		if m.verdict = s.try(ctx, m, round); m.verdict >= noticed {
			break
		}
	}
	return nil
}

// try runs one round of tests. The machine may be loaded: a failure must occur twice, and tests that hang must not hang
// without the change.
func (s *suite) try(ctx context.Context, m *mutant, round []*test) verdict {
	limit := 10 * time.Second
	var names []string
	for _, t := range round {
		limit += 5 * t.took
		names = append(names, t.name)
	}
	run := func(s *suite, number, round int) error {
		out, err := s.run(ctx, time.Duration(round)*limit, []string{chosenEnv + "=" + strconv.Itoa(number)},
			"-test.failfast", "-test.run", exactly(names...))
		if bytes.Contains(out, []byte("panic: test timed out")) {
			err = context.DeadlineExceeded
		}
		return err
	}
	failures := 0
	for round := 1; round <= 3; round++ {
		switch err := run(s, m.number, round); {
		case err == nil:
			return survived
		case !errors.Is(err, context.DeadlineExceeded):
			if failures++; failures == 2 {
				return noticed
			}
		case run(cmp.Or(s.unchanged, s), 0, round) == nil:
			return hung
		}
	}
	return survived
}
