package devices

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Bounds on what is taken from the kernel, whatever it offers.
const (
	maxText    = 256  // bytes of one attribute or name
	maxEntries = 4096 // names of one directory
)

// tree is the file part of an OS, below a root directory so that tests can
// stand on a tree of their own.
type tree struct{ root string }

func (t tree) at(path string) string { return filepath.Join(t.root, filepath.Clean("/"+path)) }

func (t tree) ReadFile(path string, max int) ([]byte, error) {
	f, err := os.Open(t.at(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(max)))
}

func (t tree) ReadDir(path string) ([]string, error) {
	f, err := os.Open(t.at(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(maxEntries)
	if err == io.EOF {
		err = nil
	}
	return sortedText(names), err
}

func (t tree) Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(t.at(path))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(t.root, real)
	return filepath.Join("/", rel), err
}

func (t tree) Access(path string) error {
	f, err := os.OpenFile(t.at(path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// attribute reads a one-line file such as those of sysfs; "" if it cannot be
// read, which sysfs answers for "not set" as well as for "no such thing".
func attribute(sys OS, path string) string {
	b, err := sys.ReadFile(path, maxText)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(b), "\x00\r\n \t")
}

func exists(sys OS, path string) bool {
	_, err := sys.Resolve(path)
	return err == nil
}

// linkBase returns the last part of where a symbolic link leads, "" if nowhere.
func linkBase(sys OS, path string) string {
	real, err := sys.Resolve(path)
	if err != nil {
		return ""
	}
	return cutText(filepath.Base(real))
}
