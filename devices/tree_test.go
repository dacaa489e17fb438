package devices

import (
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
