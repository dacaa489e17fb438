package core

import (
	"bufio"
	"errors"
	"os"
	"syscall"
)

// File is a new file that is being written. Writes are buffered; their errors come
// out of Finish.
type File struct {
	*bufio.Writer
	file *os.File
	Path string
}

// CreateFile makes a file that only its owner may read: what a session writes has
// keys and payload in it. It leaves one alone that is there, and fails then.
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

// Close writes what is buffered and closes the file. It returns the first error.
func (f *File) Close() error { return FirstError(f.Flush(), f.file.Close()) }

// Finish is Close. Where that fails, or the writing had failed, it removes the file,
// so that it is not taken for whole and the name is free for another try.
func (f *File) Finish(failed error) error {
	err := FirstError(failed, f.Close())
	if err != nil {
		return FirstError(err, os.Remove(f.Path))
	}
	return nil
}

// FirstError is the first error: those after it mostly say the same.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// fileThere says of EEXIST what to do.
type fileThere struct{ path string }

// Error names the existing file.
func (e fileThere) Error() string { return e.path + " already exists; choose another name" }

// Unwrap returns EEXIST.
func (e fileThere) Unwrap() error { return syscall.EEXIST }
