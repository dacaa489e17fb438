// Package imports checks the structure of the source tree: which package may import which, how large a package, a type,
// a file or a function may be, and that exported identifiers are documented. Its tests check the whole module.
package imports

import (
	"fmt"
	"strings"
)

// Rule forbids edges of the import graph. An edge from a package that matches From, and not Except,
// to one that matches Ban, and not Allow, breaks the rule.
type Rule struct {
	From, Except []string
	Ban, Allow   []string
	Tests        bool // also in test files
	Why          string
}

// Violation is an edge that a rule forbids.
type Violation struct {
	From, To string
	InTest   bool
	Why      string
}

// String describes the violation in one line.
func (v Violation) String() string {
	where := ""
	if v.InTest {
		where = " in a test"
	}
	return fmt.Sprintf("%s must not import %s%s: %s", v.From, v.To, where, v.Why)
}

// Check returns the edges of the graph that the rules forbid, in the order of the packages.
func Check(graph []Package, rules []Rule) (violations []Violation) {
	for _, p := range graph {
		for _, r := range rules {
			violations = append(violations, r.check(p, p.Imports, false)...)
			if r.Tests {
				violations = append(violations, r.check(p, p.TestImports, true)...)
			}
		}
	}
	return violations
}

func (r Rule) check(p Package, imports []string, inTest bool) (violations []Violation) {
	if !p.matches(p.Path, r.From) || p.matches(p.Path, r.Except) {
		return nil
	}
	for _, to := range imports {
		if p.matches(to, r.Ban) && !p.matches(to, r.Allow) {
			violations = append(violations, Violation{p.Path, to, inTest, r.Why})
		}
	}
	return violations
}

// matches reports whether the path, seen from the package's module, matches one of the patterns.
func (p Package) matches(path string, patterns []string) bool {
	for _, pattern := range patterns {
		if p.match(path, pattern) {
			return true
		}
	}
	return false
}

func (p Package) match(path, pattern string) bool {
	ours := path == p.Module || strings.HasPrefix(path, p.Module+"/")
	// The first element of a standard library path contains no dot.
	first, _, _ := strings.Cut(path, "/")
	standard := !ours && !strings.Contains(first, ".")
	switch pattern {
	case "std":
		return standard
	case "foreign":
		return !ours && !standard
	case ".":
		return path == p.Module
	}
	if rest, relative := strings.CutPrefix(pattern, "./"); relative {
		pattern = p.Module + "/" + rest
	}
	if base, tree := strings.CutSuffix(pattern, "/..."); tree {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}
