// Package eventfile waits on the descriptors on which C libraries announce events. The
// caller knows the events and how to take them.
package eventfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/verbs"
)

// File waits for one of the C library's event descriptors. It first blocks the caller's
// own thread for a moment, which an event ends soonest, and then waits with Go's poller,
// so that a long wait needs no thread.
type File struct {
	// events is a duplicate: the library closes its own descriptor, File closes this one, and
	// neither can close a number that was reused for another file.
	events int
	file   *os.File // what Go's poller watches: readable if events is, while watch lets it
	raw    syscall.RawConn
	turn   chan struct{} // one waiter at a time, because there is only one deadline
	closed atomic.Bool
}

// Open duplicates fd and makes it non-blocking. That setting belongs to the open file,
// so the library's reads from its own descriptor do not block either.
func Open(fd int32, name string) (*File, error) {
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate the descriptor of %s: %w", name, err)
	}
	watcher, err := newWatcher(dup)
	if err != nil {
		_ = syscall.Close(dup)
		return nil, fmt.Errorf("poll %s: %w", name, err)
	}
	e := &File{events: dup, file: os.NewFile(uintptr(watcher), name), turn: make(chan struct{}, 1)}
	if err := e.file.SetReadDeadline(time.Time{}); err != nil {
		e.Close()
		return nil, fmt.Errorf("poll %s: %w", name, err)
	}
	if e.raw, err = e.file.SyscallConn(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

const (
	// holdLimit is how long a wait keeps its thread and the processor of Go's scheduler.
	holdLimit = time.Millisecond
	// blockLimit is how long a wait keeps its thread. That it is cancelled is not noticed meanwhile.
	blockLimit = 20 * time.Millisecond
)

// Wait calls try whenever there is something to read, until it returns anything but
// EAGAIN. If ctx ends first, Wait returns its error and try has taken nothing.
func (e *File) Wait(ctx context.Context, try func() error) error {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.turn }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.block(ctx) {
		if err := try(); !errors.Is(err, syscall.EAGAIN) {
			return err
		}
	}
	return e.park(ctx, try)
}

// block blocks the thread until there is something to read, and reports whether there is.
// The goroutine keeps the thread, so it runs again once the kernel has woken that, without a
// turn of the scheduler.
func (e *File) block(ctx context.Context) (readable bool) {
	limit := blockLimit
	if end, ok := ctx.Deadline(); ok {
		limit = max(0, min(limit, time.Until(end)))
	}
	const unit = time.Millisecond
	_ = e.raw.Control(func(uintptr) { // keeps events open; fails only if closed
		fds := [1]unix.PollFd{{Fd: int32(e.events), Events: unix.POLLIN}}
		if limit >= holdLimit && hold(&fds, holdLimit) {
			readable = true
			return
		}
		n, err := unix.Poll(fds[:], int((limit+unit-1)/unit))
		readable = n > 0 && err == nil
	})
	return readable
}

var (
	// holding counts the waits that keep a processor of Go's scheduler.
	holding atomic.Int32
	// releases is how many waits do not keep the only processor, since one kept it in vain.
	releases atomic.Int32
)

// afterVain is how many waits release the only processor after one has kept it in vain: on average they lose 10 us.
const afterVain = int32(holdLimit / (10 * time.Microsecond))

// hold is poll(2) without notifying the scheduler, and reports whether there is something to
// read. Otherwise the scheduler's monitor wakes often to look, and may give the processor to
// another thread; where the processors are few, both run in place of the peer that the wait
// is for. At least one processor runs the other goroutines meanwhile; if there is only one, they have run before the
// wait. A garbage collection interrupts the wait.
func hold(fds *[1]unix.PollFd, limit time.Duration) (readable bool) {
	defer holding.Add(-1)
	processors := runtime.GOMAXPROCS(0)
	if int(holding.Add(1)) < processors {
		return rawPoll(fds, limit)
	}
	if processors > 1 || releases.Add(-1) >= 0 {
		return false
	}
	runtime.Gosched() // one of them may cause the event
	readable = rawPoll(fds, limit)
	releases.Store(0)
	if !readable {
		releases.Store(afterVain)
	}
	return readable
}

// park is the part of Wait that needs no thread.
func (e *File) park(ctx context.Context, try func() error) error {
	if err := e.change(watch); err != nil {
		return err
	}
	defer e.change(unwatch) // fails only if closed
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = e.file.SetReadDeadline(time.Unix(1, 0)) // fails only if closed, which also ends the wait
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
		// Nudge set the deadline, unless ctx has ended. Reset it before checking ctx, so that
		// an end in between is not lost.
		_ = e.file.SetReadDeadline(time.Time{})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// change calls watch or unwatch.
func (e *File) change(way func(watcher, events int) error) (result error) {
	if err := e.raw.Control(func(watcher uintptr) { result = way(int(watcher), e.events) }); err != nil {
		return verbs.ErrClosed
	}
	return result
}

// Nudge makes a waiter try again, for events that the poller does not report.
func (e *File) Nudge() { _ = e.file.SetReadDeadline(time.Unix(1, 0)) }

// Close ends every wait.
func (e *File) Close() {
	e.closed.Store(true)
	if e.file.Close() == nil { // it waits until nobody uses events
		_ = syscall.Close(e.events)
	}
}
