//go:build !android

package dl

import (
	"time"
	"unsafe"
)

// quickCall is a call of a C function of up to three arguments, for those that
// are made without end. purego's general way copies room for 32 arguments of each
// kind several times for each call; this one has a trampoline of its own.
type quickCall struct{ fn, a, b, c, result uintptr } // trampoline knows this layout

// call3 calls with three words and without allocating. A function that is known
// to come back at once is called without a word to the scheduler: nothing else
// runs in this goroutine's place, its stack does not move, and no garbage
// collection starts, until then.
//
//go:uintptrescapes
func (p *proc) call3(a, b, c uintptr) uintptr {
	if p.pace.atOnce() {
		q := quickCall{p.fn, a, b, c, 0}
		if p.calls++; p.calls&p.pace.among != 0 {
			runHere(&q)
			return q.result
		}
		began := time.Now()
		runHere(&q)
		p.pace.took(time.Since(began))
		return q.result
	}
	return p.call3Slowly(a, b, c)
}

func (p *proc) call3Slowly(a, b, c uintptr) uintptr {
	q, ok := p.lib.words.Get().(*quickCall)
	if !ok {
		q = new(quickCall)
	}
	*q = quickCall{p.fn, a, b, c, 0}
	cgocall(trampoline, unsafe.Pointer(q))
	r := q.result
	p.lib.words.Put(q)
	return r
}

var trampoline uintptr // its address; defined in assembly

//go:noescape
func runHere(q *quickCall)

// cgocall is the runtime's; purego, which makes it work without cgo, uses it in
// the same way.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32
