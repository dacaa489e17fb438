package dl

import (
	"sync/atomic"
	"time"
)

const (
	// slowCall is longer than any function that returns at once takes, and longer than the
	// kernel keeps a thread from running.
	slowCall = 250 * time.Millisecond
	// measuredCalls is how many calls there are per measured one, a power of two: the clock is read twice, which takes
	// as long as two calls.
	measuredCalls = 16
)

// Pace is shared by functions that promise to return at once, such as those of one
// driver. Once a call of any of them takes long, all of them are called in the general
// way, which lets the rest of the program run meanwhile.
type Pace struct {
	slow  atomic.Bool
	tell  func(time.Duration)
	among uint32 // measuredCalls - 1
}

// NewPace returns a pace. If tell is not nil, the goroutine of the first call that
// breaks the promise calls it once with the duration of that call.
func NewPace(tell func(time.Duration)) *Pace { return &Pace{tell: tell, among: measuredCalls - 1} }

// atOnce reports whether the promise still holds; a function with a nil pace made none.
func (p *Pace) atOnce() bool { return p != nil && !p.slow.Load() }

func (p *Pace) took(span time.Duration) {
	if span >= slowCall && p.slow.CompareAndSwap(false, true) && p.tell != nil {
		p.tell(span)
	}
}
