package verbs

import "runtime/debug"

// CrashHook is called when a goroutine that a package started panics, for
// example to restore the terminal. The panic is then recovered; the object that
// it hit can only be closed. With a nil hook the panic ends the process.
type CrashHook func(reason any, stack []byte)

// Catch recovers a panic and reports it. It must be deferred directly, not
// called from another deferred function: recover needs that.
func (h CrashHook) Catch() {
	if h == nil {
		return
	}
	if r := recover(); r != nil {
		h(r, debug.Stack())
	}
}
