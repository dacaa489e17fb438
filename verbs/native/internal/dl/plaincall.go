package dl

// call3Plainly calls with three words by purego alone, for the calls that are made
// without end. A list of arguments of any length is built anew on the heap for each
// call, since it is handed to code that may keep it as far as the compiler can see;
// this one is used again.
//
//go:uintptrescapes
func (p *proc) call3Plainly(a, b, c uintptr) uintptr {
	words, ok := p.lib.words.Get().(*[3]uintptr)
	if !ok {
		words = new([3]uintptr)
	}
	*words = [3]uintptr{a, b, c}
	r := call(p.fn, words[:]...)
	p.lib.words.Put(words)
	return r
}
