package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// event is one line of `go test -json`; the fields are described in `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // instead of Package, if the build of the package failed
	Test       string
	Output     string
	Elapsed    float64 // seconds, of what has ended
}

var actions = map[string]outcome{"pass": passed, "fail": failed, "skip": skipped}

// told is what a stream of test events reported.
type told struct {
	tests, failed int           // a test that ran twice counts twice
	took          time.Duration // the tests together, without subtests
	stray         string        // the lines that are not events, such as errors of the go command itself
}

// recordEvents reads a stream of test events into the tally.
func recordEvents(stream io.Reader, t *tally) (told, error) {
	r := eventReader{tally: t, output: map[key]*strings.Builder{}, failedIn: map[string]bool{}}
	var other strings.Builder
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) != nil {
			other.Write(line)
		} else if len(line) > 0 {
			r.record(e)
		}
		if err != nil {
			r.told.stray = other.String()
			if err == io.EOF {
				err = nil
			}
			return r.told, err
		}
	}
}

// eventReader holds what a stream has told so far.
type eventReader struct {
	tally    *tally
	output   map[key]*strings.Builder // of tests that have not ended
	failedIn map[string]bool          // packages in which some test failed
	told     told
}

func (r *eventReader) record(e event) {
	if e.Package == "" {
		e.Package = e.ImportPath
	}
	k := key{e.Package, e.Test}
	if e.Output != "" {
		if r.output[k] == nil {
			r.output[k] = &strings.Builder{}
		}
		r.output[k].WriteString(e.Output)
	}
	o, final := actions[e.Action]
	if !final {
		return
	}
	took := time.Duration(e.Elapsed * float64(time.Second))
	r.tally.time(k, took)
	switch {
	case e.Test != "":
		r.told.tests++
		if k == k.top() {
			r.told.took += took
		}
		if o == failed {
			r.told.failed++
			r.failedIn[e.Package] = true
		}
		r.tally.set(k, o, testOutput(r.output[k]))
		delete(r.output, k)
	case o == failed && !r.failedIn[e.Package]:
		// No test has failed: the package does not build, panicked or timed out. What it printed then
		// was given to a test that had not ended.
		r.told.failed++
		r.tally.set(k, failed, testOutput(r.output[k])+unfinished(r.output, e.Package))
	}
}

// unfinished returns the names and the output of a package's tests that have not ended.
func unfinished(output map[key]*strings.Builder, pkg string) string {
	var all strings.Builder
	for _, k := range slices.SortedFunc(maps.Keys(output), func(a, b key) int {
		return strings.Compare(a.test, b.test)
	}) {
		if k.pkg == pkg && k.test != "" {
			fmt.Fprintf(&all, "\n%s has not ended\n%s", k.test, testOutput(output[k]))
		}
	}
	return all.String()
}

// testOutput removes the lines that the testing package adds to the output of a test.
func testOutput(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	var kept []string
	for line := range strings.Lines(b.String()) {
		trimmed := strings.TrimSpace(line)
		if !strings.HasPrefix(trimmed, "=== ") && !strings.HasPrefix(trimmed, "--- ") {
			kept = append(kept, strings.TrimRight(line, "\n"))
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
