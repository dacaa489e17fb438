package imports

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// examine writes one file, lets Sources find it, and returns the complaints of a check.
func examine(t *testing.T, name, source string, check func(*token.FileSet, *ast.File) []string) (complaints []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	visited := 0
	err := Sources(dir, func(path string, fset *token.FileSet, file *ast.File) {
		visited++
		complaints = check(fset, file)
	})
	if err != nil || visited != 1 {
		t.Fatalf("%d files visited, %v", visited, err)
	}
	return complaints
}

func TestLengths(t *testing.T) {
	function := func(lines int) string {
		return "package p\n\nfunc f() {\n" + strings.Repeat("\tg()\n", lines-2) + "}\n"
	}
	table := "package p\n\nfunc f() {\n\t_ = []int{\n" + strings.Repeat("\t\t1,\n", 100) + "\t}\n}\n"
	hidden := "package p\n\nvar _ = 0\n\nfunc f() {\n\t_ = []func(){\n\t\tfunc() {\n" +
		strings.Repeat("\t\t\tg()\n", 100) + "\t\t},\n\t}\n}\n"
	file := func(lines int) string { return "package p\n" + strings.Repeat("var _ = 1\n", lines-2) + "var _ = 2" }
	for _, c := range []struct {
		what, name, source string
		want               int
	}{
		{"function at the limit", "a.go", function(MaxFunction), 0},
		{"function past the limit", "a.go", function(MaxFunction + 1), 1},
		{"test function past the limit", "a_test.go", function(MaxFunction + 1), 1},
		{"table inside a function", "a.go", table, 0},
		{"code inside a table", "a.go", hidden, 1},
		{"file at the limit", "a.go", file(MaxFile), 0},
		{"file past the limit", "a.go", file(MaxFile + 1), 1},
		{"table by name", "a_table.go", file(MaxFile + 1), 0},
		{"table by comment", "a.go", file(MaxFile+1) + "\n\n//rdmatui:table\n", 0},
	} {
		if got := examine(t, c.name, c.source, Lengths); len(got) != c.want {
			t.Errorf("%s: %d complaints %v, want %d", c.what, len(got), got, c.want)
		}
	}
}

func TestWidth(t *testing.T) {
	wide := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		what, line string
		want       int
	}{
		{"operands at the limit", "\t_ = a && " + wide(MaxWidth-13), 0},
		{"operands past the limit", "\t_ = a && " + wide(MaxWidth-12), 1},
		{"arguments", "\tf(a, " + wide(MaxWidth) + ")", 1},
		{"a comma at the end", "\tf(" + wide(MaxWidth) + ",", 0},
		{"nothing to break", "\tf(" + wide(MaxWidth) + ")", 0},
		{"a short literal", "\tf(a, \"" + wide(40) + "\", " + wide(80) + ")", 1},
		{"a long literal", "\tf(a, \"" + wide(MaxWidth) + "\")", 0},
		{"a raw string", "\t_ = f(a, `" + wide(MaxWidth) + "\n` + b)", 0},
		{"runes, not bytes", "\tf(a, \"" + strings.Repeat("é", 80) + "\")", 0},
		{"a comment", "// " + wide(60) + " " + wide(60), 1},
		{"a comment of one word", "// " + wide(MaxWidth), 0},
		{"a comment behind code", "\tf() // " + wide(60) + " " + wide(60), 1},
		{"preformatted text", "//\t" + wide(60) + " " + wide(60), 0},
		{"a directive", "//go:generate " + wide(60) + " " + wide(60), 0},
	} {
		if got := Width("p.go", []byte("package p\n"+c.line+"\n")); len(got) != c.want {
			t.Errorf("%s: %v, want %d complaints", c.what, got, c.want)
		}
	}
}

func TestUndocumented(t *testing.T) {
	for _, c := range []struct {
		source string
		want   int
	}{
		{"func F() {}", 1},
		{"// F does.\nfunc F() {}", 0},
		{"func f() {}", 0},
		{"type T int", 1},
		{"// T is.\ntype T int\n\nfunc (T) M() {}", 1},
		{"// T is.\ntype T[A any] int\n\nfunc (t *T[A]) M() {}", 1},
		{"type t[A any] int\n\nfunc (t *t[A]) M() {}", 1},
		{"type t[A any] int\n\n// M does.\nfunc (t *t[A]) M() {}", 0},
		{"// T is.\ntype T int\n\nfunc (T) String() string { return \"\" }", 1},
		{"const A = 1", 1},
		{"const (\n\tA = 1 // one\n\t// B is.\n\tB = 2\n\tC = 3\n\td = 4\n)", 1},
		{"// Letters.\nconst (\n\tA = 1\n\tB = 2\n)", 0},
		{"var A, B, c int", 2},
	} {
		if got := examine(t, "p.go", "package p\n\n"+c.source+"\n", Undocumented); len(got) != c.want {
			t.Errorf("%s\n%d complaints %v, want %d", c.source, len(got), got, c.want)
		}
	}
}
