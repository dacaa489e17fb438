package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"rdmatui/session/command"
)

// maxPayloadFile bounds what is read of a file, in bytes.
const maxPayloadFile = 64 << 20

// bytesArg is the data of an argument: its own, or that of the file it names, of
// which there may be up to limit bytes.
func bytesArg(cmd command.Command, name string, limit uint64) ([]byte, error) {
	path, ok := cmd.FilePath(name)
	if !ok {
		return cmd.Bytes(name), nil
	}
	return readPayload(path, min(limit, maxPayloadFile))
}

// readPayload reads a whole file. It does not wait for one that may never end or
// begin, as a pipe or device.
func readPayload(path string, limit uint64) ([]byte, error) {
	f, size, err := openPayload(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if uint64(size) > limit {
		return nil, fmt.Errorf("%s has %d bytes, and there is room for %d", path, size, limit)
	}
	p, err := io.ReadAll(io.LimitReader(f, int64(limit)+1)) // some files have more than they tell
	if err == nil && uint64(len(p)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return p, err
}

// PayloadFile tells how many bytes a file has that file:PATH names, or why it
// cannot be read.
func PayloadFile(path string) (size int64, err error) {
	f, size, err := openPayload(path)
	if err != nil {
		return 0, err
	}
	return size, f.Close()
}

func openPayload(path string) (f *os.File, size int64, err error) {
	// Opening a pipe would wait for its writer.
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, plainPathError(path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = plainPathError(path, err)
	case info.IsDir():
		err = fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file", path)
	default:
		return f, info.Size(), nil
	}
	return nil, 0, errors.Join(err, f.Close())
}

// plainPathError leaves out which call failed: it was the reading.
func plainPathError(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", path, p.Err)
	}
	return err
}
