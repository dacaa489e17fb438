package session

import (
	"sync"

	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// request is what is remembered of a posted work request until it completes.
type request struct {
	wrID     uint64
	at       int64  // ns since the session began
	command  uint64 // number of the command that posted it
	index    uint64 // place among those that the command posted to the queue, from 0
	opcode   verbs.WROpcode
	signaled bool
	list     []verbs.SGE // the memory that it names
	rkey     uint32      // and that of the peer's, if it names any
	undo     func()      // what is to be done if it fails; nil: nothing
}

// names reports whether a request needs the region of these keys.
func (r *request) names(lkey, rkey uint32) bool {
	for i := range r.list {
		if r.list[i].LKey == lkey {
			return true
		}
	}
	return r.rkey == rkey && r.opcode.Traits().Remote
}

// requestQueue is the outstanding requests of one send or receive queue in
// their order, which is that in which they complete. It grows as far as the
// provider lets requests be posted.
type requestQueue struct {
	mu sync.Mutex
	// shared: those of a shared receive queue. Its queue pairs take requests in
	// order, and each completes them in order, but not all together.
	shared bool
	ring   ring.Ring[request]
}

// push enters requests before they are posted: their completions may be seen
// before the post has returned.
func (q *requestQueue) push(r request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*q.ring.Add() = r
}

// unpush takes back the newest k requests, which the provider refused.
func (q *requestQueue) unpush(k int) {
	q.mu.Lock()
	q.ring.DropNewest(k)
	q.mu.Unlock()
}

// clear forgets all requests: a queue pair that is reset drops them.
func (q *requestQueue) clear() {
	q.mu.Lock()
	q.ring.Drop(q.ring.Len())
	q.mu.Unlock()
}

// room is how many bytes the oldest request has for a message, 0 where there is
// none.
func (q *requestQueue) room() (n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring.Len() == 0 {
		return 0
	}
	return region.TotalLength(q.ring.At(0).list)
}

// naming counts the requests that need the region of these keys.
func (q *requestQueue) naming(lkey, rkey uint32) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ring.Len() {
		if q.ring.At(i).names(lkey, rkey) {
			n++
		}
	}
	return n
}

// forget drops the oldest k requests, or all where there are fewer.
func (q *requestQueue) forget(k int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ring.Drop(k)
}

func (q *requestQueue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ring.Len()
}

// retire finds the request that a completion belongs to and forgets it, in a
// queue that is not shared with all before it: those made no completion of their
// own, or it was lost.
func (q *requestQueue) retire(wrID uint64, failed bool) (request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ring.Len() {
		r := *q.ring.At(i)
		if r.wrID != wrID || !failed && !r.signaled {
			continue
		}
		if q.shared {
			q.ring.Remove(i)
		} else {
			q.ring.Drop(i + 1)
		}
		return r, true
	}
	return request{}, false
}

// isNext reports whether wrID is the number of a request that may complete next:
// the oldest, or any of a shared queue.
func (q *requestQueue) isNext(wrID uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ring.Len() {
		if q.ring.At(i).wrID == wrID {
			return true
		}
		if !q.shared {
			break
		}
	}
	return false
}
