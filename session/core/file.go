package core

import (
	"bufio"
	"cmp"
	"errors"
	"os"
	"syscall"
)

// File is a new file that is being written. Writes are buffered; Finish returns their
// errors.
type File struct {
	*bufio.Writer
	file *os.File
	Path string
}

// CreateFile creates a file that only its owner can read: a session's files contain
// keys and payload. It fails if the file exists.
func CreateFile(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fileThere{path}
	case err != nil:
		return nil, err
	}
	return &File{bufio.NewWriterSize(f, 1<<16), f, path}, nil
}

// Close writes what is buffered and closes the file. It returns the first error: a later one mostly repeats it.
func (f *File) Close() error { return cmp.Or(f.Flush(), f.file.Close()) }

// Finish closes the file. If that or an earlier write failed, it removes the file, so
// that nobody takes it for complete and the name can be used again.
func (f *File) Finish(failed error) error {
	err := cmp.Or(failed, f.Close())
	if err != nil {
		return cmp.Or(err, os.Remove(f.Path))
	}
	return nil
}

// fileThere is EEXIST with advice.
type fileThere struct{ path string }

// Error names the existing file.
func (e fileThere) Error() string { return e.path + " already exists; choose another name" }

// Unwrap returns EEXIST.
func (e fileThere) Unwrap() error { return syscall.EEXIST }
