package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flows are what CONTRIBUTING.md says of the functions that something passes, with the number of them and of their
// packages.
var flows = []struct {
	is                  string
	functions, packages int
}{
	{"A packet becomes a completion", 16, 2},
	{"A line of `rdmatui run --json` becomes JSON", 13, 5},
	{"A packet of a capture becomes a request", 11, 3},
}

// TestFlows counts the functions of each flow, and checks that each names the next: that a story is told in few files
// is a fact that changes with each layer.
func TestFlows(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range flows {
		_, list, ok := strings.Cut(string(page), "\n- "+f.is)
		if !ok {
			t.Errorf("CONTRIBUTING.md does not tell how it comes about: %s", f.is)
		}
		list, _, _ = strings.Cut(list, ".\n")
		functions, packages := 0, map[string]bool{}
		for part := range strings.SplitSeq(list, ";") {
			file, before := "", [2]string{}
			for _, m := range quotedWord.FindAllStringSubmatch(part, -1) {
				if strings.Contains(m[1], "/") {
					file = m[1]
					continue
				}
				functions, packages[filepath.Dir(file)] = functions+1, true
				if before[0] != "" && !calls(t, before[0], before[1], m[1]) {
					t.Errorf("%s: %s of %s does not call %s", f.is, before[1], before[0], m[1])
				}
				before = [2]string{file, m[1]}
			}
		}
		if functions != f.functions || len(packages) != f.packages {
			t.Errorf("%s: %d functions in %d packages, want %d in %d", f.is, functions, len(packages), f.functions,
				f.packages)
		}
	}
}

// calls reports whether a function of a file names another.
func calls(t *testing.T, file, name, other string) (found bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				id, isName := n.(*ast.Ident)
				found = found || isName && id.Name == other
				return !found
			})
		}
	}
	return found
}
