package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// source is one package's code with its types, which show whether a change compiles.
type source struct {
	dir     string
	name    string // of the package
	fset    *token.FileSet
	text    map[string][]byte // by path from the module's root
	files   map[string]*ast.File
	stubs   map[string]*ast.File // the same files without function bodies
	exports types.Importer
	pkg     *types.Package
	info    *types.Info
}

// listed is what the go command prints of packages, line by line.
func listed(ctx context.Context, format string, args ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "-f", format}, args...)...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("go list: %w: %s", err, failed.Stderr)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), err
}

// load reads the package in a directory of the module.
func load(ctx context.Context, dir string) (*source, error) {
	names, err := listed(ctx, `{{.Name}}{{range .GoFiles}}{{"\n"}}{{.}}{{end}}`, "./"+dir)
	if err != nil {
		return nil, err
	}
	exports, err := listed(ctx, `{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}`,
		append([]string{"-export", "-deps", "./" + dir}, helperImports...)...)
	if err != nil {
		return nil, err
	}
	s := &source{
		dir: dir, name: names[0], fset: token.NewFileSet(), text: map[string][]byte{},
		files: map[string]*ast.File{}, stubs: map[string]*ast.File{},
	}
	for _, name := range names[1:] {
		file := path.Join(dir, name)
		if s.text[file], err = os.ReadFile(file); err != nil {
			return nil, err
		}
		if s.files[file], err = s.parse(file, s.text[file]); err != nil {
			return nil, err
		}
		s.stubs[file] = stub(s.files[file])
	}
	where := map[string]string{}
	for _, line := range exports {
		pkg, file, _ := strings.Cut(line, "=")
		where[pkg] = file
	}
	s.exports = importer.ForCompiler(s.fset, "gc", func(pkg string) (io.ReadCloser, error) {
		return os.Open(where[pkg])
	})
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: s.exports}
	s.pkg, err = config.Check(s.dir, s.fset, ordered(s.files), s.info)
	return s, err
}

func (s *source) parse(path string, text []byte) (*ast.File, error) {
	return parser.ParseFile(s.fset, path, text, parser.SkipObjectResolution)
}

// stub returns a copy of a file without function bodies.
func stub(file *ast.File) *ast.File {
	short := *file
	short.Decls = slices.Clone(file.Decls)
	for i, decl := range short.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			without := *fn
			without.Body = nil
			short.Decls[i] = &without
		}
	}
	return &short
}

// paths returns the paths of the package's files in order.
func (s *source) paths() []string { return slices.Sorted(maps.Keys(s.files)) }

func ordered(files map[string]*ast.File) (list []*ast.File) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		list = append(list, files[path])
	}
	return list
}

// compiles reports whether a mutant compiles, both in place of the code and beside it, there together with others: one
// may give a constant that contains it another type.
func (s *source) compiles(m *mutant, others []*mutant) bool {
	together := []*mutant{m}
	for _, o := range others {
		if o.path == m.path {
			together = append(together, o)
		}
	}
	helper, err := s.parse(helperName, s.helper(1))
	if err != nil {
		return false
	}
	for _, text := range [][]byte{m.changed(s.text[m.path]), beside(s.text[m.path], together)} {
		file, err := s.parse(m.path, text)
		if err != nil {
			return false
		}
		files := maps.Clone(s.stubs)
		files[m.path], files[helperName] = file, helper
		ok := true
		config := types.Config{Importer: s.exports, Error: func(err error) {
			// The stubs have unused imports.
			if at := (types.Error{}); errors.As(err, &at) && s.fset.Position(at.Pos).Filename == m.path {
				ok = false
			}
		}}
		config.Check(s.dir, s.fset, ordered(files), nil) // its first error is passed to config.Error as well
		if !ok {
			return false
		}
	}
	return true
}
