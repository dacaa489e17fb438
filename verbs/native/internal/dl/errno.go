package dl

import (
	"runtime"
	"syscall"
)

// callErrno calls the function and returns its result and errno. errno belongs
// to the thread, so the goroutine keeps its thread throughout; and it is cleared
// before, since a C function leaves it alone when it succeeds.
//
//go:uintptrescapes
func (p proc) callErrno(args ...uintptr) (uintptr, syscall.Errno) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	errno := View[int32](call(p.lib.errno))
	*errno = 0
	r := call(p.fn, args...)
	return r, syscall.Errno(*errno)
}
