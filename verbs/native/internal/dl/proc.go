package dl

// proc is a C function of a library.
type proc struct {
	fn     uintptr
	lib    *Library
	pace   *Pace   // see CountFunc.AtOnce; nil: it may wait
	calls  uint32  // that were made where pace is not nil
	quick  bool    // as of lib when the function was bound
	thread *Thread // see PointerFunc.On; nil: any
}

// Bound tells whether there is a function to call.
func (p proc) Bound() bool { return p.fn != 0 }
