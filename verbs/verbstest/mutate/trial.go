package main

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"
)

// verdict is the result of a mutant.
type verdict uint8

const (
	survived  verdict = iota
	unreached         // survived, and no test reaches it
	noticed
	hung
)

// try runs the tests that reach a mutant until one notices it: those of its own package, then the others.
func (m *mutant) try(ctx context.Context, suites []*suite) verdict {
	v := unreached
	for _, own := range []bool{true, false} {
		for _, s := range suites {
			if (s.pkg == modulePath+m.dir()[1:]) != own {
				continue
			}
			for _, round := range s.rounds(m) {
				if v = s.try(ctx, m, round); v != survived {
					return v
				}
			}
		}
	}
	return v
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
	run := func(number, round int) error {
		out, err := s.run(ctx, time.Duration(round)*limit, []string{chosenEnv + "=" + strconv.Itoa(number)},
			"-test.failfast", "-test.run", exactly(names...))
		if bytes.Contains(out, []byte("panic: test timed out")) {
			err = context.DeadlineExceeded
		}
		return err
	}
	failures := 0
	for round := 1; round <= 3; round++ {
		switch err := run(m.number, round); {
		case err == nil:
			return survived
		case !errors.Is(err, context.DeadlineExceeded):
			if failures++; failures == 2 {
				return noticed
			}
		case run(0, round) == nil:
			return hung
		}
	}
	return survived
}
