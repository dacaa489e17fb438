package transport

import (
	"syscall"

	"rdmatui/verbs"
)

var _ verbs.CQResizer = (*CQ)(nil)

// Resize gives the queue exactly cqe entries.
func (q *CQ) Resize(cqe int) error {
	q.dev.Mu.Lock()
	defer q.dev.Mu.Unlock()
	if err := q.resize(cqe); err != nil {
		return verbs.NewOpError("ibv_resize_cq", q.name(), err)
	}
	q.dev.Add(q, q.name()) // which names the size
	if q.channel != nil {
		q.channel.Add(q, q.name())
	}
	return nil
}

// resize is Resize with dev.Mu held.
func (q *CQ) resize(cqe int) error {
	switch {
	case q.Closed:
		return verbs.ErrClosed
	case cqe < 1 || cqe > MaxCQE:
		return syscall.EINVAL
	}
	memory := q.dev.adapter.Quota.Memory
	before, after := compQueueBytes(q.CQE()), compQueueBytes(cqe)
	if after > before {
		if err := memory.Take(after - before); err != nil {
			return err
		}
	}
	if !q.move(cqe) {
		memory.Give(max(after, before) - before)
		return syscall.EINVAL
	}
	memory.Give(before - min(before, after))
	return nil
}

// move takes what is in the queue to a ring of cqe entries, and reports whether it fits.
func (q *CQ) move(cqe int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count > cqe {
		return false
	}
	ring := make([]verbs.WC, cqe)
	k := copy(ring[:q.count], q.ring[q.first:])
	copy(ring[k:q.count], q.ring)
	q.ring, q.first = ring, 0
	q.cqe.Store(int32(cqe))
	return true
}
