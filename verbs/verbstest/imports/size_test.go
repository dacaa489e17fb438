package imports

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestSizes(t *testing.T) {
	add := func(s *Sizes, name, source string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(name, fset, file)
	}
	files := func(n int, suffix string) (s Sizes) {
		for i := range n {
			add(&s, fmt.Sprintf("a/b/f%d%s.go", i, suffix), "package b\n")
		}
		return s
	}
	lines := func(n int) (s Sizes) {
		add(&s, "a/b/f.go", "package b\n"+strings.Repeat("\n", n-1))
		return s
	}
	methods := func(n int, receiver string) (s Sizes) {
		for i := range n {
			add(&s, fmt.Sprintf("a/b/f%d.go", i%2), fmt.Sprintf("package b\n\nfunc (%s) m%d() {}\n", receiver, i))
		}
		s.counts[filesOf("a/b")] = 2
		return s
	}
	for _, c := range []struct {
		what     string
		sizes    Sizes
		ceilings map[string]int
		want     string
	}{
		{"files at the limit", files(MaxPackageFiles, ""), nil, ""},
		{"files past the limit", files(MaxPackageFiles+1, ""), nil, "files of a/b: 36"},
		{"test files", files(MaxPackageFiles+1, "_test"), nil, ""},
		{"lines at the limit", lines(MaxPackageLines), nil, ""},
		{"lines past the limit", lines(MaxPackageLines + 1), nil, "lines of a/b: 6001"},
		{"methods at the limit", methods(MaxMethods, "t *T"), nil, ""},
		{"methods past the limit", methods(MaxMethods+1, "t *T"), nil, "methods of a/b.T: 61"},
		{"methods by value", methods(MaxMethods+1, "T"), nil, "methods of a/b.T: 61"},
		{"methods of a generic type", methods(MaxMethods+1, "t *T[A, B]"), nil, "methods of a/b.T: 61"},
		{"at its ceiling", files(40, ""), map[string]int{"files of a/b": 40}, ""},
		{"past its ceiling", files(41, ""), map[string]int{"files of a/b": 40}, "files of a/b: 41, more than 40"},
		{"a ceiling of another", files(36, ""), map[string]int{"files of a": 40}, "files of a/b: 36"},
		{"a ceiling that nothing needs", files(35, ""), map[string]int{"files of a/b": 40}, "take its ceiling out"},
	} {
		got := strings.Join(c.sizes.TooLarge(c.ceilings), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
