package devices

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// torn is a machine whose files fail while they are read.
type torn struct{ *fakeOS }

func (torn) ReadFile(string, int) ([]byte, error) { return []byte("1"), syscall.EIO }

func TestAttributeIsWhole(t *testing.T) {
	if got := attribute(torn{plant(t, "rxe")}, "/sys/class/net/d0/mtu"); got != "" {
		t.Errorf("%q was read from a file that failed", got)
	}
}

// TestTree: missing files and non-directories are errors.
func TestTree(t *testing.T) {
	sys := plant(t, "rxe")
	if _, err := sys.ReadDir("/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
	if _, err := sys.ReadDir("/proc/modules"); err == nil {
		t.Error("a file was read as a directory")
	}
	if _, err := sys.ReadFile("/none", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	empty := "/empty"
	if err := os.Mkdir(sys.at(empty), 0o700); err != nil {
		t.Fatal(err)
	}
	if names, err := sys.ReadDir(empty); err != nil || len(names) != 0 {
		t.Errorf("an empty directory: %q, %v", names, err)
	}
}

// TestReadFileBounds: a file is read to its end or to the bound, also if one system call does not return all of it.
func TestReadFileBounds(t *testing.T) {
	sys := plant(t, "rxe")
	content := make([]byte, 50_000)
	for i := range content {
		content[i] = byte(i % 251)
	}
	sys.write(t, "/long", string(content))
	sys.write(t, "/void", "")
	for _, n := range []int{0, 1, 1<<14 - 1, 1 << 14, 1<<14 + 1, 1 << 15, len(content) - 1, len(content), 1 << 20} {
		if got, err := sys.ReadFile("/long", n); err != nil || !bytes.Equal(got, content[:min(n, len(content))]) {
			t.Errorf("%d of %d bytes, at most %d: %v", len(got), len(content), n, err)
		}
		if got, err := sys.ReadFile("/void", n); err != nil || len(got) != 0 {
			t.Errorf("%q of an empty file, at most %d bytes: %v", got, n, err)
		}
	}
	if got, err := sys.ReadFile("/proc", 100); !errors.Is(err, syscall.EISDIR) || len(got) != 0 {
		t.Errorf("%q of a directory: %v", got, err)
	}
}
