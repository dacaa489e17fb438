package transport

import (
	"reflect"

	"rdmatui/verbs"
)

// Size of one element of each ring, in bytes.
var (
	sendBytes = uint64(reflect.TypeFor[sendWQE]().Size())
	recvBytes = uint64(reflect.TypeFor[recvWQE]().Size())
	sgeBytes  = uint64(reflect.TypeFor[verbs.SGE]().Size())
	wcBytes   = uint64(reflect.TypeFor[verbs.WC]().Size())
)

// sendQueueBytes and the functions below return the size of a ring in bytes, for sizes within the
// device's limits.
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
