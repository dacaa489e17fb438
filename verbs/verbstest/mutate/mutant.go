package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change of one expression or statement.
type mutant struct {
	number     int // from 1; selects the mutant in a running test
	group      *group
	dir        string // of its package
	path       string
	line       int
	function   string
	start, end int    // the replaced bytes of the file
	to         string // the replacement
	kind       string // the type of an expression; empty for a statement
	change     string // the line, with the change in brackets
	verdict    verdict
}

// String describes the change by file, line, function and code.
func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s", m.path, m.line, m.function, m.change)
}

// changed returns the file with only this change.
func (m *mutant) changed(text []byte) []byte {
	return slices.Concat(text[:m.start], []byte(m.to), text[m.end:])
}

// opposites maps each operator to its replacement.
var opposites = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ,
	token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO, token.AND: token.OR, token.OR: token.AND,
	token.AND_NOT: token.AND, token.SHL: token.SHR, token.SHR: token.SHL, token.ADD_ASSIGN: token.SUB_ASSIGN,
	token.SUB_ASSIGN: token.ADD_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN,
	token.AND_NOT_ASSIGN: token.OR_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// wordings are functions that produce text for people, which tests need not check.
var wordings = []string{"String", "Error", "describe", "wording"}

// locks are calls without which the tests would only hang.
var locks = []string{"Lock", "Unlock", "RLock", "RUnlock", "Catch", "catch", "Done", "Wait"}

// finder collects the mutants of one file.
type finder struct {
	*source
	path     string
	function string
	found    []mutant
}

// mutantsOf finds every change that can be made to a file.
func (s *source) mutantsOf(path string) []mutant {
	f := &finder{source: s, path: path}
	for _, decl := range s.files[path].Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || slices.Contains(wordings, fn.Name.Name) {
			continue
		}
		f.function = fn.Name.Name
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			f.statements(n)
			f.expression(n)
			return true
		})
	}
	return f.found
}

// statements finds changes of the statements in a list. It keeps those in the head of an if or a for: without them a
// test would only hang.
func (f *finder) statements(n ast.Node) {
	var list []ast.Stmt
	switch n := n.(type) {
	case *ast.BlockStmt:
		list = n.List
	case *ast.CaseClause:
		list = n.Body
	case *ast.CommClause:
		list = n.Body
	}
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			f.operator(s, s.TokPos, s.Tok, "")
		case *ast.AssignStmt:
			f.operator(s, s.TokPos, s.Tok, "")
			if s.Tok == token.ASSIGN {
				f.add(s, "", "", s.Pos(), s.Pos(), "without ")
			}
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && !slices.Contains(locks, called(call)) {
				f.add(s, "", "", s.Pos(), s.Pos(), "without ")
			}
		}
	}
}

func (f *finder) expression(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.operator(n, n.OpPos, n.Op, f.kind(n))
	case *ast.IfStmt:
		for _, by := range []string{"false && ", "true || "} {
			f.add(n.Cond, by+"("+f.between(n.Cond.Pos(), n.Cond.End())+")", f.kind(n.Cond), n.Cond.Pos(),
				n.Cond.Pos(), by)
		}
	case *ast.Ident:
		if by := map[string]string{"true": "false", "false": "true"}[n.Name]; by != "" {
			f.replace(n, by)
		}
	case *ast.BasicLit:
		if value, err := strconv.ParseUint(n.Value, 0, 32); err == nil && n.Kind == token.INT {
			f.replace(n, strconv.FormatUint(value+1, 10))
		}
	}
}

func (f *finder) replace(n ast.Expr, by string) {
	f.add(n, by, f.kind(n), n.Pos(), n.End(), f.between(n.Pos(), n.End())+" -> "+by)
}

// operator replaces an operator inside n by its opposite.
func (f *finder) operator(n ast.Node, at token.Pos, op token.Token, kind string) {
	other, ok := opposites[op]
	if !ok {
		return
	}
	end := at + token.Pos(len(op.String()))
	f.add(n, f.between(n.Pos(), at)+other.String()+f.between(end, n.End()), kind, at, end,
		op.String()+" -> "+other.String())
}

// add records a replacement of n; from, to and mark describe the change within the line.
func (f *finder) add(n ast.Node, by, kind string, from, to token.Pos, mark string) {
	line := f.fset.Position(from).Line
	file := f.fset.File(from)
	last := token.Pos(file.Base() + file.Size())
	if line < file.LineCount() {
		last = file.LineStart(line + 1)
	}
	change := f.between(file.LineStart(line), from) + "[" + mark + "]" + f.between(to, max(to, last))
	f.found = append(f.found,
		mutant{dir: f.dir, path: f.path, line: line, function: f.function, start: f.offset(n.Pos()),
			end: f.offset(n.End()), to: by, kind: kind, change: strings.Join(strings.Fields(change), " ")})
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) between(from, to token.Pos) string {
	return string(f.text[f.path][f.offset(from):f.offset(to)])
}

// kind returns the type of an expression as it is written in its file.
func (f *finder) kind(e ast.Expr) string {
	t := f.info.TypeOf(e)
	if t == nil {
		return ""
	}
	return types.TypeString(types.Default(t), func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		for _, spec := range f.files[f.path].Imports {
			if quoted := strconv.Quote(p.Path()); spec.Path.Value == quoted && spec.Name != nil {
				return spec.Name.Name
			}
		}
		return p.Name()
	})
}

// called returns the name of the called function.
func called(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		return fn.Sel.Name
	}
	return ""
}
