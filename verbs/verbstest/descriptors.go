//go:build unix

package verbstest

import (
	"syscall"
	"testing"
)

// Descriptors limits the files that the process can still open, so that a test can make every call fail that opens one.
// Tests that use it must not run in parallel with others.
type Descriptors struct {
	t      testing.TB
	filler []int // open, so that all numbers below the limit are in use
}

// LimitDescriptors limits the process to the files that are open now, until the test ends.
func LimitDescriptors(t testing.TB) *Descriptors {
	t.Helper()
	d := &Descriptors{t: t}
	var before syscall.Rlimit
	d.must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	limit := before
	limit.Cur = min(limit.Cur, 512)
	d.must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	t.Cleanup(func() {
		d.must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before))
		d.Allow(len(d.filler))
	})
	d.fill()
	return d
}

// Allow allows n files more.
func (d *Descriptors) Allow(n int) {
	for range n {
		last := len(d.filler) - 1
		d.must(syscall.Close(d.filler[last]))
		d.filler = d.filler[:last]
	}
}

// Left uses up what can still be opened, and returns how many files that were.
func (d *Descriptors) Left() int {
	before := len(d.filler)
	d.fill()
	return len(d.filler) - before
}

func (d *Descriptors) fill() {
	for {
		fd, err := syscall.Dup(0)
		if err == syscall.EMFILE {
			return
		}
		d.must(err)
		d.filler = append(d.filler, fd)
	}
}

func (d *Descriptors) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}
