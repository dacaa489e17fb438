package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// The functions in this file let tests inspect the state, and run an engine manually.

// Round runs one round of a stopped engine. It reports whether there was any work.
func (e *Engine) Round() bool { return e.round() }

// BusyPolled reports whether a program sleeps at the engine's socket.
func (e *Engine) BusyPolled() bool { return e.busyPolled.Load() }

// PSNs returns the PSN that the responder expects, and the requester's oldest unacknowledged one.
func (q *QP) PSNs() (expected, oldest wire.PSN) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.resp.epsn, q.comp.una
}

// Grants reports whether a key grants the queue pair's peer the given right to n bytes at an address.
func (q *QP) Grants(key uint32, right verbs.Access, addr, n uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mem.Grants(key, right, addr, n)
}

// Clear removes all completions, and repairs an overrun queue.
func (q *CQ) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.first, q.count, q.overrun = 0, 0, false
}

// Clear removes all requests.
func (s *SRQ) Clear() {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	s.ring.head.Store(s.ring.tail.Load())
}

// Waiting returns the number of posted requests.
func (s *SRQ) Waiting() int {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	return int(s.ring.waiting())
}
