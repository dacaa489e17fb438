package queue

import (
	"sync"

	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// Request is what is remembered of a posted work request until it completes.
type Request struct {
	WRID     uint64
	At       int64  // ns since the session began
	Command  uint64 // number of the command that posted it
	Index    uint64 // place among those that the command posted to the queue, from 0
	Opcode   verbs.WROpcode
	Signaled bool
	List     []verbs.SGE // the memory that it names
	RKey     uint32      // and that of the peer's, if it names any
	Remote   uint64      // the address of that
	Inline   bool        // the memory was copied when it was posted
	Undo     func()      // what is to be done if it fails; nil: nothing
	Posted   *Posted     // by which command; nil: not known
}

// Names reports whether a request needs the region of these keys.
func (r *Request) Names(lkey, rkey uint32) bool {
	for i := range r.List {
		if r.List[i].LKey == lkey {
			return true
		}
	}
	return r.RKey == rkey && r.Opcode.Traits().Remote
}

// Requests is the outstanding requests of one send or receive queue in
// their order, which is that in which they complete. It grows as far as the
// provider lets requests be posted.
type Requests struct {
	mu sync.Mutex
	// shared: those of a shared receive queue. Its queue pairs take requests in
	// order, and each completes them in order, but not all together.
	shared bool
	ring   ring.Ring[Request]
}

// Push enters requests before they are posted: their completions may be seen
// before the post has returned.
func (q *Requests) Push(r Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*q.ring.Add() = r
}

// Unpush takes back the newest k requests, which the provider refused.
func (q *Requests) Unpush(k int) {
	q.mu.Lock()
	q.ring.DropNewest(k)
	q.mu.Unlock()
}

// Clear forgets all requests: a queue pair that is reset drops them.
func (q *Requests) Clear() {
	q.mu.Lock()
	q.ring.Drop(q.ring.Len())
	q.mu.Unlock()
}

// room is how many bytes the oldest request has for a message, 0 where there is
// none.
func (q *Requests) room() (n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring.Len() == 0 {
		return 0
	}
	return region.TotalLength(q.ring.At(0).List)
}

// naming counts the requests that need the region of these keys.
func (q *Requests) naming(lkey, rkey uint32) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ring.Len() {
		if q.ring.At(i).Names(lkey, rkey) {
			n++
		}
	}
	return n
}

// Forget drops the oldest k requests, or all where there are fewer.
func (q *Requests) Forget(k int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ring.Drop(k)
}

// Len is how many requests are outstanding.
func (q *Requests) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ring.Len()
}

// retire finds the request that a completion belongs to and forgets it, in a
// queue that is not shared with all before it: those made no completion of their
// own, or it was lost.
func (q *Requests) retire(wrID uint64, failed bool) (Request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ring.Len() {
		r := *q.ring.At(i)
		if r.WRID != wrID || !failed && !r.Signaled {
			continue
		}
		if q.shared {
			q.ring.Remove(i)
		} else {
			q.ring.Drop(i + 1)
		}
		return r, true
	}
	return Request{}, false
}

// isNext reports whether wrID is the number of a request that may complete next:
// the oldest, or any of a shared queue.
func (q *Requests) isNext(wrID uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.ring.Len() {
		if q.ring.At(i).WRID == wrID {
			return true
		}
		if !q.shared {
			break
		}
	}
	return false
}
