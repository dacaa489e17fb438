package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// needs lists, by feature and package, the tests that call for a machine. It reads the tests instead of running them,
// so that the machines can begin at once. A test that it misses is skipped on the host and then reported as not run.
type needs map[feature]map[string][]string

// testPackage is what `go list -json` tells of a package.
type testPackage struct {
	Dir, ImportPath           string
	TestGoFiles, XTestGoFiles []string
	TestImports, XTestImports []string
}

const machinePackage = modulePath + "/verbs/verbstest/vm"

// packages lists the packages with such tests.
func (n needs) packages() (all []string) {
	for _, tests := range n {
		all = slices.AppendSeq(all, maps.Keys(tests))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// findNeeds reads the tests of every package that can ask for a machine, and keeps those that a pattern matches.
func (r *run) findNeeds(pattern string) (needs, error) {
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	found := needs{}
	return found, r.eachTestPackage(func(p testPackage) error {
		if !slices.Contains(slices.Concat(p.TestImports, p.XTestImports), machinePackage) {
			return nil
		}
		return found.read(p, chosen)
	})
}

// eachTestPackage calls do for every package of the module.
func (r *run) eachTestPackage(do func(testPackage) error) error {
	const fields = "Dir,ImportPath,TestGoFiles,XTestGoFiles,TestImports,XTestImports"
	out, err := goTool("list", "-e", "-json="+fields, "./...").stdout(r)
	if err != nil {
		return err
	}
	for list := json.NewDecoder(strings.NewReader(out)); ; {
		var p testPackage
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(p); err != nil {
			return err
		}
	}
}

// read adds the chosen tests of a package.
func (n needs) read(p testPackage, chosen *regexp.Regexp) error {
	calls, err := p.calls()
	if err != nil {
		return err
	}
	for _, test := range slices.Sorted(maps.Keys(calls)) {
		if !testName.MatchString(test) || !chosen.MatchString(test) {
			continue
		}
		for function, f := range askedBy {
			if calls.reach(test, function, map[string]bool{}) {
				if n[f] == nil {
					n[f] = map[string][]string{}
				}
				n[f][p.ImportPath] = append(n[f][p.ImportPath], test)
			}
		}
	}
	return nil
}

// calls reads the package's tests.
func (p testPackage) calls() (callGraph, error) {
	calls := callGraph{}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		calls.add(file)
	}
	return calls, nil
}

var (
	testName = regexp.MustCompile(`^Test[^a-z]`)
	fuzzName = regexp.MustCompile(`^Fuzz[^a-z]`)
)

// askedBy maps the functions of the package vmtest to the feature for which a test calls them.
var askedBy = map[string]feature{"vmtest.Need": {}, "vmtest.NeedSIW": siw, "vmtest.NeedPair": pair}

// callGraph maps each function, method and variable of a package's tests to the names that it mentions. Methods of
// the same name count as one.
type callGraph map[string][]string

func (c callGraph) add(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.mention(d.Name.Name, d.Body)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						c.mention(name.Name, v)
					}
				}
			}
		}
	}
}

// mention adds the names in a piece of code to those of its owner; a name of the packages vmtest and race has the
// package's before it.
func (c callGraph) mention(owner string, code ast.Node) {
	c[owner] = append(c[owner], "") // also if it mentions nothing
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && (pkg.Name == "vmtest" || pkg.Name == "race") {
				c[owner] = append(c[owner], pkg.Name+"."+n.Sel.Name)
				return false
			}
		case *ast.Ident:
			c[owner] = append(c[owner], n.Name)
		}
		return true
	})
}

// reach reports whether the code of from leads to a function.
func (c callGraph) reach(from, function string, seen map[string]bool) bool {
	if from == function {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(c[from], func(next string) bool { return c.reach(next, function, seen) })
}
