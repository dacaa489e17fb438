package native

import "rdmatui/verbs"

// AttachMcast implements verbs.QP.
func (q *queuePair) AttachMcast(verbs.GID, uint16) error {
	return fail("ibv_attach_mcast", q.name, &verbs.UnsupportedError{Feature: "multicast"})
}

// DetachMcast implements verbs.QP.
func (q *queuePair) DetachMcast(verbs.GID, uint16) error {
	return fail("ibv_detach_mcast", q.name, &verbs.UnsupportedError{Feature: "multicast"})
}
