package engine

import "syscall"

// thread returns the kernel's number of the thread that calls it.
func thread() int { return syscall.Gettid() }
