package object

import (
	"sync/atomic"
	"syscall"

	"rdmatui/verbs/memory"
)

// Quota counts the objects of each kind over all contexts of an adapter, and takes their memory from the provider's
// budget.
type Quota struct {
	QP, CQ, MR, MW, PD, AH, SRQ, DM atomic.Int32
	Memory                          *memory.Budget
	Device                          *memory.Budget // the adapter's own memory
}

// ObjectBytes is the memory of an object of any kind, including channels and identifiers, without its queues or its
// bytes. The largest object is a queue pair of 1.5 KiB.
const ObjectBytes = 2 << 10

// Take counts one more object with the given bytes of queues or memory. If the limit is reached or the budget
// exhausted, it fails and changes nothing.
func (q *Quota) Take(n *atomic.Int32, limit int32, bytes uint64) error {
	if n.Add(1) > limit {
		n.Add(-1)
		return syscall.ENOMEM
	}
	if err := q.Memory.Take(ObjectBytes + bytes); err != nil {
		n.Add(-1)
		return err
	}
	return nil
}

// Give counts one object less; bytes is its final size.
func (q *Quota) Give(n *atomic.Int32, bytes uint64) {
	n.Add(-1)
	q.Memory.Give(ObjectBytes + bytes)
}
