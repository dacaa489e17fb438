package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// spent is a stage with the time that it took and the processor time of the programs that it ran.
type spent struct {
	stage     stage
	took, cpu time.Duration
}

const (
	slowPackages = 10
	slowTests    = 20
)

func (t *tally) spent(s stage, took, cpu time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stages = append(t.stages, spent{s, took, cpu})
}

// times prints how long the stages, the slowest packages and the slowest tests took, and which stages took longer than
// their budget. If it is strict, those fail.
func (t *tally) times(w io.Writer, strict bool) {
	t.list(w, "packages", slowPackages, func(k key) bool { return k.test == "" })
	t.list(w, "tests", slowTests, func(k key) bool { return k.test != "" && k == k.top() })
	fmt.Fprintln(w, "the stages:")
	for _, s := range t.stages {
		over := ""
		if s.stage.budget > 0 && s.took > s.stage.budget {
			over = fmt.Sprintf(", longer than its budget of %v", s.stage.budget)
			if strict {
				t.fail("time of the stage "+s.stage.name, s.took.Round(time.Second).String()+over)
			}
		}
		fmt.Fprintf(w, "  %8v %s, %v of processors%s\n", s.took.Round(time.Second), s.stage.name,
			s.cpu.Round(time.Second), over)
	}
}

// list prints the most time-consuming of a kind.
func (t *tally) list(w io.Writer, what string, most int, of func(key) bool) {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(t.took)), func(k key) bool { return !of(k) })
	slices.SortFunc(keys, func(a, b key) int { return int(t.took[b] - t.took[a]) })
	fmt.Fprintf(w, "the slowest %s:\n", what)
	for _, k := range keys[:min(most, len(keys))] {
		fmt.Fprintf(w, "  %8v %s\n", t.took[k].Round(10*time.Millisecond), k)
	}
}
