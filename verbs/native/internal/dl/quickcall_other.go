//go:build !linux || android || !amd64

package dl

// quickCalls reports false: there are none on this platform.
func quickCalls() bool { return false }

//go:uintptrescapes
func (p *proc) call3(a, b, c uintptr) uintptr { return p.call3Plainly(a, b, c) }
