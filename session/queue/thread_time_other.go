//go:build !linux

package queue

import "time"

// threadTime is not known: only Linux tells the CPU time of one thread.
func threadTime() (time.Duration, bool) { return 0, false }
