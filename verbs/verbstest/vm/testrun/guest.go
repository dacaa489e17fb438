package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// guest is what a machine runs: a kernel with RDMA programs and devices, and which of the tests.
type guest struct {
	suite string // the runner's world: a Debian suite, or newest; "": the host's own suite
	with  feature
	part  string // of parts; "": all tests that need the feature
}

// feature is something that only some guests have. Such a guest runs only the tests that need it.
type feature struct {
	option string // of the runner
	name   string // in reports
}

var (
	siw  = feature{"-i", "with Soft-iWARP"}
	pair = feature{"-2", "with a second machine"}
)

// newestSuite is the world of the newest kernel, a User-Mode Linux that runs programs at the host's speed.
const newestSuite = "newest"

// inNewest are the guests with the newest kernel, in which all tests run.
var inNewest = []guest{{suite: newestSuite}, {suite: newestSuite, with: siw}, {suite: newestSuite, with: pair}}

// inQEMU are the guests with Debian's own kernels, for all tests. At the time of writing the host's suite has kernel
// 6.1 and rdma-core 44, trixie has 6.12 and 56.
var inQEMU = []guest{{}, {with: pair}, {suite: "trixie"}, {suite: "trixie", with: siw}}

// judges are the same guests, with the tests that only they can judge.
var judges = []guest{{part: "kernel"}, {suite: "trixie", part: "kernel"}, {suite: "trixie", with: siw, part: "kernel"}}

// parts choose tests by package: those whose result depends on the kernel and on the version of rdma-core, with one
// stock program of each family in both roles; and those of a quick run. The newest kernel alone judges what is the same
// on every kernel: more sizes, calls that only this program makes in another way, the screen, the software device.
// TestConformance posts every opcode.
var parts = map[string]map[string]choice{
	"kernel": {
		"devices": {}, "verbs/verbstest/vm": {},
		"session/scenario": {but: regexp.MustCompile("^TestAgainstStockRCPingpong$")}, // TestPingpongWithStock plays it
		"verbs/native":     {but: regexp.MustCompile("^(TestConformancePlainCalls|TestCMHundredConnections)$")},
		"ui/program": {only: regexp.MustCompile("^(TestPingpongWithStock|TestSRQPingpongWithStock|TestManagerScenarios|" +
			"TestPerftestHugePages|TestPerftestOverIWARP|TestOverIWARP|TestRegionsOfOthers|TestRegionsRefusedByKernel|" +
			"TestExclusiveNamespaces|TestShapes|TestDevicesAgreeWithDevinfo)$")},
	},
	"quick": {"verbs/native": {only: regexp.MustCompile("^TestConformance$")},
		"ui/program": {only: regexp.MustCompile("^TestPingpongWithStock$")}},
}

// choice is which tests of a package belong to a part; nil: all, and none left out.
type choice struct{ only, but *regexp.Regexp }

func (c choice) has(test string) bool {
	return (c.only == nil || c.only.MatchString(test)) && (c.but == nil || !c.but.MatchString(test))
}

// tests returns the guest's part of the tests, by package.
func (g guest) tests(all needs) map[string][]string {
	chosen := map[string][]string{}
	for pkg, tests := range all[g.with] {
		c, ok := parts[g.part][strings.TrimPrefix(pkg, modulePath+"/")]
		for _, test := range tests {
			if g.part == "" || ok && c.has(test) {
				chosen[pkg] = append(chosen[pkg], test)
			}
		}
	}
	return chosen
}

// args returns the arguments of the runner.
func (g guest) args(more ...string) (args []string) {
	if g.suite != "" {
		args = append(args, "-w", g.suite)
	}
	if g.with.option != "" {
		args = append(args, g.with.option)
	}
	return append(args, more...)
}

// String names the guest in reports: "trixie with Soft-iWARP".
func (g guest) String() string {
	return strings.TrimSpace(cmp.Or(g.suite, "this machine's own kernel") + " " + g.with.name)
}

// suites lists the values of SUITE; "" is the host's own kernel.
func suites() (names []string) {
	for _, g := range slices.Concat(inQEMU, inNewest) {
		names = append(names, g.suite)
	}
	return slices.Compact(names)
}
