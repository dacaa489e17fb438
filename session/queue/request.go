package queue

import (
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// Request is what is kept of a posted work request until it completes.
type Request struct {
	WRID     uint64
	At       int64  // ns since the session started
	Command  uint64 // number of the command that posted it
	Index    uint64 // index among the requests that the command posted to the queue, from 0
	Opcode   verbs.WROpcode
	Signaled bool
	List     []verbs.SGE // local memory
	RKey     uint32      // key of remote memory, if any
	Remote   uint64      // address of remote memory
	Inline   bool        // the data was copied at the post
	Undo     func()      // called if the request fails; nil: nothing to undo
	Posted   *Posted     // the command that posted it; nil: unknown
}

// Posted is the command that posted a request. It is kept with the request to explain a failure.
type Posted struct {
	Line  string        // with names and defaults replaced by their values
	Check string        // warnings before the post, "" if there were none
	WR    *verbs.SendWR // nil: a RECV
	AH    string        // address handle of a datagram, "" if it has none
}

// Names reports whether a request uses the region with these keys.
func (r *Request) Names(lkey, rkey uint32) bool {
	for i := range r.List {
		if r.List[i].LKey == lkey {
			return true
		}
	}
	return r.RKey == rkey && r.Opcode.Traits().Remote
}

// Requests holds the outstanding requests of one send or receive queue in posting
// order, which is the order of completion. It grows as far as the provider accepts
// requests.
type Requests struct {
	mu sync.Mutex
	// shared is set for a shared receive queue. Each of its queue pairs completes
	// requests in order, but not all together.
	shared bool
	ring   ring.Ring[Request]
}

// Push adds a request before it is posted, because its completion may be seen before
// the post returns. It returns how many are outstanding with it.
func (q *Requests) Push(r Request) (outstanding int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*q.ring.Add() = r
	return q.ring.Len()
}

// Unpush removes the newest k requests, which the provider refused.
func (q *Requests) Unpush(k int) {
	q.mu.Lock()
	q.ring.DropNewest(k)
	q.mu.Unlock()
}

// Clear removes all requests: a reset queue pair drops them.
func (q *Requests) Clear() {
	q.mu.Lock()
	q.ring.Drop(q.ring.Len())
	q.mu.Unlock()
}

// room returns the size of the oldest request, 0 if there is none.
func (q *Requests) room() (n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring.Len() == 0 {
		return 0
	}
	return verbs.TotalLength(q.ring.At(0).List)
}

// naming counts the requests that use the region with these keys.
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

// Forget drops the oldest k requests, or all if there are fewer.
func (q *Requests) Forget(k int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ring.Drop(k)
}

// Len returns how many requests are outstanding.
func (q *Requests) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ring.Len()
}

// retire finds and removes the request of a completion. In a queue that is not shared
// it also removes all before it: they had no completion, or it was lost.
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

// isNext reports whether wrID belongs to a request that may complete next: the
// oldest, or any of a shared queue.
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
