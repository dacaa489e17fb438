package imports

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// Longest file and function, in lines.
const (
	MaxFile     = 500
	MaxFunction = 80
)

// tableMark in a comment, or this suffix of a name, marks a file as a data table, which may be long.
const (
	tableMark   = "//rdmatui:table"
	tableSuffix = "_table.go"
)

// Lengths returns the complaints about a file and its functions that are too long.
func Lengths(fset *token.FileSet, file *ast.File) (complaints []string) {
	where := fset.File(file.FileStart)
	if isTable(where.Name(), file) {
		return nil
	}
	if n := where.LineCount(); n > MaxFile {
		complaints = append(complaints,
			fmt.Sprintf("%s: %d lines, more than %d: split it by concept, or mark a data table with %s",
				where.Name(), n, MaxFile, tableMark))
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if n := codeLines(fset, fn); n > MaxFunction {
			complaints = append(complaints, fmt.Sprintf("%s: function %s has %d lines, more than %d",
				fset.Position(fn.Pos()), fn.Name.Name, n, MaxFunction))
		}
	}
	return complaints
}

func isTable(name string, file *ast.File) bool {
	if strings.HasSuffix(name, tableSuffix) {
		return true
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, tableMark) {
				return true
			}
		}
	}
	return false
}

// codeLines counts a function's lines without those inside literals such as the cases of a table
// test. Functions inside such a literal count again: they are code.
func codeLines(fset *token.FileSet, fn *ast.FuncDecl) (n int) {
	line := func(pos token.Pos) int { return fset.Position(pos).Line }
	first, last := line(fn.Type.Func), line(fn.End())
	code := make([]bool, last-first+1)
	mark := func(from, to int, value bool) {
		for l := from; l <= to; l++ {
			code[l-first] = value
		}
	}
	mark(first, last, true)
	// Inspect visits the outer node first, so the innermost literal decides.
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		switch lit := node.(type) {
		case *ast.CompositeLit:
			mark(line(lit.Lbrace)+1, line(lit.Rbrace)-1, false)
		case *ast.FuncLit:
			mark(line(lit.Pos()), line(lit.End()), true)
		}
		return true
	})
	for _, isCode := range code {
		if isCode {
			n++
		}
	}
	return n
}
