package dl

import (
	"runtime"
	"syscall"
)

// callErrno calls the function, on its thread if it has one, and returns its
// result and errno.
//
//go:uintptrescapes
func (p proc) callErrno(args ...uintptr) (r uintptr, errno syscall.Errno) {
	if p.thread == nil {
		return p.callErrnoHere(args)
	}
	p.thread.do(func() { r, errno = p.callErrnoHere(args) })
	return r, errno
}

// callErrnoHere clears errno first, because a C function does not set it on
// success. errno belongs to the thread, so the goroutine stays on its thread
// throughout.
func (p proc) callErrnoHere(args []uintptr) (uintptr, syscall.Errno) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	errno := View[int32](call(p.lib.errno))
	*errno = 0
	r := call(p.fn, args...)
	return r, syscall.Errno(*errno)
}
