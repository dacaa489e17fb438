package dl

// proc is a C function of a library.
type proc struct {
	fn     uintptr
	lib    *Library
	pace   *Pace   // see CountFunc.AtOnce; nil: it may block
	calls  uint32  // number of calls, if pace is not nil
	quick  bool    // lib.quick when the function was bound
	thread *Thread // see PointerFunc.On; nil: any
}

// Bound reports whether there is a function to call.
func (p proc) Bound() bool { return p.fn != 0 }
