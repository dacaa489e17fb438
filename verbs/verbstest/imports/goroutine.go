package imports

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"
)

// Goroutines records where a tree starts goroutines and which of its functions catch panics; Unguarded compares the
// two. The zero value is ready to use.
type Goroutines struct {
	starts []start
	// guarded holds for each function, by directory and name, whether it defers a call that catches panics. The type of
	// a method is ignored.
	guarded map[string]bool
}

type start struct {
	where   token.Position
	guarded bool
	calls   []string // functions that its statements call, by directory and name
}

// starters are functions that run their last argument in a new goroutine.
var starters = map[string]bool{"Go": true, "AfterFunc": true}

// Add examines one file; name is its path below the root.
func (g *Goroutines) Add(name string, fset *token.FileSet, file *ast.File) {
	if g.guarded == nil {
		g.guarded = map[string]bool{}
	}
	dir := path.Dir(name) + "."
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil && catches(n.Body) {
				g.guarded[dir+n.Name.Name] = true
			}
		case *ast.GoStmt:
			g.start(dir, fset, n.Pos(), n.Call.Fun)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && starters[sel.Sel.Name] && len(n.Args) > 0 {
				g.start(dir, fset, n.Pos(), n.Args[len(n.Args)-1])
			}
		}
		return true
	})
}

func (g *Goroutines) start(dir string, fset *token.FileSet, pos token.Pos, fn ast.Expr) {
	s := start{where: fset.Position(pos)}
	switch fn := fn.(type) {
	case *ast.FuncLit:
		s.guarded = catches(fn.Body)
		for _, statement := range fn.Body.List {
			if e, ok := statement.(*ast.ExprStmt); ok {
				if call, ok := e.X.(*ast.CallExpr); ok {
					s.calls = append(s.calls, dir+calledName(call.Fun))
				}
			}
		}
	default:
		s.calls = []string{dir + calledName(fn)}
	}
	g.starts = append(g.starts, s)
}

func calledName(fn ast.Expr) string {
	switch fn := fn.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		return fn.Sel.Name
	}
	return ""
}

// catches reports whether a statement of the body defers a call of a function named catch.
func catches(body *ast.BlockStmt) bool {
	for _, statement := range body.List {
		if d, ok := statement.(*ast.DeferStmt); ok && strings.EqualFold(calledName(d.Call.Fun), "catch") {
			return true
		}
	}
	return false
}

// Unguarded returns the goroutines whose panic would end the process without restoring the user's terminal: neither
// they nor a function that their statements call defer verbs.CrashHook.Catch.
func (g *Goroutines) Unguarded() (complaints []string) {
	for _, s := range g.starts {
		ok := s.guarded
		for _, name := range s.calls {
			ok = ok || g.guarded[name]
		}
		if !ok {
			complaints = append(complaints,
				fmt.Sprintf("%s: this goroutine does not defer Catch: its panic would leave the terminal raw", s.where))
		}
	}
	return complaints
}
