package imports

import (
	"go/ast"
	"go/token"
	"testing"
)

func TestUnguarded(t *testing.T) {
	const catching = "\nfunc caught() { defer hook.Catch() }\n"
	for _, c := range []struct {
		source string
		want   int
	}{
		{"func f() { go g() }", 1},
		{"func f() { go caught() }", 0},
		{"func f() { go x.caught() }", 0},
		{"func f() { go func() { g() }() }", 1},
		{"func f() { go func() { defer x.hook.Catch(); g() }() }", 0},
		{"func f() { go func() { g(); caught() }() }", 0},
		{"func f() { go func() { if y { defer x.hook.Catch() } }() }", 1},
		{"func f() { wg.Go(g) }", 1},
		{"func f() { time.AfterFunc(d, func() { defer guard.catch() }) }", 0},
		{"func f() { time.AfterFunc(d, func() {}) }", 1},
		{"func f() { g() }", 0},
	} {
		var g Goroutines
		examine(t, "a.go", "package p\n"+c.source+catching, func(fset *token.FileSet, file *ast.File) []string {
			g.Add("a.go", fset, file)
			return nil
		})
		if got := g.Unguarded(); len(got) != c.want {
			t.Errorf("%s: %d complaints %v, want %d", c.source, len(got), got, c.want)
		}
	}
}
