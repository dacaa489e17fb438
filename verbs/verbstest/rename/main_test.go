package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sample is a module whose packages are named in all ways that a tree has. The marks stand for the module's path.
var sample = map[string]string{
	"go.mod": "module @\n\ngo 1.24\n",
	"main.go": `package main

import (
	"fmt"

	other "@/a/b"
	"@/z"
)

const modulePath = "@"

// program is rdmatui itself, with rdmatui/config in its folder; package @/a/b has the number.
const program = "rdmatui"

func main() {
	fmt.Println(program, modulePath, "@/", "@/z.(*T).Name", "~/.config/rdmatui/z", other.B, z.Z)
}
`,
	"a/b/b.go": "package b\n\nconst B = 1\n",
	"z/z.go":   "package z\n\nimport \"@/a/b\"\n\nconst Z = b.B\n",
	"page.md":  "Package @/z; https://example.com/rdmatui/z and rdmatui/y are others.\n",
}

// write writes the sample under a module's path to an empty folder.
func write(t *testing.T, module string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range sample {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "@", module)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checkSame compares all files of the sample.
func checkSame(t *testing.T, got, want string) {
	t.Helper()
	for name := range sample {
		g, err := os.ReadFile(filepath.Join(got, name))
		if err != nil {
			t.Fatal(err)
		}
		if w, err := os.ReadFile(filepath.Join(want, name)); err != nil || string(g) != string(w) {
			t.Errorf("%s: %v\n%s\nwant:\n%s", name, err, g, w)
		}
	}
}

// TestRename: the renamed module has the new path in each place, passes go vet, and can be renamed back.
func TestRename(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	const published = "github.com/OWNER/rdmatui"
	dir := write(t, "rdmatui")
	if err := rename(dir, published); err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, write(t, published))
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = dir
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	if err := rename(dir, "rdmatui"); err != nil {
		t.Fatal(err)
	}
	checkSame(t, dir, write(t, "rdmatui"))
}

// TestRenameRefuses: a path that Go does not take changes nothing.
func TestRenameRefuses(t *testing.T) {
	dir := write(t, "rdmatui")
	for _, module := range []string{"", "github.com/OWNER/rdma tui", "/rdmatui", "github.com//rdmatui"} {
		if err := rename(dir, module); err == nil {
			t.Errorf("%q is taken", module)
		}
	}
	checkSame(t, dir, write(t, "rdmatui"))
}
