package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Package is a node of the import graph; its edges are import paths.
type Package struct {
	Module      string // path of the module
	Path        string
	Dir         string
	Name        string
	Imports     []string
	TestImports []string // of its test files, including the external test package
}

// Load asks the go command for the packages of the module in dir, as they are on one platform.
func Load(dir, goos string) ([]Package, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Name,Module,Imports,TestImports,XTestImports",
		"./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, complaints.String())
	}
	return decode(strings.NewReader(string(out)))
}

func decode(list io.Reader) (graph []Package, err error) {
	decoder := json.NewDecoder(list)
	for {
		var p struct {
			ImportPath, Dir, Name              string
			Module                             *struct{ Path string }
			Imports, TestImports, XTestImports []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return graph, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil {
			return nil, fmt.Errorf("go list: %s is in no module", p.ImportPath)
		}
		graph = append(graph, Package{
			Module: p.Module.Path, Path: p.ImportPath, Dir: p.Dir, Name: p.Name,
			Imports: p.Imports, TestImports: append(p.TestImports, p.XTestImports...),
		})
	}
}
