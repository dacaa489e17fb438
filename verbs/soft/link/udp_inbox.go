package link

import "sync"

// inboxLimit bounds the packets that have arrived and were not taken; what goes beyond is dropped.
const inboxLimit = 4096

// inbox is the intact packets between the listener and whoever receives.
type inbox struct {
	mu     sync.Mutex
	queue  []*Packet // queue[first:] wait
	first  int
	closed bool
}

// put appends packets and returns how many there was room for, and whether they are the first ones in an empty inbox.
func (b *inbox) put(ps []*Packet) (n int, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, false
	}
	waiting := len(b.queue) - b.first
	n = min(len(ps), inboxLimit-waiting)
	b.queue = append(b.queue, ps[:n]...)
	return n, waiting == 0 && n > 0
}

// take appends at most limit packets to into.
func (b *inbox) take(into []*Packet, limit int) []*Packet {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(limit, len(b.queue)-b.first)
	into = append(into, b.queue[b.first:b.first+n]...)
	b.first += n
	if left := len(b.queue) - b.first; left == 0 || b.first >= inboxLimit {
		copy(b.queue, b.queue[b.first:])
		clear(b.queue[left:])
		b.queue, b.first = b.queue[:left], 0
	}
	return into
}

// close gives back what waits, and takes no more.
func (b *inbox) close(pool *Pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	pool.Put(b.queue[b.first:])
	b.queue, b.first = nil, 0
}
