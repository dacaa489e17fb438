package devices

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// ReadFile returns the first max bytes of a file. It makes the system calls itself: for an [os.File] of sysfs there are
// three times as many, since Go's poller takes it in, and a look at a device reads a hundred files.
func (t tree) ReadFile(path string, max int) ([]byte, error) {
	path = t.at(path)
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var all []byte
	room := make([]byte, min(max, 1<<14))
	for len(all) < max {
		n, err := syscall.Read(fd, room[:min(len(room), max-len(all))])
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return all, &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return all, nil
		}
		all = append(all, room[:n]...)
	}
	return all, nil
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
