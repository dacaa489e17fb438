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
	"rdmatui/verbs/verbstest/race"
)

// root is the module's root directory. Parsing all of the tree under the race detector takes long.
func root(t *testing.T) string {
	t.Helper()
	race.Needless(t)
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

// TestTreeWidth checks that lines fit beside each other on a screen.
func TestTreeWidth(t *testing.T) {
	dir := root(t)
	eachSource(t, func(path string, _ *token.FileSet, file *ast.File) []string {
		if ast.IsGenerated(file) {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return []string{err.Error()}
		}
		return imports.Width(path, src)
	})
}

// TestTreeSizes checks the size limits: a package with more files than fit on a screen, or a type with more methods, is
// several concepts.
func TestTreeSizes(t *testing.T) {
	var s imports.Sizes
	eachSource(t, func(path string, fset *token.FileSet, file *ast.File) []string {
		s.Add(path, fset, file)
		return nil
	})
	for _, complaint := range s.TooLarge(nil) {
		t.Error(complaint)
	}
}

// TestTreeTop checks that main.go is the only file in the module's root; tests of the whole program are in ui/program.
func TestTreeTop(t *testing.T) {
	eachSource(t, func(path string, _ *token.FileSet, _ *ast.File) []string {
		if path != "main.go" && !strings.Contains(path, "/") {
			return []string{path +
				" is beside main.go: move it into a package, or a test of the whole program into ui/program"}
		}
		return nil
	})
	if _, err := os.Stat(filepath.Join(root(t), "testdata")); err == nil {
		t.Error("testdata must be in a package's directory")
	}
}

// documented are the directories whose exported identifiers must have doc comments.
var documented = []string{"verbs/", "session/", "devices/", "ui/"}

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

// unguarded lists the goroutines of production code that need no guard, by file, with the reason.
var unguarded = map[string]string{
	"session/oob/dialogue.go":                      "only sets a deadline",
	"session/region/payload_file.go":               "only reads a file",
	"verbs/native/internal/dl/thread.go":           "only calls the host's library, whose faults no Go code can catch",
	"session/core/session.go":                      "only cancels a context",
	"verbs/native/internal/eventfile/eventfile.go": "only sets a deadline",
	"verbs/native/cm/addrinfo.go":                  "only calls the host's library, whose faults no Go code can catch",
	"verbs/soft/cm/inbox.go":                       "the manager's reader, which it calls through a field, catches",
	"ui/cli/input.go":                              "no screen is open",
	"ui/cli/run.go":                                "no screen is open",
	"ui/cli/wire.go":                               "no screen is open",
	"ui/cli/signal.go":                             "outlives the screen, and must not end with it",
}

func TestTreeGoroutines(t *testing.T) {
	var g imports.Goroutines
	eachSource(t, func(path string, fset *token.FileSet, file *ast.File) []string {
		if unguarded[path] == "" && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "test/") {
			g.Add(path, fset, file)
		}
		return nil
	})
	for _, complaint := range g.Unguarded() {
		t.Error(complaint)
	}
}

// eachSource reports the complaints of a check about each file, and fails if there are no files.
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
