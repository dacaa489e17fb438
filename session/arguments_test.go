package session

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session/command"
)

// source is what the package's functions call and which arguments of a command they name.
type source struct {
	fset     *token.FileSet
	calls    map[string][]string        // of each function, names that occur in it
	names    map[string][]*ast.BasicLit // of each function, the arguments that it names
	handlers map[string]map[string]bool // by function: the commands that it carries out
}

// getters are the methods that take an argument's name first.
func getters() map[string]bool {
	all := map[string]bool{"ObjectArg": true, "ArgAs": true, "Choose": true, "bytesArg": true}
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
	s := &source{token.NewFileSet(), map[string][]string{}, map[string][]*ast.BasicLit{}, map[string]map[string]bool{}}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	get := getters()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.fset, e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				s.read(fn.Name.Name, fn.Body, get)
			} else {
				s.readTable(d)
			}
		}
	}
	return s
}

// read takes note of what a function names.
func (s *source) read(name string, body ast.Node, get map[string]bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			s.calls[name] = append(s.calls[name], n.Name)
		case *ast.CallExpr:
			if called, of := calledName(n.Fun); get[called] && ofCommand(of, called) {
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

// calledName is a function's name and what it is called on, "" for nothing.
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

// ofCommand tells the getters of a command from other functions of their names, such as strings.Fields.
func ofCommand(of, called string) bool {
	switch called {
	case "ObjectArg", "ArgAs", "Choose", "bytesArg":
		return true
	}
	return strings.EqualFold(of, "cmd")
}

// readTable takes note of the handlers in a table.
func (s *source) readTable(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		row, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isText := row.Key.(*ast.BasicLit)
		handler, isName := row.Value.(*ast.Ident)
		if isText && isName {
			if name, err := strconv.Unquote(key.Value); err == nil && command.Find(name) != nil {
				s.carriesOut(handler.Name, name)
			}
		}
		return true
	})
}

func (s *source) carriesOut(function, name string) {
	if s.handlers[function] == nil {
		s.handlers[function] = map[string]bool{}
	}
	s.handlers[function][name] = true
}

// reached is, of each function, the commands whose handlers come to it.
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
				for _, called := range s.calls[f] {
					if s.calls[called] != nil && s.handlers[called] == nil {
						open = append(open, called)
					}
				}
			}
		}
	}
	return reached
}

// TestHandlersNameArguments holds the names of arguments in handlers, and in what handlers call, against the
// table of commands: a misspelt name would read as an argument that is not given.
func TestHandlersNameArguments(t *testing.T) {
	s := readSource(t)
	for i := range command.Commands {
		if spec := &command.Commands[i]; spec.Group == "close" {
			s.carriesOut("closeObject", spec.Name)
		}
	}
	for _, inner := range []string{"post_send", "post_recv", "post_srq_recv", "bind_mw"} { // lines of a chain
		s.carriesOut("chain", inner)
	}
	reached, checked := s.reached(), 0
	for function, names := range s.names {
		for _, lit := range names {
			name, _ := strconv.Unquote(lit.Value)
			takes := func(spec *command.Spec) bool { return spec.Arg(name) != nil }
			commands := reached[function]
			known := slices.ContainsFunc(command.Commands, func(spec command.Spec) bool {
				return (len(commands) == 0 || commands[spec.Name]) && takes(&spec)
			})
			if checked++; !known {
				t.Errorf("%s: %s: no command that comes here has an argument %q", s.fset.Position(lit.Pos()), function, name)
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d names were found", checked)
	}
}
