package sequence

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Reader is a terminal of which only whole sequences and characters are read. One goroutine may read.
type Reader struct {
	*os.File
	assembler Assembler
	ready     []byte // of more than the caller had room for
}

// NewReader returns a reader of a terminal that is queried now.
func NewReader(f *os.File) *Reader {
	r := &Reader{File: f}
	r.assembler.Start(time.Now())
	return r
}

// Read implements io.Reader. It waits until the terminal can be read, and then for a moment if what has come may be
// the key Esc. It returns no bytes if only the begin of a sequence has come, so that whoever waits for the terminal
// can still be cancelled.
func (r *Reader) Read(p []byte) (n int, err error) {
	if len(r.ready) == 0 {
		if err := r.fill(p); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// fill reads what has come, and what follows while it may be a key of its own. room is overwritten.
func (r *Reader) fill(room []byte) error {
	a := &r.assembler
	for {
		n, err := r.File.Read(room[:min(len(room), max(1, len(room)-maxSequence-len(r.ready)))])
		if err != nil {
			return err
		}
		r.ready = append(r.ready, a.Take(time.Now(), room[:n])...)
		wait := a.Wait(time.Now())
		if wait == 0 {
			return nil
		}
		more, err := readable(int(r.Fd()), wait)
		if err != nil {
			return err
		}
		if !more {
			r.ready = append(r.ready, a.Expire(time.Now())...)
			return nil
		}
	}
}

// readable waits until a file can be read, for at most a time.
func readable(fd int, wait time.Duration) (bool, error) {
	for until := time.Now().Add(wait); ; {
		var set unix.FdSet
		set.Set(fd)
		left := unix.NsecToTimeval(max(0, time.Until(until)).Nanoseconds())
		n, err := unix.Select(fd+1, &set, nil, nil, &left)
		if !errors.Is(err, unix.EINTR) {
			return n > 0, err
		}
	}
}
