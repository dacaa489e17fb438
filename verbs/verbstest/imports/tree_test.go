package imports_test

import (
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/verbs/verbstest/imports"
)

// root is the module's root directory.
func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	path := strings.TrimSpace(string(out))
	if err != nil || path == "" || path == os.DevNull {
		t.Fatalf("go env GOMOD: %q, %v", path, err)
	}
	return filepath.Dir(path)
}

func TestTreeImports(t *testing.T) {
	seen := map[imports.Violation]bool{}
	for _, goos := range []string{"linux", "darwin"} {
		graph, err := imports.Load(root(t), goos)
		if err != nil {
			t.Fatal(err)
		}
		if len(graph) < 2 {
			t.Fatalf("%d packages in the tree: %v", len(graph), graph)
		}
		for _, v := range imports.Check(graph, imports.Rules) {
			if !seen[v] {
				t.Error(v)
			}
			seen[v] = true
		}
	}
}

func TestTreeLengths(t *testing.T) {
	eachSource(t, func(_ string, fset *token.FileSet, file *ast.File) []string {
		return imports.Lengths(fset, file)
	})
}

// documented are the directories whose exported identifiers are what other people program against.
var documented = []string{"verbs/", "session/", "devices/"}

func TestTreeDocs(t *testing.T) {
	eachSource(t, func(path string, fset *token.FileSet, file *ast.File) []string {
		if strings.HasSuffix(path, "_test.go") || file.Name.Name == "main" {
			return nil
		}
		for _, dir := range documented {
			if strings.HasPrefix(path, dir) {
				return imports.Undocumented(fset, file)
			}
		}
		return nil
	})
}

// eachSource reports what a check says of each file, and fails where there was none to look at.
func eachSource(t *testing.T, check func(string, *token.FileSet, *ast.File) []string) {
	t.Helper()
	files := 0
	err := imports.Sources(root(t), func(path string, fset *token.FileSet, file *ast.File) {
		files++
		for _, complaint := range check(path, fset, file) {
			t.Error(complaint)
		}
	})
	if err != nil {
		t.Error(err)
	}
	if files == 0 {
		t.Error("no source files found")
	}
}
