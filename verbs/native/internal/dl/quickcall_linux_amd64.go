//go:build !android

package dl

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Quick calls enter C through their own trampoline. They rely on the following
// properties of the runtime; TestQuickCallsFitThisGo checks its source.
//
//   - runtime.asmcgocall, entered from assembly: ABI0, NOSPLIT, fn at 0, arg at 8
//     and an int32 at 16. It switches to the thread's system stack, which with
//     purego is one of the C library's, calls fn as C does with arg in DI, and
//     switches back. It uses no offset in g or m that this package knows.
//   - runtime.cgocall by linkname: func(fn, arg unsafe.Pointer) int32. It does the
//     same and tells the scheduler.
//   - While asmcgocall runs without cgocall the goroutine is not preempted, so that
//     its stack stays: runtime.isAsyncSafePoint refuses every goroutine but the
//     thread's current user goroutine, and a signal there interrupts g0.

// quickCall is a call of a C function with up to three arguments, for hot paths.
// purego's general way copies room for 32 arguments of each kind several times per
// call; this one has its own trampoline.
type quickCall struct{ fn, a, b, c, result uintptr } // trampoline takes its layout from go_asm.h

// quickCalls reports whether the runtime is one that quick calls were checked with.
func quickCalls() bool { return checkedGo(runtime.Version()) }

// call3 calls with three words and without allocating. A function that is known to
// return at once is called without notifying the scheduler: until it returns, nothing
// else runs in this goroutine's place, its stack does not move, and no garbage
// collection starts.
//
//go:uintptrescapes
func (p *proc) call3(a, b, c uintptr) uintptr {
	if !p.quick {
		return p.call3Plainly(a, b, c)
	}
	if p.pace.atOnce() {
		q := quickCall{p.fn, a, b, c, 0}
		if p.calls++; p.calls&p.pace.among != 0 {
			runHere(&q)
			return q.result
		}
		began := p.lib.coarse()
		runHere(&q)
		p.pace.took(p.lib.coarse() - began)
		return q.result
	}
	return p.call3Slowly(a, b, c)
}

func (p *proc) call3Slowly(a, b, c uintptr) uintptr {
	q, ok := p.lib.words.Get().(*quickCall)
	if !ok {
		q = new(quickCall)
	}
	*q = quickCall{p.fn, a, b, c, 0}
	cgocall(trampoline, unsafe.Pointer(q))
	r := q.result
	p.lib.words.Put(q)
	return r
}

// clockCall is a call of clock_gettime. It lives on the heap, where at does not move.
type clockCall struct {
	call quickCall
	at   syscall.Timespec
}

// clockMonotonicCoarse is CLOCK_MONOTONIC_COARSE of clock_gettime(2): the time of the last timer interrupt.
const clockMonotonicCoarse = 6

// coarse returns the time since boot, with the resolution of the kernel's timer interrupt (1 to 10 ms). Reading it is
// as cheap as a poll that finds nothing. The clock of [time.Now] may be a register of a device (HPET) behind a system
// call, and reading it then takes longer than all the calls between two measured ones.
func (l *Library) coarse() time.Duration {
	c, ok := l.clockCalls.Get().(*clockCall)
	if !ok {
		c = new(clockCall)
	}
	c.call = quickCall{l.clock, clockMonotonicCoarse, uintptr(unsafe.Pointer(&c.at)), 0, 0}
	runHere(&c.call)
	now := time.Duration(c.at.Nano())
	l.clockCalls.Put(c)
	return now
}

// quickArgs is how many arguments of a C function are passed in registers.
const quickArgs = 6

// errnoCall is a call of a C function with errno, all on one thread: errno is cleared before and read afterwards.
type errnoCall struct{ fn, location, a, b, c, d, e, f, result, errno uintptr }

// quickErrno calls with at most quickArgs arguments.
func (p proc) quickErrno(args []uintptr) (uintptr, syscall.Errno) {
	q, ok := p.lib.errnoCalls.Get().(*errnoCall)
	if !ok {
		q = new(errnoCall)
	}
	var all [quickArgs]uintptr
	copy(all[:], args)
	*q = errnoCall{p.fn, p.lib.errno, all[0], all[1], all[2], all[3], all[4], all[5], 0, 0}
	cgocall(errnoTrampoline, unsafe.Pointer(q))
	r, errno := q.result, syscall.Errno(q.errno)
	p.lib.errnoCalls.Put(q)
	return r, errno
}

// The addresses of the trampolines; defined in assembly.
var trampoline, errnoTrampoline uintptr

//go:noescape
func runHere(q *quickCall)

// cgocall is the runtime's; purego, which makes it work without cgo, uses it in the
// same way.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32
