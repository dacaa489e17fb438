//go:build !linux

package bench

// thread returns the kernel's number of the thread that calls it; 0: unknown.
func thread() int { return 0 }
