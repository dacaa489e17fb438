package dl

// proc is a C function of a library.
type proc struct {
	fn     uintptr
	lib    *Library
	atOnce bool    // see CountFunc.AtOnce
	thread *Thread // see PointerFunc.On; nil: any
}

// Bound tells whether there is a function to call.
func (p proc) Bound() bool { return p.fn != 0 }
