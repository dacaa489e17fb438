//go:build linux && !android && (amd64 || arm64)

package dl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// The loader keeps its error text per thread: the failing call and the one that
// reads the text must run on the same thread.

func load(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func find(handle uintptr, symbol string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, symbol)
}

func unload(handle uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlclose(handle)
}

// call calls a C function with integer and pointer arguments.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}
