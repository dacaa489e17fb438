package region

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"rdmatui/session/core"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// MaxFile bounds what is read of a file, in bytes.
const MaxFile = 64 << 20

// BytesArg is the data of an argument: its own, or that of the file it names, of
// which there may be up to limit bytes.
func BytesArg(c *core.Call, name string, limit uint64) ([]byte, error) {
	path, ok := c.Cmd.FilePath(name)
	if !ok {
		return c.Cmd.Bytes(name), nil
	}
	return readPayload(c.Ctx, path, min(limit, MaxFile))
}

// readPayload reads a whole file. It refuses a pipe or device, which may never
// end or begin, and ends with ctx's error when ctx ends: some regular files make
// a reader wait, as /proc/kmsg does.
func readPayload(ctx context.Context, path string, limit uint64) ([]byte, error) {
	return orDone(ctx, func() ([]byte, error) {
		f, size, err := openPayload(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		defer context.AfterFunc(ctx, func() { f.Close() })() // ends most reads that wait
		return readUpTo(f, path, uint64(size), limit)
	})
}

// orDone carries out what may wait and cannot be cancelled. If ctx ends first it
// returns ctx's error, and leaves the work behind.
func orDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		got T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		got, err := work()
		done <- outcome{got, err}
	}()
	select {
	case o := <-done:
		if ctx.Err() == nil || o.err == nil {
			return o.got, o.err
		}
	case <-ctx.Done():
	}
	var none T
	return none, ctx.Err()
}

// readUpTo reads all of a file that says it has size bytes: some have more.
func readUpTo(f io.Reader, path string, size, limit uint64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%s has %s, but there is room for only %s", path, format.Counted(size, "byte"),
			format.Count(limit))
	}
	need := 2 * size // ReadAll's buffer grows
	if err := memory.OfProcess().Take(need); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	defer memory.OfProcess().Give(need)
	p, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && uint64(len(p)) > limit {
		return nil, fmt.Errorf("%s has more than %s", path, format.Counted(limit, "byte"))
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
		err = fmt.Errorf("%s is not a regular file", path)
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
