package soft

import (
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
)

// recvWQE is a receive request.
type recvWQE struct {
	wrID   uint64
	length uint64
	list   []verbs.SGE
}

// recvQueue is a ring of receive requests, as [sendQueue].
type recvQueue struct {
	mu    sync.Mutex
	slots []recvWQE
	depth uint32
	tail  atomic.Uint32
	head  atomic.Uint32
}

func (r *recvQueue) init(c verbs.QPCap) {
	r.depth = c.MaxRecvWR
	r.slots = make([]recvWQE, ringSize(c.MaxRecvWR))
	lists := make([]verbs.SGE, len(r.slots)*int(c.MaxRecvSGE))
	for i := range r.slots {
		r.slots[i].list, lists = lists[:0:c.MaxRecvSGE], lists[c.MaxRecvSGE:]
	}
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

// PostRecv posts receive requests. Nobody needs to be told, but in ERR they must be flushed.
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
	r := &q.rq
	if q.closed {
		return verbs.ErrClosed
	}
	if q.state == verbs.QPReset || len(wr.SGList) > int(q.cap.MaxRecvSGE) {
		return syscall.EINVAL
	}
	tail := r.tail.Load()
	if tail-r.head.Load() >= r.depth {
		return syscall.ENOMEM
	}
	w := r.at(tail)
	w.wrID, w.length = wr.WRID, listLength(wr.SGList)
	w.list = append(w.list[:0], wr.SGList...)
	r.tail.Store(tail + 1)
	return nil
}
