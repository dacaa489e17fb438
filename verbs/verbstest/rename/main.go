// Rename gives the module another path, as its publication does: in go.mod, in all imports, and wherever else a text
// names one of its packages.
//
//	go run ./verbs/verbstest/rename github.com/OWNER/rdmatui
//
// Run it in the module's root. It prints nothing; git diff shows what it changed. Running it again with the former path
// changes everything back.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rename MODULE, such as github.com/OWNER/rdmatui")
		os.Exit(2)
	}
	if err := rename(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

// rename gives the module in a folder another path. The go command checks the path before anything is changed.
func rename(root, module string) error {
	former, err := goCommand(root, "list", "-m")
	if err != nil {
		return err
	}
	if _, err := goCommand(root, "mod", "edit", "-module="+module); err != nil {
		return err
	}
	files, packages, err := read(root)
	if err != nil {
		return err
	}
	old := regexp.QuoteMeta(former)
	r := renamer{module: module, packages: packages,
		pattern: regexp.MustCompile(`(^|[^\w./-])` + old + `(/[\w/-]*"?)|(modulePath = ")` + old + `(")`)}
	for _, name := range files {
		if err := r.file(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	return nil
}

func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %s", strings.Join(args, " "), bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// read lists the files of a module and its folders with Go files, both as paths below root.
func read(root string) (files []string, packages map[string]bool, err error) {
	packages = map[string]bool{}
	tree := os.DirFS(root)
	err = fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git" || name == "dist":
			return fs.SkipDir
		case !e.Type().IsRegular() || path.Base(name) == "go.mod":
			return nil
		case path.Ext(name) == ".go":
			packages[path.Dir(name)] = true
		}
		files = append(files, name)
		return nil
	})
	return files, packages, err
}

// renamer replaces one module path by another.
type renamer struct {
	module   string
	packages map[string]bool
	// pattern finds the former path, unless it is part of a longer one, before a folder or a slash, and as the constant
	// modulePath. Elsewhere the program of the same name is meant.
	pattern *regexp.Regexp
}

// file rewrites a file that names the module. A Go file is formatted again, since imports are sorted by their paths.
func (r renamer) file(name string) error {
	former, err := os.ReadFile(name)
	if err != nil || !utf8.Valid(former) {
		return err
	}
	text := r.pattern.ReplaceAllFunc(former, r.match)
	if bytes.Equal(text, former) {
		return nil
	}
	if filepath.Ext(name) == ".go" {
		if text, err = format.Source(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return os.WriteFile(name, text, 0o644)
}

// match returns what replaces one match: itself if it names no package, as a file of settings does.
func (r renamer) match(found []byte) []byte {
	m := r.pattern.FindSubmatch(found)
	before, after := string(m[1])+string(m[3]), string(m[2])+string(m[4])
	if dir := strings.Trim(after, `/"`); !r.packages[dir] && !strings.HasSuffix(after, `"`) {
		return found
	}
	return []byte(before + r.module + after)
}
