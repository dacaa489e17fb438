package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/verbs"
)

// eventFile waits for one of the C library's event descriptors with Go's own
// poller, so that waiting takes no thread. It is a duplicate: the library closes
// its own descriptor, this one is closed here, and neither can hit a number that
// has been given to another file meanwhile.
type eventFile struct {
	file   *os.File
	raw    syscall.RawConn
	turn   chan struct{} // one waiter at a time: there is only one deadline
	closed atomic.Bool
}

// openEventFile duplicates fd and makes it non-blocking. That setting belongs to
// the open file, so the library's reads from its own descriptor do not block
// either.
func openEventFile(fd int32, name string) (*eventFile, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate the descriptor of %s: %w", name, err)
	}
	if err := syscall.SetNonblock(dup, true); err != nil {
		_ = syscall.Close(dup)
		return nil, fmt.Errorf("make %s non-blocking: %w", name, err)
	}
	e := &eventFile{file: os.NewFile(uintptr(dup), name), turn: make(chan struct{}, 1)}
	if err := e.file.SetReadDeadline(time.Time{}); err != nil {
		e.close()
		return nil, fmt.Errorf("poll %s: %w", name, err)
	}
	if e.raw, err = e.file.SyscallConn(); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// wait calls try until it returns anything but EAGAIN, each time when there is
// something to read. When ctx ends first, wait returns its error and try has
// taken nothing.
func (e *eventFile) wait(ctx context.Context, try func() error) error {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.turn }()

	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = e.file.SetReadDeadline(time.Unix(1, 0)) // fails only if closed, which ends the wait as well
		close(interrupted)
	})
	defer func() {
		if !stop() {
			<-interrupted
			_ = e.file.SetReadDeadline(time.Time{})
		}
	}()

	for {
		var result error
		err := e.raw.Read(func(uintptr) bool {
			result = try()
			return !errors.Is(result, syscall.EAGAIN)
		})
		switch {
		case err == nil:
			return result
		case e.closed.Load():
			return verbs.ErrClosed
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
		// It was nudge, unless ctx has ended. In this order, so that an end in
		// between is not lost.
		_ = e.file.SetReadDeadline(time.Time{})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// nudge lets who waits look again, for events that come without a word to the
// poller.
func (e *eventFile) nudge() { _ = e.file.SetReadDeadline(time.Unix(1, 0)) }

// close ends every wait.
func (e *eventFile) close() {
	e.closed.Store(true)
	_ = e.file.Close()
}
