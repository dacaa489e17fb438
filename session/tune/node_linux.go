package tune

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// pin binds the calling goroutine to a thread and that to CPUs. Fresh memory that the
// thread touches first comes from their node.
func pin(cpus []int) (release func(), err error) {
	var before, set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	runtime.LockOSThread()
	if err = unix.SchedGetaffinity(0, &before); err == nil {
		err = unix.SchedSetaffinity(0, &set)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread() // otherwise the thread ends with its goroutine
		}
	}, nil
}
