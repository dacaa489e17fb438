package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// suite is the tests of one package, built with every mutant of the code, or with one of a text.
type suite struct {
	pkg, dir  string
	deps      map[string]bool // directories of the packages that it is built from
	binary    string
	overlay   string
	tests     []*test
	unchanged *suite // the one without the changed text
}

// test is one test of a suite with its duration and the numbers of the mutants that it reaches.
type test struct {
	*suite
	name    string
	took    time.Duration
	reached map[int]bool
}

// profileLimit is the maximum duration of one test without a change.
const profileLimit = 2 * time.Minute

// memoryLimit is the maximum address space of a test process in bytes: a mutant may allocate without bound.
const memoryLimit = 16 << 30

// listSuites lists the packages with tests that match the patterns, each once, in the order of the patterns.
func listSuites(ctx context.Context, dir, overlay string, patterns []string) (suites []*suite, err error) {
	for _, pattern := range patterns {
		lines, err := listed(ctx, `{{.ImportPath}}={{.Dir}}={{join .Deps "="}}`, "-test", pattern)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			fields := strings.Split(line, "=")
			pkg, isTest := strings.CutSuffix(fields[0], ".test")
			if !isTest || slices.ContainsFunc(suites, func(s *suite) bool { return s.pkg == pkg }) {
				continue
			}
			s := &suite{
				pkg: pkg, dir: fields[1], deps: map[string]bool{},
				overlay: overlay, binary: filepath.Join(dir, strconv.Itoa(len(suites))+".test"),
			}
			for _, dep := range fields[2:] {
				dep, _, _ = strings.Cut(dep, " ") // recompiled for a test: "p [p.test]"
				if dep, ours := strings.CutPrefix(dep+"/", modulePath+"/"); ours {
					s.deps[path.Clean(dep)] = true
				}
			}
			suites = append(suites, s)
		}
	}
	return suites, nil
}

// build builds the suite and lists its tests.
func (s *suite) build(ctx context.Context) error {
	if err := s.compile(ctx); err != nil {
		return err
	}
	list, err := s.run(ctx, time.Minute, nil, "-test.list", ".")
	if err != nil {
		return fmt.Errorf("list %s: %w\n%s", s.pkg, err, list)
	}
	for _, name := range strings.Fields(string(list)) {
		if !strings.HasPrefix(name, "Benchmark") {
			s.tests = append(s.tests, &test{suite: s, name: name, reached: map[int]bool{}})
		}
	}
	return nil
}

func (s *suite) compile(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", s.overlay, "-o", s.binary,
		s.pkg).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build %s: %w\n%s", s.pkg, err, out)
	}
	return nil
}

// each calls do for the numbers below n, several in parallel.
func each(jobs, n int, do func(i int)) {
	work := make(chan int)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range work {
				do(i)
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	workers.Wait()
}

// run runs the test program.
func (s *suite) run(ctx context.Context, limit time.Duration, env []string, args ...string) ([]byte, error) {
	// The test program's own limit gives a better message; this one ends a program that ignores it.
	ctx, cancel := context.WithTimeout(ctx, limit+limit/2+5*time.Second)
	defer cancel()
	args = append([]string{s.binary, "-test.timeout", limit.String()}, args...)
	if path, err := exec.LookPath("prlimit"); err == nil {
		args = append([]string{path, fmt.Sprintf("--as=%d", uint64(memoryLimit))}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = s.dir
	// A test that builds the program must build it with the mutants.
	cmd.Env = append(append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+s.overlay), env...)
	// A test may start child processes: a process group allows ending all of them.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a change may have made the test forget its children
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%s: %w", s.pkg, context.DeadlineExceeded)
	}
	return out, err
}

// profile runs each test alone without a change, to record which mutants it reaches and how long it takes. It returns
// the tests that fail, which cannot notice anything: the inserted code breaks them, or they fail anyway.
func (s *suite) profile(ctx context.Context, dir string, jobs int) (failing []string) {
	fails := make([]bool, len(s.tests))
	each(jobs, len(s.tests), func(i int) { fails[i] = ctx.Err() == nil && !s.tests[i].profile(ctx, dir) })
	var passing []*test
	for i, t := range s.tests {
		if fails[i] {
			failing = append(failing, t.pkg+" "+t.name)
		} else {
			passing = append(passing, t)
		}
	}
	s.tests = passing
	return failing
}

func (t *test) profile(ctx context.Context, dir string) bool {
	reached := filepath.Join(dir, filepath.Base(t.binary)+"."+t.name)
	defer os.Remove(reached)
	for range 2 {
		start := time.Now()
		_, err := t.run(ctx, profileLimit, []string{reachedEnv + "=" + reached}, "-test.run", exactly(t.name))
		t.took = time.Since(start)
		if err != nil {
			continue
		}
		text, _ := os.ReadFile(reached) // missing if no mutant was reached
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			if number, err := strconv.Atoi(lines.Text()); err == nil {
				t.reached[number] = true
			}
		}
		return true
	}
	return false
}

// exactly returns the pattern for -run that matches only these tests.
func exactly(names ...string) string { return "^(" + strings.Join(names, "|") + ")$" }

// firstRound is the total duration of a package's quick tests, which run before its others: they notice most mutants.
const firstRound = time.Second

// rounds returns the tests that reach a mutant, the quick ones first. Each test may read a text.
func (s *suite) rounds(m *mutant) (rounds [][]*test) {
	var past, quick []*test
	for _, t := range s.tests {
		if m.group.texts || t.reached[m.number] {
			past = append(past, t)
		}
	}
	slices.SortStableFunc(past, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	for sum := time.Duration(0); len(past) > 0 && (len(quick) == 0 || sum < firstRound); past = past[1:] {
		sum += past[0].took
		quick = append(quick, past[0])
	}
	for _, round := range [][]*test{quick, past} {
		if len(round) > 0 {
			rounds = append(rounds, round)
		}
	}
	return rounds
}
