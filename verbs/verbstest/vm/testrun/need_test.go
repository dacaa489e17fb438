package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// TestReadNeeds checks that tests are found that ask for a machine themselves, through functions, methods and tables.
func TestReadNeeds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": `package a
func TestPlain(t *testing.T) { vmtest.Need(t) }
func TestHost(t *testing.T) { t.Log("vmtest.Need") }
func TestThrough(t *testing.T) { t.Run("one", func(t *testing.T) { helper(t) }) }
func TestMethod(t *testing.T) { side{}.open(t) }
func TestTable(t *testing.T) { for _, row := range rows { row(t) } }
func TestBoth(t *testing.T) { vmtest.NeedPair(t); helper(t) }
func Testament(t *testing.T) { vmtest.Need(t) }
func BenchmarkPlain(b *testing.B) { vmtest.Need(b) }
func FuzzTwo(f *testing.F) {}
func FuzzOne(f *testing.F) {}
func Fuzzy() {}
`,
		"b_test.go": `package a
func helper(t *testing.T) { helper(t); vmtest.Need(t) }
func (side) open(t *testing.T) { vmtest.NeedSIW(t) }
var rows = []func(*testing.T){func(t *testing.T) { vmtest.NeedPair(t) }}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := testPackage{
		Dir: dir, ImportPath: "m/a", TestGoFiles: []string{"a_test.go"}, XTestGoFiles: []string{"b_test.go"},
	}
	if got, err := p.targets(); err != nil || !slices.Equal(got, []string{"FuzzOne", "FuzzTwo"}) {
		t.Errorf("fuzz targets %v, %v", got, err)
	}
	for pattern, want := range map[string]needs{
		"": {
			{}:   {"m/a": {"TestBoth", "TestPlain", "TestThrough"}},
			siw:  {"m/a": {"TestMethod"}},
			pair: {"m/a": {"TestBoth", "TestTable"}},
		},
		"^TestT": {{}: {"m/a": {"TestThrough"}}, pair: {"m/a": {"TestTable"}}},
	} {
		got := needs{}
		if err := got.read(p, regexp.MustCompile(pattern)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v; want %v", pattern, got, err, want)
		}
	}
}

// TestReadSampled checks that tests are found that the race detector shortens, also through a variable.
func TestReadSampled(t *testing.T) {
	dir := t.TempDir()
	const text = `package a
var sizes = race.Sample([]int{1, 2}, 1)
func TestWhole(t *testing.T) { if race.Enabled { t.Log() } }
func TestThrough(t *testing.T) { t.Log(sizes) }
func TestFew(t *testing.T) { race.Fewer(2, 1) }
func TestAlone(t *testing.T) { race.Needless(t) }
func helper(t *testing.T) { race.Needless(t) }
`
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := testPackage{Dir: dir, ImportPath: "m/a", TestGoFiles: []string{"a_test.go"}}
	for imports, want := range map[string][]string{
		racePackage: {"-run=^(TestAlone|TestFew|TestThrough)$", "m/a"},
		"fmt":       {"-run=^()$"},
	} {
		var s sampled
		p.TestImports = []string{imports}
		if err := s.read(p); err != nil || !slices.Equal(s.args(), want) {
			t.Errorf("imports %s: %q, %v; want %q", imports, s.args(), err, want)
		}
	}
}
