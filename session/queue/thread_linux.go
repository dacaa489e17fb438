package queue

import (
	"syscall"
	"time"
)

// rusageThread selects the calling thread; RUSAGE_THREAD, getrusage(2).
const rusageThread = 1

// threadTime returns the CPU time of the calling thread, in user and kernel mode.
func threadTime() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}

// thread returns the kernel's number of the thread that calls it.
func thread() int { return syscall.Gettid() }
