package transport

import (
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
)

// recvWQE is a receive request.
type recvWQE struct {
	wrID   uint64
	length uint64
	list   []verbs.SGE
}

// recvRing is a ring of receive requests, like [sendQueue].
type recvRing struct {
	mu    sync.Mutex // taken by posters
	slots []recvWQE
	depth uint32
	sge   int // maximum SGEs of a request
	tail  atomic.Uint32
	head  atomic.Uint32
}

func (r *recvRing) init(depth, sge uint32) {
	r.depth, r.sge = depth, int(sge)
	r.slots = newRecvSlots(depth, int(sge))
}

// newRecvSlots creates slots with room for their SGE lists.
func newRecvSlots(depth uint32, sge int) []recvWQE {
	slots := make([]recvWQE, ringSize(depth))
	lists := make([]verbs.SGE, len(slots)*sge)
	for i := range slots {
		slots[i].list, lists = lists[:0:sge], lists[sge:]
	}
	return slots
}

func (r *recvRing) at(i uint32) *recvWQE { return &r.slots[i&uint32(len(r.slots)-1)] }

// oldest returns the request for the next message, nil if none is posted.
func (r *recvRing) oldest() *recvWQE {
	head := r.head.Load()
	if head == r.tail.Load() {
		return nil
	}
	return r.at(head)
}

func (r *recvRing) pop() { r.head.Add(1) }

// waiting returns the number of requests in the ring.
func (r *recvRing) waiting() uint32 { return r.tail.Load() - r.head.Load() }

// post adds one request to the ring; mu is held.
func (r *recvRing) post(wr *verbs.RecvWR) error {
	if len(wr.SGList) > r.sge {
		return syscall.EINVAL
	}
	if r.waiting() >= r.depth {
		return syscall.ENOMEM
	}
	tail := r.tail.Load()
	w := r.at(tail)
	w.wrID, w.length = wr.WRID, verbs.TotalLength(wr.SGList)
	w.list = append(w.list[:0], wr.SGList...)
	r.tail.Store(tail + 1)
	return nil
}

// resize replaces the ring by one of another depth, which must hold its requests; mu is held, also by those who remove
// requests.
func (r *recvRing) resize(depth uint32) {
	slots := newRecvSlots(depth, r.sge)
	for i := r.head.Load(); i != r.tail.Load(); i++ {
		from, to := r.at(i), &slots[i&uint32(len(slots)-1)]
		to.wrID, to.length, to.list = from.wrID, from.length, append(to.list, from.list...)
	}
	r.depth, r.slots = depth, slots
}

// recvQueue is the source of a queue pair's RECVs: its own ring, or a shared receive queue.
type recvQueue struct {
	recvRing
	mem     *mem.View // for the lists of its requests
	shared  *SRQ      // nil: none
	holding bool      // held is in use
	held    recvWQE   // taken from shared for the current message
}

// take returns the receive request for the current message, nil if none is posted. It is the oldest in the queue pair's
// own ring. From a shared queue it is removed when a message starts, because other queue pairs take requests meanwhile.
// The request stays the same until [recvQueue.done]. q.mu is held.
func (r *recvQueue) take() *recvWQE {
	if r.shared == nil {
		return r.oldest()
	}
	if !r.holding {
		if !r.shared.take(&r.held) {
			return nil
		}
		r.holding = true
	}
	return &r.held
}

// done releases the request that take returned.
func (r *recvQueue) done() {
	if r.shared == nil {
		r.pop()
		return
	}
	r.holding = false
}

var recvBytes = uint64(reflect.TypeFor[recvWQE]().Size())

// recvQueueBytes returns the size of a receive queue in bytes, like [sendQueueBytes].
func recvQueueBytes(depth, sge uint32) uint64 {
	return uint64(ringSize(depth)) * (recvBytes + uint64(sge)*sgeBytes)
}
