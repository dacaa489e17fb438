package dl

import (
	"sync/atomic"
	"time"
)

const (
	// slowCall is longer than any function takes that returns at once, and than the
	// kernel keeps a thread from running.
	slowCall = 250 * time.Millisecond
	// measuredCalls is among how many calls one is measured, a power of two: the clock
	// takes longer than the call.
	measuredCalls = 16
)

// Pace is shared by functions that promise to return at once, such as those of one
// driver. When a call of one is found to take long, all of them are called in the
// general way from then on, which lets the rest of the program run meanwhile.
type Pace struct {
	slow  atomic.Bool
	tell  func(time.Duration)
	among uint32 // as measuredCalls, less 1
}

// NewPace returns a pace; tell, which may be nil, is called with what a call took that
// broke the promise, once, by the goroutine that made it.
func NewPace(tell func(time.Duration)) *Pace { return &Pace{tell: tell, among: measuredCalls - 1} }

// atOnce reports whether the promise still holds; a function of nil gave none.
func (p *Pace) atOnce() bool { return p != nil && !p.slow.Load() }

func (p *Pace) took(span time.Duration) {
	if span >= slowCall && p.slow.CompareAndSwap(false, true) && p.tell != nil {
		p.tell(span)
	}
}
