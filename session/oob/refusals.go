package oob

import "sync/atomic"

// maxRefusalsTold bounds the notes about refused clients; the rest are counted.
const maxRefusalsTold = 8

// Refusals tells of the clients that a server refuses: of each of the first, and at the end how
// many there were, since a stranger may connect as often as they like.
type Refusals struct {
	// Note is called for each note, from any goroutine.
	Note func(format string, args ...any)

	n atomic.Int64
}

// Refused is for [Part].
func (r *Refusals) Refused(address string, err error) {
	if r.n.Add(1) <= maxRefusalsTold {
		r.Note("disconnected %s: %v; still waiting for a peer", address, err)
	}
}

// End tells how many clients were refused, if not each was told.
func (r *Refusals) End() {
	if n := r.n.Load(); n > maxRefusalsTold {
		r.Note("%d clients were disconnected in all", n)
	}
}
