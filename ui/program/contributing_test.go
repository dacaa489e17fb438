package program

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributing checks CONTRIBUTING.md against the tree. Words in backticks are paths below the module's root, each
// followed by names declared in it; other words in backticks, and indented code lines, may name packages, make targets
// and tests.
func TestContributing(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for paragraph := range strings.SplitSeq(string(page), "\n\n") {
		for item := range strings.SplitSeq(joinLines(paragraph), "\n") {
			n, complaints := checkItem(item)
			names += n
			for _, c := range complaints {
				t.Errorf("CONTRIBUTING.md: %s\n%s", c, item)
			}
		}
	}
	if names < 60 {
		t.Errorf("only %d names were found in CONTRIBUTING.md", names)
	}
}

// joinLines joins an item with its continuation lines, which begin with a letter, a backtick or two blanks.
func joinLines(paragraph string) string {
	return regexp.MustCompile("\n( {2,3})?([A-Za-z`(])").ReplaceAllString(paragraph, " $2")
}

var (
	quotedWord  = regexp.MustCompile("`([^`]+)`")
	pathWord    = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)*$`)
	identifier  = regexp.MustCompile(`^[A-Za-z]\w*$`)
	packageWord = regexp.MustCompile(`(?:^| )\./([\w/-]+)`)
	makeTarget  = regexp.MustCompile(`(?:^|[ ` + "`" + `])make ([a-z-]+)`)
	testName    = regexp.MustCompile(`\b(?:Test|Benchmark)[A-Z]\w+`)
)

// checkItem counts the names in a line and reports those that are wrong.
func checkItem(item string) (names int, complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	code := strings.HasPrefix(item, "    ")
	at := ""
	for _, m := range quotedWord.FindAllStringSubmatch(item, -1) {
		switch word := m[1]; {
		case code, strings.HasPrefix(word, "-"), strings.Contains(word, " "): // a command
		case at != "" && !strings.ContainsAny(word, "/.") && !isDir(word):
			names++
			if !isNamed(at, word) {
				complain("%s has no %s%s", at, word, elsewhere(word))
			}
		case pathWord.MatchString(word):
			names++
			at = word
			if _, err := os.Stat(filepath.Join(root, word)); err != nil {
				complain("there is no %s", word)
			}
		default:
			complain("%s is no path", word)
		}
	}
	for _, m := range packageWord.FindAllStringSubmatch(item, -1) {
		names++
		if !isDir(strings.TrimSuffix(m[1], "/")) {
			complain("there is no package %s", m[1])
		}
	}
	for _, m := range makeTarget.FindAllStringSubmatch(item, -1) {
		names++
		if text, _ := os.ReadFile(filepath.Join(root, "Makefile")); !strings.Contains(string(text), "\n"+m[1]+":") {
			complain("the Makefile has no %s", m[1])
		}
	}
	for _, name := range testName.FindAllString(item, -1) {
		names++
		if !isNamed("ui/program", name) {
			complain("ui/program has no %s", name)
		}
	}
	return names, complaints
}

func isDir(path string) bool {
	info, err := os.Stat(filepath.Join(root, path))
	return err == nil && info.IsDir()
}

// isNamed reports whether a file, or a file of a folder, declares a name; a file that is not Go must contain it.
func isNamed(path, name string) bool {
	path = filepath.Join(root, path)
	files := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(path, "*.go"))
	}
	for _, file := range files {
		if filepath.Ext(file) != ".go" {
			text, _ := os.ReadFile(file)
			if strings.Contains(string(text), name) {
				return true
			}
		} else if identifier.MatchString(name) && declares(file, name) {
			return true
		}
	}
	return false
}

// declares reports whether a Go file declares a function, method, type, constant or variable of that name.
func declares(file, name string) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	for _, decl := range parsed.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.Name == name {
						return true
					}
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						if n.Name == name {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// elsewhere lists the files that declare a missing name, to help correct the page.
func elsewhere(name string) string {
	var found []string
	_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") && declares(path, name) {
			below, _ := filepath.Rel(root, path)
			found = append(found, below)
		}
		return err
	})
	if len(found) == 0 {
		return ""
	}
	return "; it is declared in " + strings.Join(found, ", ")
}

// touched are the lists of files to touch, each with a pattern of what one that was touched for names, and the most
// files that may be.
var touched = []struct {
	section, named string
	most           int
}{
	{"a new opcode", `\w*AtomicWrite\w*`, 12},
	// Two of them for the short forms of librdmacm that stand for it.
	{"a new command", `RegMR`, 9},
	// One for what people look for there, by the palette.
	{"a new screen", `JournalScreen|screen\.Journal|journal\.New`, 7},
	{"a new tour", `firstWrite`, 2},
}

// TestListsOfContributing derives the lists from the tree: each file of the program that names the example must be in
// its list.
func TestListsOfContributing(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range touched {
		_, list, ok := strings.Cut(string(page), "\n## What must I touch for "+tt.section+"?\n")
		if list, _, _ = strings.Cut(list, "\n## "); !ok {
			t.Errorf("CONTRIBUTING.md does not say what %s touches", tt.section)
		}
		files := naming(t, regexp.MustCompile(`\b(`+tt.named+`)\b`))
		if len(files) == 0 || len(files) > tt.most {
			t.Errorf("%s touches %d files, at most %d: %q", tt.section, len(files), tt.most, files)
		}
		for _, file := range files {
			if !strings.Contains(list, "`"+file+"`") {
				t.Errorf("CONTRIBUTING.md: the list for %s lacks %s", tt.section, file)
			}
		}
	}
}

// naming returns the program's own Go files with a line of code that matches.
func naming(t *testing.T, pattern *regexp.Regexp) (files []string) {
	t.Helper()
	tests := regexp.MustCompile(`_test\.go$|^verbs/verbstest/|^ui/uitest/|^session/sessiontest/|^verbs/soft/softtest/`)
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		below, _ := filepath.Rel(root, path)
		if below = filepath.ToSlash(below); err != nil || filepath.Ext(path) != ".go" || tests.MatchString(below) {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.SplitSeq(string(text), "\n") {
			if code, _, _ := strings.Cut(line, "//"); pattern.MatchString(code) {
				files = append(files, below)
				break
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestContributingIsChecked checks pages with mistakes.
func TestContributingIsChecked(t *testing.T) {
	for item, wrong := range map[string]int{
		"- `main.go` `run` does it":                     0,
		"- `main.go` `runs` does it":                    1,
		"- `ui/nothing.go` is not there":                1,
		"- `ui/program` `TestContributing` in a folder": 0,
		"- `Makefile` `soak-screen`":                    0,
		"- `make nothing`":                              1,
		"    go test ./ui/nothing -run TestNothing":     2,
		"    go test ./ui/program -run TestManager":     0,
	} {
		if _, complaints := checkItem(item); len(complaints) != wrong {
			t.Errorf("%s: %q", item, complaints)
		}
	}
}
