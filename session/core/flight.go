package core

import (
	"slices"
	"time"

	"rdmatui/verbs"
)

// RequestView is a send request that has not completed, as far as the session has taken completions.
type RequestView struct {
	WRID   uint64
	Opcode verbs.WROpcode
	List   []verbs.SGE // the memory that it names
	Remote uint64      // the peer's address and key, where it names them
	RKey   uint32
	Inline bool // the memory was copied when the request was posted
}

// Uses reports whether a request reads or writes n bytes at an address of the region with these keys.
func (r *RequestView) Uses(lkey, rkey uint32, addr, n uint64) bool {
	total := uint64(0)
	for i := range r.List {
		e := &r.List[i]
		if total += uint64(e.Length); e.LKey == lkey && !r.Inline && overlap(e.Addr, uint64(e.Length), addr, n) {
			return true
		}
	}
	return r.Opcode.Traits().Remote && r.RKey == rkey && overlap(r.Remote, total, addr, n)
}

// overlap reports whether n bytes at a and m bytes at b have some in common.
func overlap(a, n, b, m uint64) bool {
	if a <= b {
		return b-a < n && m > 0
	}
	return a-b < m && n > 0
}

// SendsView is the send requests of a queue pair that have not completed.
type SendsView struct {
	Oldest []RequestView // in their order, at most MaxRequestViews
	Flight FlightView    // how the first of them fares, when the session looked last
}

// MaxRequestViews bounds the requests of a queue that a snapshot lists.
const MaxRequestViews = 16

// Teller says whose numbers Tries are.
type Teller uint8

// Tellers, the vaguest first.
const (
	ToldByNone   Teller = iota // the device counts nothing of the kind
	ToldByDevice               // counts of the whole device, since the session began to look at the request
	ToldByQP                   // the queue pair's own
)

// Progress is what a device tells of a send queue.
type Progress verbs.Progress

// InFlight leaves of the oldest requests of a send queue those that the device has not carried out.
func (p *Progress) InFlight(oldest []RequestView) []RequestView {
	if p.Queued+p.Sent == 0 {
		return nil
	}
	return oldest[max(slices.IndexFunc(oldest, func(r RequestView) bool { return r.WRID == p.WRID }), 0):]
}

// FlightView is how far the oldest request of a send queue has come. The zero value says that the session has not looked
// since it was posted.
type FlightView struct {
	WRID   uint64
	Opcode verbs.WROpcode
	Age    time.Duration // since it was posted, when the session looked; 0: it has not
	Told   bool          // the device tells Progress
	Progress
	Tries verbs.Tries
	By    Teller
}

// Seen reports whether the session has looked.
func (f *FlightView) Seen() bool { return f.Age > 0 }

// Flight is how the oldest send request fares; the zero value where there is none, or the session has not looked.
func (q *QPView) Flight() (f FlightView) {
	if q.Sends != nil {
		f = q.Sends.Flight
	}
	return f
}

// Waiting returns the send requests that a queue pair has not carried out yet, the oldest first, as far as they are
// listed. A request that is carried out, and of which no completion was taken, is none where the device tells.
func (q *QPView) Waiting() []RequestView {
	if q.Sends == nil {
		return nil
	}
	f := &q.Sends.Flight
	if !f.Told {
		return q.Sends.Oldest
	}
	return f.Progress.InFlight(q.Sends.Oldest)
}
