//go:build !linux

package queue

import "time"

// threadTime returns false: only Linux reports the CPU time of a thread.
func threadTime() (time.Duration, bool) { return 0, false }

// thread returns the kernel's number of the thread that calls it; 0: unknown.
func thread() int { return 0 }
