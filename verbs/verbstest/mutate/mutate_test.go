package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
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
	mutants, err := g.choose(t.Context(), sources, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	list, err := overlay(dir, sources, mutants)
	if err != nil {
		t.Fatal(err)
	}
	suites, err := listSuites(t.Context(), dir, list, []string{"./" + g.dirs[0], "./verbs/ring"})
	if err != nil {
		t.Fatal(err)
	}
	if failing, err := tryAll(t.Context(), dir, mutants, suites, 1); len(failing) != 0 || err != nil {
		t.Fatalf("%q fail without a change; %v", failing, err)
	}
	seen := map[string]bool{}
	for _, m := range mutants {
		key := m.function + ": " + m.change
		seen[key] = true
		want, ok := verdicts[key]
		if !ok || m.verdict != want {
			t.Errorf("%s: verdict %d, want %d", m, m.verdict, want)
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
		mutants, err := g.choose(t.Context(), sources, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants {
			changes = append(changes, m.String())
		}
		return changes
	}
	first := chosen(5, 1)
	if len(first) != 5 || !slices.Equal(first, chosen(8, 1)[:5]) || slices.Equal(first, chosen(5, 2)) {
		t.Errorf("the choice does not depend on the seed: %q", first)
	}
}

// TestGroups checks that the groups hold the whole program, each package in the closest one, and no code of tests.
func TestGroups(t *testing.T) {
	t.Chdir("../../..")
	var all []*group
	for _, g := range groups {
		fresh := *g
		all = append(all, &fresh)
	}
	if err := fill(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"main.go": "cli", "ui/cli/wire.go": "cli", "ui/app.go": "ui", "ui/screen/post/screen.go": "ui",
		"session/bench/supervise.go": "bench", "session/traffic/pingpong.go": "bench",
		"session/cm/channel.go": "session",
		"verbs/qp.go":           "verbs", "verbs/route/gid.go": "verbs", "verbs/native/qp.go": "native",
		"verbs/native/internal/abi/address.go": "native", "verbs/wire/bth.go": "wire",
		"verbs/soft/link/udp.go": "soft",
		"devices/netdev.go":      "devices", "assets/explain/parse.go": "assets",
		"assets/explain/wc_status.txt": "texts",
		"assets/lab/parts/begin.rdma":  "scripts", "assets/scenarios/serve.rdma": "scripts",
		"session/core/coretest/session.go": "", "verbs/verbstest/mutate/suite.go": "",
		"session/export/runtime/peer.c": "",
	} {
		got := ""
		for _, g := range all {
			if slices.Contains(g.files, file) {
				got += g.name
			}
		}
		if _, err := os.Stat(file); got != want || err != nil && want != "" {
			t.Errorf("%s is in group %q, want %q; %v", file, got, want, err)
		}
	}
	all = slices.DeleteFunc(all, func(g *group) bool { return g.name == "devices" })
	if err := fill(t.Context(), all); err == nil || !strings.Contains(err.Error(), "no group holds devices/") {
		t.Errorf("without the group devices: %v", err)
	}
}

// TestParts checks that groups get mutants in proportion to their lines, and small ones at least leastPart.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		n     int
		lines []int
		want  []int
	}{
		{400, []int{300, 100}, []int{300, 100}},
		{400, []int{10, 29000, 1000}, []int{10, 377, 13}},
		{100, []int{1, 1, 998}, []int{10, 10, 80}},
		{3, []int{1, 1, 998}, []int{1, 1, 1}},
		{40, []int{7}, []int{40}},
	} {
		var among []*group
		for _, lines := range c.lines {
			among = append(among, &group{lines: lines})
		}
		shares := parts(c.n, among)
		for i, g := range among {
			if shares[g] != c.want[i] {
				t.Errorf("%d mutants for %d lines: group %d gets %d, want %d", c.n, c.lines, i, shares[g], c.want[i])
			}
		}
	}
}

// TestCodeLines checks that blank lines and comments do not count.
func TestCodeLines(t *testing.T) {
	if n := codeLines([]byte("// Package p\npackage p\n\n\t// why\n\tvar x = 1 // what\n}")); n != 3 {
		t.Errorf("%d lines, want 3", n)
	}
}

// TestFalseFacts checks which words of a text are changed, and how.
func TestFalseFacts(t *testing.T) {
	const names = "[SUCCESS] 0\n[LOC_LEN_ERR] 1\n[WORD]\n"
	next := map[string]string{}
	nextNames([]byte(names), next)
	changes := func(file, text string) (changes []string) {
		for _, m := range factsOf(file, []byte(text), next) {
			changes = append(changes,
				fmt.Sprintf("%d %s: %s = %s", m.line, m.function, m.change, m.changed([]byte(text))))
		}
		return changes
	}
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"a.txt", "# 7 things\nsource: IBA 9\n  and 8\n", nil},
		{"a.txt", "[LOC_LEN_ERR] 1", []string{
			"1 LOC_LEN_ERR: [[LOC_LEN_ERR -> SUCCESS]] 1 = [SUCCESS] 1",
			"1 LOC_LEN_ERR: [LOC_LEN_ERR] [1 -> 2] = [LOC_LEN_ERR] 2"}},
		{"a.txt", "source: IBA 9\nmeans: see poll(2), 9.7 and IBV_SUCCESS, a WORD of\n  40.", []string{
			"3 : [40 -> 41]. = source: IBA 9\nmeans: see poll(2), 9.7 and IBV_SUCCESS, a WORD of\n  41."}},
		{"a.rdma", "# clause: IBA 9\n# requester: SUCCESS\nwrite_mem src 5\n", []string{
			"2 : # requester: [SUCCESS -> LOC_LEN_ERR] = " +
				"# clause: IBA 9\n# requester: LOC_LEN_ERR\nwrite_mem src 5\n"}},
		{"a.rdma", "expect wc wr_id=7", []string{"1 : expect wc wr_id=[7 -> 8] = expect wc wr_id=8"}},
	} {
		if got := changes(c.file, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s %q:\n%q, want\n%q", c.file, c.text, got, c.want)
		}
	}
}

