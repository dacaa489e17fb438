package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// own returns a group with only the sample package, which these tests change.
func own(t *testing.T) (*group, []*source) {
	t.Helper()
	t.Chdir("../../..")
	g := &group{name: "own", dirs: []string{"verbs/verbstest/mutate/testdata/sample"}}
	sources, err := g.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g, sources
}

// verdicts lists all possible changes of the sample with their expected results.
var verdicts = map[string]verdict{
	"Larger: if a [> -> >=] b {":                                                                      survived,
	"Larger: if [false && ]a > b {":                                                                   noticed,
	"Larger: if [true || ]a > b {":                                                                    noticed,
	"Sum: [without ]sum = first":                                                                      noticed,
	"Sum: for i := [0 -> 1]; i < len(more); i++ {":                                                    noticed,
	"Sum: for i := 0; i [< -> <=] len(more); i++ {":                                                   noticed,
	"Sum: sum [+= -> -=] more[i]":                                                                     noticed,
	"Late: if late := d [> -> >=] 1*time.Second && true; late {":                                      survived,
	"Late: if late := d > [1 -> 2]*time.Second && true; late {":                                       survived,
	"Late: if late := d > 1[* -> /]time.Second && true; late {":                                       survived,
	"Late: if late := d > 1*time.Second [&& -> ||] true; late {":                                      noticed,
	"Late: if late := d > 1*time.Second && [true -> false]; late {":                                   noticed,
	"Late: if late := d > 1*time.Second && true; [false && ]late {":                                   noticed,
	"Late: if late := d > 1*time.Second && true; [true || ]late {":                                    noticed,
	"Late: [without ]report()":                                                                        survived,
	"Late: return [true -> false]":                                                                    noticed,
	"Late: return [false -> true]":                                                                    noticed,
	"Mebibytes: func Mebibytes(bytes int) float64 { return float64(bytes) [/ -> *] float64(1<<20) }":  noticed,
	"Mebibytes: func Mebibytes(bytes int) float64 { return float64(bytes) / float64(1[<< -> >>]20) }": noticed,
}

// TestTrial checks which mutants the sample has, and which of them its tests notice.
func TestTrial(t *testing.T) {
	g, sources := own(t)
	mutants := g.choose(t.Context(), sources, 1000, 1)
	dir := t.TempDir()
	list, err := overlay(dir, sources, mutants)
	if err != nil {
		t.Fatal(err)
	}
	suites, err := build(t.Context(), dir, list, sources, []string{"./" + g.dirs[0], "./verbs/fair"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if failing := profile(t.Context(), dir, suites, 1); len(failing) != 0 || len(suites) != 1 {
		t.Fatalf("%d suites, and %q fail without a change", len(suites), failing)
	}
	seen := map[string]bool{}
	for _, m := range mutants {
		key := m.function + ": " + m.change
		seen[key] = true
		want, ok := verdicts[key]
		if got := m.try(t.Context(), suites); !ok || got != want {
			t.Errorf("%s: verdict %d, want %d", m, got, want)
		}
		for _, test := range suites[0].tests {
			if test.name != "Test"+m.function && test.reached[m.number] {
				t.Errorf("%s reaches %s", test.name, m)
			}
		}
	}
	for key := range verdicts {
		if !seen[key] {
			t.Errorf("%s was not found", key)
		}
	}
}

// TestChoice checks that a seed always chooses the same mutants, and that a larger choice begins with the smaller one.
func TestChoice(t *testing.T) {
	g, sources := own(t)
	chosen := func(n int, seed uint64) (changes []string) {
		for _, m := range g.choose(t.Context(), sources, n, seed) {
			changes = append(changes, m.String())
		}
		return changes
	}
	first := chosen(5, 1)
	if len(first) != 5 || !slices.Equal(first, chosen(8, 1)[:5]) || slices.Equal(first, chosen(5, 2)) {
		t.Errorf("the choice does not depend on the seed: %q", first)
	}
}

// TestGroupsHoldAll checks that every package of the tested parts is in a group.
func TestGroupsHoldAll(t *testing.T) {
	t.Chdir("../../..")
	var held []string
	for _, g := range groups {
		for _, dir := range g.dirs {
			held = append(held, modulePath+"/"+dir)
		}
	}
	all, err := listed(t.Context(), "{{.ImportPath}}", "./verbs/wire/...", "./verbs/soft/...",
		"./session/...", "./devices/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if !slices.Contains(held, path) {
			t.Errorf("%s is in no group", path)
		}
	}
}

// TestBeside checks nested changes, and that line numbers stay the same.
func TestBeside(t *testing.T) {
	const text = "a := b + c*d\nx = a\n"
	at := func(s, to, kind string, number int) *mutant {
		start := strings.Index(text, s)
		return &mutant{number: number, start: start, end: start + len(s), to: to, kind: kind}
	}
	got := string(beside([]byte(text),
		[]*mutant{at("c*d", "c/d", "int", 1), at("x = a", "", "", 2), at("b + c*d", "b - c*d", "int", 3)}))
	question := func(n int, is, not string) string {
		return fmt.Sprintf("func() int { if mutantIs(%d) { return %s }; return %s }()", n, is, not)
	}
	want := "a := " + question(3, "b - c*d", "b + "+question(1, "c/d", "c*d")) +
		"\nif mutantIs(2) {  } else { x = a }\n"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// marks are what a change in brackets adds to a line; what it replaces stays.
var marks = regexp.MustCompile(`\[([^][]*) -> [^][]*\]|\[(?:without |false && |true \|\| )\]`)

// TestHarmless checks that each harmless mutant has a reason, and that its file still has the line: changed code
// needs a new judgement.
func TestHarmless(t *testing.T) {
	known, err := readHarmless()
	if err != nil {
		t.Fatal(err)
	}
	for key := range known {
		path, rest, _ := strings.Cut(key, " ")
		_, change, _ := strings.Cut(rest, ": ")
		text, err := os.ReadFile(filepath.Join("../../..", path))
		if err != nil || !strings.Contains(string(text), marks.ReplaceAllString(change, "$1")) {
			t.Errorf("%s is not there: %v", key, err)
		}
	}
}

// TestReport checks that harmless survivors do not count and others do.
func TestReport(t *testing.T) {
	m := &mutant{path: "p/f.go", line: 3, function: "f", change: "a [< -> <=] b"}
	other := &mutant{path: "p/f.go", line: 4, function: "f", change: "a [> -> >=] b"}
	r := &report{known: map[string]string{m.key(): "because"}}
	for _, v := range []verdict{noticed, hung, survived} {
		r.add(m, v)
	}
	r.add(other, noticed)
	if r.counted() != 3 || r.percent() != 100 || len(r.harmless) != 1 {
		t.Errorf("%+v", r)
	}
	r.add(other, unreached)
	if r.counted() != 4 || r.percent() != 75 || len(r.survivors) != 1 {
		t.Errorf("%+v", r)
	}
}
