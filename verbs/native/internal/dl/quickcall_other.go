//go:build !linux || android || !amd64

package dl

import "syscall"

// quickCalls reports false: there are none on this platform.
func quickCalls() bool { return false }

const quickArgs = 0

func (p proc) quickErrno(args []uintptr) (uintptr, syscall.Errno) { panic("there are no quick calls") }

//go:uintptrescapes
func (p *proc) call3(a, b, c uintptr) uintptr { return p.call3Plainly(a, b, c) }
