//go:build !linux

package engine

// thread returns the kernel's number of the thread that calls it; 0: unknown.
func thread() int { return 0 }
