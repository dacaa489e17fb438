//go:build linux || darwin

package dl

import "github.com/ebitengine/purego"

// Callback returns the address of a C function that calls fn, whose arguments
// and result are words. It is never freed; a process can create about 2000, so only
// tests of calls into C need it. It must not be called through AtOnce, which does
// not notify the scheduler.
func Callback(fn any) uintptr { return purego.NewCallback(fn) }
