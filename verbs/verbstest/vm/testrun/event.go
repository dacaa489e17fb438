package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is one line of `go test -json`; the fields are described in `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // instead of Package, if the build of the package failed
	Test       string
	Output     string
}

var actions = map[string]outcome{"pass": passed, "fail": failed, "skip": skipped}

// recordEvents reads a stream of test events into the tally. It returns the lines that are not events,
// such as errors of the go command itself.
func recordEvents(stream io.Reader, t *tally) (stray string, err error) {
	output := map[key]*strings.Builder{}
	failedIn := map[string]bool{} // packages in which some test failed
	var other strings.Builder
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) != nil {
			other.Write(line)
		} else if len(line) > 0 {
			recordEvent(e, output, failedIn, t)
		}
		if err == io.EOF {
			return other.String(), nil
		}
		if err != nil {
			return other.String(), err
		}
	}
}

func recordEvent(e event, output map[key]*strings.Builder, failedIn map[string]bool, t *tally) {
	if e.Package == "" {
		e.Package = e.ImportPath
	}
	k := key{e.Package, e.Test}
	if e.Output != "" {
		if output[k] == nil {
			output[k] = &strings.Builder{}
		}
		output[k].WriteString(e.Output)
	}
	o, final := actions[e.Action]
	switch {
	case !final:
	case e.Test != "":
		failedIn[e.Package] = failedIn[e.Package] || o == failed
		t.told++
		t.set(k, o, testOutput(output[k]))
		delete(output, k)
	case o == failed && !failedIn[e.Package]:
		// No test has failed: the package does not build, panicked or timed out. What it printed then
		// was given to a test that had not ended.
		t.set(k, failed, testOutput(output[k])+unfinished(output, e.Package))
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
