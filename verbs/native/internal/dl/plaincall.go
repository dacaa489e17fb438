package dl

// call3Plainly calls with three words through purego alone, for hot paths. A variadic
// argument list would be allocated on the heap for each call, because the compiler
// cannot know that the callee does not keep it; this one is reused.
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
