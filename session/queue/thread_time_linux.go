package queue

import (
	"syscall"
	"time"
)

// rusageThread asks for the calling thread alone; RUSAGE_THREAD, getrusage(2).
const rusageThread = 1

// threadTime is the CPU time that the calling thread has used, in user and kernel.
func threadTime() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
