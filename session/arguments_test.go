package session

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/verbs/verbstest/race"
)

// source maps the functions of the session's packages to the functions that they call and the command arguments that
// they name. Functions are identified by package and name: post.chain.
type source struct {
	fset     *token.FileSet
	getters  map[string]bool            // functions whose parameter is an argument's name
	named    map[string][]string        // functions by bare name
	calls    map[string][]string        // by function: bare names that it refers to
	names    map[string][]*ast.BasicLit // by function: the arguments that it names
	handlers map[string]map[string]bool // by function: the commands that it runs or translates
}

// getters returns the methods of a command whose first parameter is an argument's name, and similar functions of core.
func getters() map[string]bool {
	all := map[string]bool{"ObjectArg": true, "ArgAs": true, "Choose": true, "BytesArg": true}
	t := reflect.TypeFor[command.Command]()
	for i := range t.NumMethod() {
		if m := t.Method(i); m.Type.NumIn() > 1 && m.Type.In(1).Kind() == reflect.String {
			all[m.Name] = true
		}
	}
	delete(all, "Parse")
	return all
}

func readSource(t *testing.T) *source {
	t.Helper()
	s := &source{token.NewFileSet(), map[string]bool{}, map[string][]string{}, map[string][]string{},
		map[string][]*ast.BasicLit{}, map[string]map[string]bool{}}
	var files []*ast.File
	for _, pattern := range []string{"*.go", "*/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(s.fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	of := getters()
	for _, file := range files {
		eachFunction(file, s.declare)
	}
	for _, file := range files {
		eachFunction(file, func(name string, fn *ast.FuncDecl) { s.read(name, fn.Body, of) })
	}
	s.readRows(t)
	return s
}

func eachFunction(file *ast.File, do func(name string, fn *ast.FuncDecl)) {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			do(file.Name.Name+"."+fn.Name.Name, fn)
		}
	}
}

// declare records a function, and whether its parameter arg is an argument's name.
func (s *source) declare(name string, fn *ast.FuncDecl) {
	s.named[fn.Name.Name] = append(s.named[fn.Name.Name], name)
	for _, field := range fn.Type.Params.List {
		for _, param := range field.Names {
			s.getters[name] = s.getters[name] || param.Name == "arg"
		}
	}
}

// called returns the functions that a bare name in a function may refer to: those of its package, and exported ones of
// other packages.
func (s *source) called(from, name string) []string {
	of, _, _ := strings.Cut(from, ".")
	return slices.DeleteFunc(slices.Clone(s.named[name]), func(f string) bool {
		return !ast.IsExported(name) && !strings.HasPrefix(f, of+".")
	})
}

// read records which arguments a function names.
func (s *source) read(name string, body ast.Node, of map[string]bool) {
	pkg, _, _ := strings.Cut(name, ".")
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			s.calls[name] = append(s.calls[name], n.Name)
		case *ast.CallExpr:
			if called, on := calledName(n.Fun); of[called] && ofCommand(on, called) || s.getters[pkg+"."+called] {
				for _, arg := range n.Args[:min(2, len(n.Args))] {
					if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						s.names[name] = append(s.names[name], lit)
						break
					}
				}
			}
		}
		return true
	})
}

// calledName returns a function's name and its receiver or package, "" if there is none.
func calledName(fun ast.Expr) (name, of string) {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name, ""
	case *ast.IndexExpr:
		return calledName(fun.X)
	case *ast.SelectorExpr:
		switch x := fun.X.(type) {
		case *ast.Ident:
			of = x.Name
		case *ast.SelectorExpr:
			of = x.Sel.Name
		}
		return fun.Sel.Name, of
	}
	return "", ""
}

// ofCommand distinguishes the getters of a command from other functions with the same names, such as strings.Fields.
func ofCommand(of, called string) bool {
	switch called {
	case "ObjectArg", "ArgAs", "Choose", "BytesArg":
		return true
	}
	return strings.EqualFold(of, "cmd") || strings.EqualFold(of, "full")
}

// readRows records which functions the rows of the table refer to.
func (s *source) readRows(t *testing.T) {
	t.Helper()
	file, err := parser.ParseFile(s.fset, "table.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		lit, ok := node.(*ast.CompositeLit)
		if !ok || lit.Type != nil {
			return true
		}
		for _, cell := range lit.Elts[1:] {
			if of, ok := cell.(*ast.SelectorExpr); ok {
				s.carriesOut(of.X.(*ast.Ident).Name+"."+of.Sel.Name, rows[n].Spec.Name)
			} else if of, ok := cell.(*ast.Ident); ok {
				s.carriesOut("session."+of.Name, rows[n].Spec.Name)
			}
		}
		n++
		return false
	})
	if n != len(rows) {
		t.Fatalf("read %d of %d rows", n, len(rows))
	}
}

func (s *source) carriesOut(function, name string) {
	if s.handlers[function] == nil {
		s.handlers[function] = map[string]bool{}
	}
	s.handlers[function][name] = true
}

// reached returns, for each function, the commands whose handlers call it, directly or not.
func (s *source) reached() map[string]map[string]bool {
	reached := map[string]map[string]bool{}
	for function, commands := range s.handlers {
		for name := range commands {
			open := []string{function}
			for len(open) > 0 {
				f := open[len(open)-1]
				open = open[:len(open)-1]
				if reached[f] == nil {
					reached[f] = map[string]bool{}
				}
				if reached[f][name] {
					continue
				}
				reached[f][name] = true
				for _, name := range s.calls[f] {
					for _, called := range s.called(f, name) {
						if s.handlers[called] == nil {
							open = append(open, called)
						}
					}
				}
			}
		}
	}
	return reached
}

// TestHandlersNameArguments checks the argument names in handlers, translations and the functions that they call
// against the table of commands: a misspelt name would read as an argument that is not given.
func TestHandlersNameArguments(t *testing.T) {
	race.Needless(t)
	s := readSource(t)
	for _, inner := range []string{"post_send", "post_recv", "post_srq_recv", "bind_mw"} { // lines of a chain
		s.carriesOut("post.Chain", inner)
		s.carriesOut("export.Chain", inner)
	}
	for _, inner := range []string{"rdma_create_id", "rdma_create_qp"} { // lines of an endpoint
		s.carriesOut("export.enterParts", inner)
	}
	reached, checked := s.reached(), 0
	for function, names := range s.names {
		for _, lit := range names {
			name, _ := strconv.Unquote(lit.Value)
			takes := func(spec *command.Spec) bool { return spec.Arg(name) != nil }
			commands := reached[function]
			known := slices.ContainsFunc(command.Commands, func(spec *command.Spec) bool {
				return (len(commands) == 0 || commands[spec.Name]) && takes(spec)
			})
			if checked++; !known {
				t.Errorf("%s: %s: no command that calls it has an argument %q", s.fset.Position(lit.Pos()),
					function, name)
			}
		}
	}
	if checked < 600 {
		t.Errorf("found only %d names", checked)
	}
}
