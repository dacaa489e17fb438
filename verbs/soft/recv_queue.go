package soft

import (
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

// recvQueue is a ring of receive requests, as [sendQueue].
type recvQueue struct {
	mu    sync.Mutex // taken by posters
	slots []recvWQE
	depth uint32
	sge   int // elements that a request may have
	tail  atomic.Uint32
	head  atomic.Uint32
}

func (r *recvQueue) init(depth, sge uint32) {
	r.depth, r.sge = depth, int(sge)
	r.slots = newRecvSlots(depth, int(sge))
}

// newRecvSlots makes a ring whose requests have room for their lists.
func newRecvSlots(depth uint32, sge int) []recvWQE {
	slots := make([]recvWQE, ringSize(depth))
	lists := make([]verbs.SGE, len(slots)*sge)
	for i := range slots {
		slots[i].list, lists = lists[:0:sge], lists[sge:]
	}
	return slots
}

func (r *recvQueue) at(i uint32) *recvWQE { return &r.slots[i&uint32(len(r.slots)-1)] }

// oldest returns the request that the next message takes, nil where none is posted.
func (r *recvQueue) oldest() *recvWQE {
	head := r.head.Load()
	if head == r.tail.Load() {
		return nil
	}
	return r.at(head)
}

func (r *recvQueue) pop() { r.head.Add(1) }

// waiting is the number of requests in the ring.
func (r *recvQueue) waiting() uint32 { return r.tail.Load() - r.head.Load() }

// post puts one request into the ring; mu is held.
func (r *recvQueue) post(wr *verbs.RecvWR) error {
	if len(wr.SGList) > r.sge {
		return syscall.EINVAL
	}
	if r.waiting() >= r.depth {
		return syscall.ENOMEM
	}
	tail := r.tail.Load()
	w := r.at(tail)
	w.wrID, w.length = wr.WRID, mem.ListLength(wr.SGList)
	w.list = append(w.list[:0], wr.SGList...)
	r.tail.Store(tail + 1)
	return nil
}

// resize makes a ring of another depth, which is enough for what is in it; mu is held, and taken by whoever takes requests out.
func (r *recvQueue) resize(depth uint32) {
	slots := newRecvSlots(depth, r.sge)
	for i := r.head.Load(); i != r.tail.Load(); i++ {
		from, to := r.at(i), &slots[i&uint32(len(slots)-1)]
		to.wrID, to.length, to.list = from.wrID, from.length, append(to.list, from.list...)
	}
	r.depth, r.slots = depth, slots
}

// takeRecv returns the receive request of the message at hand, nil where none is posted: the oldest of the queue pair's own, or one that
// is taken from the shared queue when a message begins, as other queue pairs take theirs from there meanwhile. It stays the same until
// [qp.doneRecv]. q.mu is held.
func (q *qp) takeRecv() *recvWQE {
	if q.srq == nil {
		return q.rq.oldest()
	}
	if !q.holding {
		if !q.srq.take(&q.held) {
			return nil
		}
		q.holding = true
	}
	return &q.held
}

// doneRecv gives up the request that takeRecv returned.
func (q *qp) doneRecv() {
	if q.srq == nil {
		q.rq.pop()
		return
	}
	q.holding = false
}

// PostRecv posts receive requests. Nobody needs to be told, but in ERR they must be flushed. A queue pair on a shared receive queue takes
// none.
func (q *qp) PostRecv(wrs ...verbs.RecvWR) (posted int, err error) {
	r := &q.rq
	r.mu.Lock()
	for posted < len(wrs) {
		if err = q.postRecv(&wrs[posted]); err != nil {
			break
		}
		posted++
	}
	flush := q.state == verbs.QPErr
	r.mu.Unlock()
	if flush {
		q.eng.ring(q)
	}
	return posted, q.fail("ibv_post_recv", err)
}

// postRecv puts one request into the ring; rq.mu is held.
func (q *qp) postRecv(wr *verbs.RecvWR) error {
	if q.closed {
		return verbs.ErrClosed
	}
	if q.state == verbs.QPReset || q.srq != nil {
		return syscall.EINVAL
	}
	return q.rq.post(wr)
}
