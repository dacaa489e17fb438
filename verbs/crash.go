package verbs

import "runtime/debug"

// CrashHook is told of a panic in a goroutine that a package has started for
// itself: someone may have a terminal to put back. The panic goes no further,
// and what it befell is of no use afterwards but to be closed. Nil: the panic
// ends the process.
type CrashHook func(reason any, stack []byte)

// Catch is to be deferred, itself and not by way of another function.
func (h CrashHook) Catch() {
	if h == nil {
		return
	}
	if r := recover(); r != nil {
		h(r, debug.Stack())
	}
}
