package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change of one file.
type mutant struct {
	group      *group
	path       string
	line       int
	function   string
	start, end int    // what is replaced, in bytes of the file
	to         string // by this
	text       []byte // the whole file as it is
}

// String tells the change as a person would look for it.
func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s", m.path, m.line, m.function, m.change())
}

// change is the line before and after, cut to what differs.
func (m *mutant) change() string {
	from := strings.Join(strings.Fields(string(m.text[m.start:m.end])), " ")
	if m.to == "" {
		return "without " + from
	}
	return from + " -> " + m.to
}

// changed is the file with the change.
func (m *mutant) changed() []byte {
	return slices.Concat(m.text[:m.start], []byte(m.to), m.text[m.end:])
}

// opposites are what an operator is replaced by.
var opposites = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.REM: token.QUO, token.AND: token.OR, token.OR: token.AND, token.AND_NOT: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN,
	token.AND_NOT_ASSIGN: token.OR_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// wordings are functions that make text for people; a change there is no behaviour that a test must hold.
var wordings = []string{"String", "Error", "describe", "wording"}

// locks are calls without which the tests would only hang.
var locks = []string{"Lock", "Unlock", "RLock", "RUnlock", "Catch", "catch", "Done", "Wait"}

// mutantsOf finds every change that can be made to a file.
func mutantsOf(path string, src []byte) (found []mutant, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || slices.Contains(wordings, fn.Name.Name) {
			continue
		}
		add := func(from, to token.Pos, by string) {
			found = append(found, mutant{path: path, line: fset.Position(from).Line, function: fn.Name.Name,
				start: offset(from), end: offset(to), to: by, text: src})
		}
		operator := func(at token.Pos, op token.Token) {
			if other, ok := opposites[op]; ok {
				add(at, at+token.Pos(len(op.String())), other.String())
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				operator(n.OpPos, n.Op)
			case *ast.IncDecStmt:
				operator(n.TokPos, n.Tok)
			case *ast.AssignStmt:
				operator(n.TokPos, n.Tok)
				if n.Tok == token.ASSIGN {
					add(n.Pos(), n.End(), "")
				}
			case *ast.IfStmt:
				add(n.Cond.Pos(), n.Cond.End(), "false && ("+string(src[offset(n.Cond.Pos()):offset(n.Cond.End())])+")")
				add(n.Cond.Pos(), n.Cond.End(), "true || ("+string(src[offset(n.Cond.Pos()):offset(n.Cond.End())])+")")
			case *ast.ExprStmt:
				if call, ok := n.X.(*ast.CallExpr); ok && !slices.Contains(locks, called(call)) {
					add(n.Pos(), n.End(), "")
				}
			case *ast.Ident:
				if by := map[string]string{"true": "false", "false": "true"}[n.Name]; by != "" {
					add(n.Pos(), n.End(), by)
				}
			case *ast.BasicLit:
				if value, err := strconv.ParseUint(n.Value, 0, 32); err == nil && n.Kind == token.INT {
					add(n.Pos(), n.End(), strconv.FormatUint(value+1, 10))
				}
			}
			return true
		})
	}
	return found, nil
}

// called is the name of what a call calls.
func called(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		return fn.Sel.Name
	}
	return ""
}
