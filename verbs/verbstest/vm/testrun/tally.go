package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// outcome is how a test or a check ended.
type outcome int

const (
	passed outcome = iota
	failed
	skipped
)

// key names one test of one package, or one check (then test is empty).
type key struct{ pkg, test string }

// String returns the package and the name of the test.
func (k key) String() string { return strings.TrimSpace(k.pkg + " " + k.test) }

// top names the test function that a subtest belongs to.
func (k key) top() key {
	k.test, _, _ = strings.Cut(k.test, "/")
	return k
}

// result is an outcome with its reason, or the output of a failed test.
type result struct {
	outcome outcome
	detail  string
}

// tally holds the last outcome of everything that ran or should have run. A test that is skipped on
// the host and then passes in the machine counts as passed, whichever comes first.
type tally struct {
	mu      sync.Mutex // stages run side by side
	results map[key]result
	took    map[key]time.Duration // of tests and, without a test, packages
	stages  []spent
}

func newTally() *tally { return &tally{results: map[key]result{}, took: map[key]time.Duration{}} }

func (t *tally) pass(check string)         { t.set(key{pkg: check}, passed, "") }
func (t *tally) fail(check, detail string) { t.set(key{pkg: check}, failed, detail) }
func (t *tally) skip(check, reason string) { t.set(key{pkg: check}, skipped, reason) }

// set records an outcome. A failure is final: a test that fails on the host stays failed even if it passes in the
// machine. A skip does not replace the result of a test that ran elsewhere.
func (t *tally) set(k key, o outcome, detail string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, ran := t.results[k]
	if ran && (old.outcome == failed || o == skipped && old.outcome == passed) {
		return
	}
	t.results[k] = result{o, strings.TrimSpace(detail)}
}

// time records how long something took; of several times the longest counts.
func (t *tally) time(k key, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took[k] = max(t.took[k], took)
}

// leaveOut removes the tests that were skipped for want of a machine, and returns how many they were.
func (t *tally) leaveOut() int {
	before := len(t.results)
	maps.DeleteFunc(t.results, func(_ key, r result) bool {
		return r.outcome == skipped && strings.Contains(r.detail, vmtest.SkipMessage)
	})
	return before - len(t.results)
}

// leaves returns the results without tests that only contain subtests: such a parent passes or fails
// with its children, and counting both would count one result twice. A parent that skips itself is
// counted.
func (t *tally) leaves() map[key]result {
	parents := map[key]bool{} // true: a child accounts for the parent's failure
	for k, r := range t.results {
		for i := strings.LastIndexByte(k.test, '/'); i > 0; i = strings.LastIndexByte(k.test[:i], '/') {
			parent := key{k.pkg, k.test[:i]}
			parents[parent] = parents[parent] || r.outcome == failed
		}
	}
	leaves := maps.Clone(t.results)
	maps.DeleteFunc(leaves, func(k key, r result) bool {
		explained, isParent := parents[k]
		return isParent && (r.outcome == passed || r.outcome == failed && explained)
	})
	return leaves
}

// report prints the failures, the tests that could not run, and the counts. It reports whether the run succeeded.
func (t *tally) report(w io.Writer, ci bool) bool {
	leaves := t.leaves()
	count := [3]int{}
	for _, k := range slices.SortedFunc(maps.Keys(leaves), func(a, b key) int {
		return strings.Compare(a.String(), b.String())
	}) {
		r := leaves[k]
		count[r.outcome]++
		switch r.outcome {
		case failed:
			fmt.Fprintf(w, "FAILED %s\n%s\n", k, indent(r.detail))
		case skipped:
			fmt.Fprintf(w, "DID NOT RUN %s: %s\n", k, r.detail)
		}
	}
	if ci && count[skipped] > 0 {
		fmt.Fprintln(w, "CI is set: nothing may be left out")
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", count[passed], count[failed], count[skipped])
	return count[failed] == 0 && (!ci || count[skipped] == 0)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