// TestTextTrial plants one false fact that the tests of a text's package notice, and one that they do not.
func TestTextTrial(t *testing.T) {
	t.Chdir(t.TempDir())
	const file, text = "words/words.txt", "[LOC_LEN_ERR] 1\n  How a work request ends.\n"
	if err := os.Mkdir("words", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"go.mod": "module " + modulePath + "\ngo 1.24\n", file: text,
		"words/words.go": "package words\nimport _ \"embed\"\n//go:embed words.txt\nvar text string\n",
		"words/words_test.go": `package words
import ("strings"; "testing")
func TestNumber(t *testing.T) { if !strings.Contains(text, "] 1\n") { t.Error(text) } }
func TestLength(t *testing.T) { if len(text) < 30 { t.Error(text) } }
`,
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plant := func(number int, from, to string) *mutant {
		start := strings.Index(text, from)
		return &mutant{number: number, group: &group{texts: true}, dir: "words", path: file,
			start: start, end: start + len(from), to: to}
	}
	mutants := []*mutant{
		plant(1, "[LOC_LEN_ERR] 1", "[LOC_LEN_ERR] 2"), plant(2, "How a work request", "How that request"),
	}
	dir := t.TempDir()
	list, err := overlay(dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	suites, err := listSuites(t.Context(), dir, list, []string{"./words"})
	if err != nil {
		t.Fatal(err)
	}
	failing, err := tryAll(t.Context(), dir, mutants, suites, 1)
	if err != nil || len(failing) != 0 || mutants[0].verdict != noticed || mutants[1].verdict != survived {
		t.Errorf("verdicts %d and %d, want %d and %d; %q fail without a change; %v", mutants[0].verdict,
			mutants[1].verdict, noticed, survived, failing, err)
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

// TestReport checks which results count, in a package, in a group and in all.
func TestReport(t *testing.T) {
	code, kernel := &group{name: "session"}, &group{name: "native", kernel: true}
	m := func(g *group, dir string, line int, v verdict) *mutant {
		return &mutant{group: g, dir: dir, path: dir + "/f.go", line: line, function: "f",
			change: fmt.Sprintf("a [< -> <=] %d", line), verdict: v}
	}
	results := []*mutant{
		m(code, "p", 1, noticed), m(code, "p", 2, hung), m(code, "p", 3, survived), m(code, "q", 4, unreached),
		m(code, "q", 5, survived),
		m(kernel, "n", 6, noticed), m(kernel, "n", 7, survived), m(kernel, "n", 8, unreached),
	}
	for _, c := range []struct {
		kernel bool
		want   []string
	}{
		{false, []string{
			"harmless q/f.go:5 f: a [< -> <=] 5 # because",
			"not reached on this machine n/f.go:8 f: a [< -> <=] 8",
			"survived p/f.go:3 f: a [< -> <=] 3",
			"survived q/f.go:4 f: a [< -> <=] 4 (no test reaches it)",
			"survived n/f.go:7 f: a [< -> <=] 7",
			"p 66.7 %: 2 of 3 noticed, 1 of them by hanging, 1 survived",
			"q 0.0 %: 0 of 1 noticed, 0 of them by hanging, 1 survived; 1 more harmless",
			"n 50.0 %: 1 of 2 noticed, 0 of them by hanging, 1 survived; 1 more not reached on this machine",
			"group native 50.0 %: 1 of 2 noticed, 0 of them by hanging, 1 survived; 1 more not reached on this machine",
			"group session 50.0 %: 2 of 4 noticed, 1 of them by hanging, 2 survived; 1 more harmless",
			"total 50.0 %: 3 of 6 noticed, 1 of them by hanging, 3 survived; 1 more harmless; " +
				"1 more not reached on this machine",
			"8 mutants, 2.0 s each",
		}},
		{true, []string{
			"survived n/f.go:8 f: a [< -> <=] 8 (no test reaches it)",
			"group native 33.3 %: 1 of 3 noticed, 0 of them by hanging, 2 survived",
			"total 42.9 %: 3 of 7 noticed, 1 of them by hanging, 4 survived; 1 more harmless",
		}},
	} {
		r := &report{known: map[string]string{"q/f.go f: a [< -> <=] 5": "because"}, kernel: c.kernel}
		for _, m := range results {
			r.add(m)
		}
		var b strings.Builder
		r.print(&b, 16*time.Second)
		var lines []string
		for line := range strings.Lines(b.String()) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		if !c.kernel && !slices.Equal(lines, c.want) {
			t.Errorf("report:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(c.want, "\n"))
		}
		for _, want := range c.want {
			if !slices.Contains(lines, want) {
				t.Errorf("with a kernel: %t: no line %q in\n%s", c.kernel, want, b.String())
			}
		}
	}
}
