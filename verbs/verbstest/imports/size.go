package imports

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// Largest package and type, not counting test files.
const (
	MaxPackageFiles = 35
	MaxPackageLines = 6000
	MaxMethods      = 60
)

// Sizes counts the files and lines of packages and the methods of types. The zero value is ready to use.
type Sizes struct {
	counts map[string]int // by name: "files of verbs"
}

// Names of the counts in [Sizes.TooLarge] and its ceilings.
func filesOf(dir string) string        { return "files of " + dir }
func linesOf(dir string) string        { return "lines of " + dir }
func methodsOf(dir, typ string) string { return "methods of " + dir + "." + typ }

func limitOf(subject string) (limit int) {
	switch kind, _, _ := strings.Cut(subject, " "); kind {
	case "files":
		return MaxPackageFiles
	case "lines":
		return MaxPackageLines
	}
	return MaxMethods
}

// Add counts one file; name is its path below the root.
func (s *Sizes) Add(name string, fset *token.FileSet, file *ast.File) {
	if strings.HasSuffix(name, "_test.go") {
		return
	}
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	dir := path.Dir(name)
	s.counts[filesOf(dir)]++
	s.counts[linesOf(dir)] += fset.File(file.FileStart).LineCount()
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
			s.counts[methodsOf(dir, receiver(fn))]++
		}
	}
}

// receiver returns the name of a method's type.
func receiver(fn *ast.FuncDecl) (name string) {
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// TooLarge returns the counts beyond their limit, or beyond their own ceiling if they have one, and the ceilings that
// are no longer needed.
func (s *Sizes) TooLarge(ceilings map[string]int) (complaints []string) {
	for _, subject := range slices.Sorted(maps.Keys(s.counts)) {
		n, limit := s.counts[subject], limitOf(subject)
		if ceiling := ceilings[subject]; n > max(limit, ceiling) {
			complaints = append(complaints,
				fmt.Sprintf("%s: %d, more than %d: split by concept", subject, n, max(limit, ceiling)))
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(ceilings)) {
		if s.counts[subject] <= limitOf(subject) {
			complaints = append(complaints, fmt.Sprintf("%s: %d, at most %d: take its ceiling out of the table",
				subject, s.counts[subject], limitOf(subject)))
		}
	}
	return complaints
}
