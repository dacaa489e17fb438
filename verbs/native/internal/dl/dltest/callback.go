//go:build linux || darwin

// Package dltest makes C functions of Go ones, for tests of what reaches C.
package dltest

import "github.com/ebitengine/purego"

// Callback returns the address of a C function that calls fn, whose arguments
// and result are words. It is never given back; a process can make about 2000.
// It must not be called by way of AtOnce, which tells the scheduler nothing.
func Callback(fn any) uintptr { return purego.NewCallback(fn) }
