package imports

import (
	"fmt"
	"go/ast"
	"go/token"
)

// Undocumented returns the exported identifiers of a file that have no doc comment, including exported methods of
// unexported types. The constants and variables of a group may share one comment, or have one each at the end of the
// line.
func Undocumented(fset *token.FileSet, file *ast.File) (complaints []string) {
	complain := func(name *ast.Ident) {
		complaints = append(complaints,
			fmt.Sprintf("%s: exported %s has no doc comment", fset.Position(name.Pos()), name.Name))
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.IsExported() && decl.Doc == nil {
				complain(decl.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				undocumentedSpec(spec, decl.Doc != nil, complain)
			}
		}
	}
	return complaints
}

func undocumentedSpec(spec ast.Spec, group bool, complain func(*ast.Ident)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && spec.Doc == nil && spec.Comment == nil && !group {
			complain(spec.Name)
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && spec.Doc == nil && spec.Comment == nil && !group {
				complain(name)
			}
		}
	}
}
