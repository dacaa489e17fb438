package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// fuzz limits each target by its number of runs, not by time: a busy machine then does the same work, and the go
// command cannot exceed a deadline.
func fuzz(r *run) {
	out, err := goTool("test", "-json", "-list", "^Fuzz", "./...").output(r)
	if err != nil {
		r.tally.fail("list of fuzz targets", out)
		return
	}
	for _, target := range fuzzTargets(out) {
		args := []string{"test", "-run=^$", "-fuzz=^" + target.test + "$", "-fuzztime=" + r.plan.fuzzRuns,
			"-fuzzminimizetime=100x", "-parallel=2", "-timeout=5m", target.pkg}
		name := "fuzz " + target.String()
		out, err := goTool(args...).output(r)
		if err != nil {
			r.tally.fail(name, out)
		} else {
			r.tally.pass(name)
		}
		fmt.Printf("ran     %s: %s\n", name, lastLine(out))
	}
}

// fuzzTargets reads the names from the output of `go test -json -list`.
func fuzzTargets(list string) (targets []key) {
	for line := range strings.Lines(list) {
		var e event
		if json.Unmarshal([]byte(line), &e) == nil && strings.HasPrefix(e.Output, "Fuzz") {
			targets = append(targets, key{e.Package, strings.TrimSpace(e.Output)})
		}
	}
	return targets
}
