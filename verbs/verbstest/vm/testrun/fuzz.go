package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// fuzz limits each target by its number of runs, not by time: a busy machine then does the same work, and the go
// command cannot exceed a deadline. The targets of a package share one instrumented binary.
func fuzz(r *run) {
	targets, err := r.fuzzTargets()
	if err != nil {
		r.tally.fail("list of fuzz targets", err.Error())
		return
	}
	cache, err := goTool("env", "GOCACHE").output(r)
	if err != nil {
		r.tally.fail("fuzz", cache)
		return
	}
	for _, dir := range slices.Sorted(maps.Keys(targets)) {
		pkg := targets[dir]
		binary := filepath.Join(r.scratch, strings.ReplaceAll(pkg.path, "/", "-")+".fuzz")
		out, err := goTool("test", "-c", "-vet=off", "-fuzz=^Fuzz", "-o", binary, pkg.path).with(noCgo).output(r)
		if err != nil {
			r.tally.fail("fuzz "+pkg.path, out)
			continue
		}
		for _, target := range pkg.targets {
			name := "fuzz " + key{pkg.path, target}.String()
			out, err := command{name: binary, dir: dir, args: []string{"-test.run=^$", "-test.fuzz=^" + target + "$",
				"-test.fuzzcachedir=" + filepath.Join(cache, "fuzz", pkg.path), "-test.fuzztime=" + r.plan.fuzzRuns,
				"-test.fuzzminimizetime=100x", "-test.parallel=2", "-test.timeout=5m"}}.output(r)
			if err != nil {
				r.tally.fail(name, out)
			} else {
				r.tally.pass(name)
			}
			fmt.Printf("ran     %s: %s\n", name, lastTold(out))
		}
	}
}

// lastTold returns the last line that tells how often a target ran.
func lastTold(out string) string {
	told := ""
	for line := range strings.Lines(out) {
		if strings.Contains(line, "execs") {
			told = strings.TrimSpace(line)
		}
	}
	return told
}

// fuzzed is a package with fuzz targets.
type fuzzed struct {
	path    string
	targets []string
}

// fuzzTargets reads the tests of all packages, by folder, since to ask the test binaries would build them all.
func (r *run) fuzzTargets() (map[string]fuzzed, error) {
	found := map[string]fuzzed{}
	err := r.eachTestPackage(func(p testPackage) error {
		targets, err := p.targets()
		if len(targets) > 0 {
			found[p.Dir] = fuzzed{p.ImportPath, targets}
		}
		return err
	})
	return found, err
}

// targets lists the package's fuzz targets.
func (p testPackage) targets() (names []string, err error) {
	calls, err := p.calls()
	for name := range calls {
		if fuzzName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}
