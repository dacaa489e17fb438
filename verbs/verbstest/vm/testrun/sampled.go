package main

import (
	"slices"
	"strings"
)

// sampled are the tests that run only in part under the race detector, or not at all.
type sampled struct{ packages, tests []string }

const racePackage = modulePath + "/verbs/verbstest/race"

// shorteners are the functions of package race that such a test calls.
var shorteners = []string{"race.Needless", "race.Sample", "race.Fewer"}

// read adds the package's tests.
func (s *sampled) read(p testPackage) error {
	if !slices.Contains(slices.Concat(p.TestImports, p.XTestImports), racePackage) {
		return nil
	}
	calls, err := p.calls()
	if err != nil {
		return err
	}
	before := len(s.tests)
	for name := range calls {
		shortens := func(function string) bool { return calls.reach(name, function, map[string]bool{}) }
		if testName.MatchString(name) && slices.ContainsFunc(shorteners, shortens) {
			s.tests = append(s.tests, name)
		}
	}
	if len(s.tests) > before {
		s.packages = append(s.packages, p.ImportPath)
	}
	return nil
}

// args returns the arguments of `go test` that select the tests. Tests of the same names in several packages all run.
func (s sampled) args() []string {
	slices.Sort(s.tests)
	return append([]string{"-run=^(" + strings.Join(slices.Compact(s.tests), "|") + ")$"}, s.packages...)
}
