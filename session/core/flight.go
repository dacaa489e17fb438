package core

import (
	"slices"
	"time"

	"rdmatui/verbs"
)

// RequestView is a send request whose completion has not been taken.
type RequestView struct {
	WRID     uint64
	Opcode   verbs.WROpcode
	List     []verbs.SGE // local memory
	Remote   uint64      // the peer's address and key, if any
	RKey     uint32
	Signaled bool // it completes even if it succeeds
	Inline   bool // the data was copied at the post
}

// Uses reports whether a request reads or writes any of n bytes at an address in the region with these keys.
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

// overlap reports whether n bytes at a and m bytes at b overlap.
func overlap(a, n, b, m uint64) bool {
	if a <= b {
		return b-a < n && m > 0
	}
	return a-b < m && n > 0
}

// SendsView holds the outstanding send requests of a queue pair.
type SendsView struct {
	Oldest []RequestView // in posting order, at most MaxRequestViews
	Flight FlightView    // progress of the first, when the session last looked
}

// MaxRequestViews bounds the requests per queue in a snapshot.
const MaxRequestViews = 16

// Teller is the source of the counts in Tries.
type Teller uint8

// Tellers, the least specific first.
const (
	ToldByNone   Teller = iota // the device has no such counters
	ToldByDevice               // of the whole device, since the session began to watch the request
	ToldByQP                   // of the queue pair itself
)

// Progress is a device's report on a send queue.
type Progress verbs.Progress

// InFlight returns those of a send queue's oldest requests that the device has not executed.
func (p *Progress) InFlight(oldest []RequestView) []RequestView {
	if p.Queued+p.Sent == 0 {
		return nil
	}
	return oldest[max(slices.IndexFunc(oldest, func(r RequestView) bool { return r.WRID == p.WRID }), 0):]
}

// FlightView is the progress of a send queue's oldest request. The zero value means that the session has not looked
// since it was posted.
type FlightView struct {
	WRID   uint64
	Opcode verbs.WROpcode
	Age    time.Duration // since the post, when the session looked; 0: it has not
	Told   bool          // the device reports Progress
	Progress
	Tries verbs.Tries
	By    Teller
}

// Seen reports whether the session has looked.
func (f *FlightView) Seen() bool { return f.Age > 0 }

// Flight returns the progress of the oldest send request; the zero value if there is none or the session has not
// looked.
func (q *QPView) Flight() (f FlightView) {
	if q.Sends != nil {
		f = q.Sends.Flight
	}
	return f
}

// Waiting returns the listed send requests that have not been executed, oldest first. If the device reports progress,
// executed requests without a taken completion are excluded.
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
