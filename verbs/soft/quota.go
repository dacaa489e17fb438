package soft

import (
	"reflect"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// quota counts the objects of each kind over all contexts of an adapter, and takes their memory from the provider's budget.
type quota struct {
	qp, cq, mr, mw, pd, ah, srq, dm atomic.Int32
	memory                          *memory.Budget
	device                          *memory.Budget // the adapter's own memory
}

// objectBytes is what an object of any kind needs besides its queues or its bytes, channels and identifiers among them. The largest is a
// queue pair of 1.5 KiB.
const objectBytes = 2 << 10

// take counts one more object, with so many bytes of queues or memory. It fails where limit is reached or the budget used up, and then
// changes nothing.
func (q *quota) take(n *atomic.Int32, limit int32, bytes uint64) error {
	if n.Add(1) > limit {
		n.Add(-1)
		return syscall.ENOMEM
	}
	if err := q.memory.Take(objectBytes + bytes); err != nil {
		n.Add(-1)
		return err
	}
	return nil
}

// give counts one object less; bytes is what it had at its end.
func (q *quota) give(n *atomic.Int32, bytes uint64) {
	n.Add(-1)
	q.memory.Give(objectBytes + bytes)
}

// The bytes of one element of each ring.
var (
	sendBytes = uint64(reflect.TypeFor[sendWQE]().Size())
	recvBytes = uint64(reflect.TypeFor[recvWQE]().Size())
	sgeBytes  = uint64(reflect.TypeFor[verbs.SGE]().Size())
	wcBytes   = uint64(reflect.TypeFor[verbs.WC]().Size())
)

// sendQueueBytes and the like return what the rings take; they are within the device's limits.
func sendQueueBytes(c verbs.QPCap) uint64 {
	return uint64(ringSize(c.MaxSendWR)) * (sendBytes + uint64(c.MaxSendSGE)*sgeBytes + uint64(c.MaxInlineData))
}

func recvQueueBytes(depth, sge uint32) uint64 {
	return uint64(ringSize(depth)) * (recvBytes + uint64(sge)*sgeBytes)
}

func queuePairBytes(c verbs.QPCap) uint64 {
	return sendQueueBytes(c) + recvQueueBytes(c.MaxRecvWR, c.MaxRecvSGE)
}

func compQueueBytes(cqe int) uint64 { return uint64(cqe) * wcBytes }
