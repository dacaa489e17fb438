package devices

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Bounds on what is read from the kernel.
const (
	maxText    = 256  // bytes of one attribute or name
	maxEntries = 4096 // names of one directory
)

// tree is the file part of an OS, below a root directory, so that tests can use a tree
// of their own.
type tree struct{ root string }

func (t tree) at(path string) string { return filepath.Join(t.root, filepath.Clean("/"+path)) }

// ReadFile returns the first max bytes of a file.
func (t tree) ReadFile(path string, max int) ([]byte, error) {
	f, err := os.Open(t.at(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(max)))
}

// ReadDir returns the names in a directory, sorted; maxEntries of them at most.
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

// Resolve follows all symbolic links of a path; the result is relative to the root.
func (t tree) Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(t.at(path))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(t.root, real)
	return filepath.Join("/", rel), err
}

// Access returns why a file cannot be opened for reading and writing; nil if it can.
func (t tree) Access(path string) error {
	f, err := os.OpenFile(t.at(path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// attribute reads a one-line file such as those in sysfs; "" if it cannot be read, which
// in sysfs means either that the attribute is not set or that it does not exist.
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

// linkBase returns the last element of a symbolic link's target, "" if there is none.
func linkBase(sys OS, path string) string {
	real, err := sys.Resolve(path)
	if err != nil {
		return ""
	}
	return cutText(filepath.Base(real))
}
