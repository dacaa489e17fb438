package native

import (
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// AttachMcast implements verbs.QP. It does not notify the network: on RoCE the
// host must also join the IP group (IGMP or MLD), on InfiniBand the group at
// the SA.
func (q *queuePair) AttachMcast(gid verbs.GID, lid uint16) error {
	return q.mcast("ibv_attach_mcast", q.dev.lib.attachMcast, gid, lid)
}

// DetachMcast implements verbs.QP.
func (q *queuePair) DetachMcast(gid verbs.GID, lid uint16) error {
	return q.mcast("ibv_detach_mcast", q.dev.lib.detachMcast, gid, lid)
}

func (q *queuePair) mcast(op string, verb dl.ErrnoFunc, gid verbs.GID, lid uint16) error {
	if err := q.use(); err != nil {
		return failure.Of(op, q.name, err)
	}
	defer q.done()
	raw := &abi.GID{Raw: gid}
	return failure.Of(op, q.name, verb.Call(q.ptr, uintptr(unsafe.Pointer(raw)), uintptr(lid)))
}
