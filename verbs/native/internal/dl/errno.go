package dl

import (
	"runtime"
	"syscall"
)

// callErrno calls the function, on its thread if it has one, and returns its
// result and errno.
//
//go:uintptrescapes
func (p proc) callErrno(args ...uintptr) (uintptr, syscall.Errno) {
	if p.thread == nil {
		return p.callErrnoHere(args)
	}
	return p.callErrnoThere(args)
}

// callErrnoThere is separate because its results are on the heap.
func (p proc) callErrnoThere(args []uintptr) (r uintptr, errno syscall.Errno) {
	p.thread.do(func() { r, errno = p.callErrnoHere(args) })
	return r, errno
}

// callErrnoHere clears errno first, because a C function does not set it on
// success. errno belongs to the thread, so the goroutine stays on its thread
// throughout, as it does during a quick call.
func (p proc) callErrnoHere(args []uintptr) (uintptr, syscall.Errno) {
	if p.quick && len(args) <= quickArgs {
		return p.quickErrno(args)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	errno := View[int32](call(p.lib.errno))
	*errno = 0
	r := call(p.fn, args...)
	return r, syscall.Errno(*errno)
}
