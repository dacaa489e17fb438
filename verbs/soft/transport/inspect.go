package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// What follows lets tests look inside, and run an engine by hand.

// Round is one round of an engine that does not run. It reports whether anything was done.
func (e *Engine) Round() bool { return e.round() }

// BusyPolled reports whether a program sleeps at the engine's socket.
func (e *Engine) BusyPolled() bool { return e.busyPolled.Load() }

// PSNs returns the PSN that the responder expects, and the oldest that the requester has no acknowledgement of.
func (q *QP) PSNs() (expected, oldest wire.PSN) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.resp.epsn, q.comp.una
}

// Grants reports whether a key gives the queue pair's peer a right to so many bytes at an address.
func (q *QP) Grants(key uint32, right verbs.Access, addr, n uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mem.Grants(key, right, addr, n)
}

// Clear takes all completions out, and mends what too many have broken.
func (q *CQ) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.first, q.count, q.overrun = 0, 0, false
}

// Clear takes all requests out.
func (s *SRQ) Clear() {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	s.ring.head.Store(s.ring.tail.Load())
}

// Waiting is how many requests are posted.
func (s *SRQ) Waiting() int {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	return int(s.ring.waiting())
}
