package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Problem is what is wrong with a file.
type Problem struct {
	File string
	Line int // from 1; 0: the file as a whole
	Err  error
}

// Error returns "FILE:LINE: why", or "FILE: why" for the file as a whole.
func (p *Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", p.File, p.Line, p.Err)
	}
	return fmt.Sprintf("%s: %v", p.File, p.Err)
}

// Unwrap returns the underlying error.
func (p *Problem) Unwrap() error { return p.Err }

// problem wraps err with the file's name, once; nil for nil.
func problem(file string, err error) error {
	var there *Problem
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &there):
		return err
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &Problem{File: file, Err: err}
}

// read returns the end of a file, at most limit bytes, and whether that is the whole
// file. A missing file is empty. Anything but a regular file is refused before it is
// opened: opening a FIFO would wait for a writer.
func read(file string, limit int64) (text []byte, whole bool, err error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, true, nil
	case err != nil:
		return nil, false, problem(file, err)
	case !info.Mode().IsRegular():
		return nil, false, problem(file, errors.New("this is not a regular file"))
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, problem(file, err)
	}
	defer f.Close()
	from := max(info.Size()-limit, 0)
	text, err = io.ReadAll(io.NewSectionReader(f, from, limit))
	return text, from == 0, problem(file, err)
}

// write replaces a file in one step: readers see the old text or the new one, and a
// full disk leaves the old one. A symbolic link stays: its target is replaced.
func write(file string, text []byte) error {
	if to, err := filepath.EvalSymlinks(file); err == nil {
		file = to
	}
	if err := makeFolder(filepath.Dir(file)); err != nil {
		return problem(file, err)
	}
	return problem(file, replace(file, text))
}

func replace(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.new") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
