package session

import (
	"syscall"

	"rdmatui/verbs"
)

// hintKey is a verb that failed and the errno it failed with.
type hintKey struct {
	verb  string
	errno syscall.Errno
}

// hints says what is most often behind a verb's errno, and what to check. Those
// that depend on more than that are in hints.go.
var hints = map[hintKey]string{
	{"ibv_open_device", syscall.EACCES}: "no access to the device file: see the permissions of /dev/infiniband/uverbs*",
	{"ibv_open_device", syscall.ENOENT}: "the device file is missing: is the ib_uverbs module loaded?",
	{"ibv_open_device", syscall.ENODEV}: "the device has gone",
	{"ibv_reg_mr", syscall.ENOMEM}:      "locked memory is limited: compare the length with ulimit -l, raise memlock, or register less",
	{"ibv_reg_mr", syscall.EINVAL}:      "check the length, and the access: REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE; not every device has the other flags",
	{"ibv_reg_mr", syscall.EOPNOTSUPP}:  "the device does not have one of the access flags",
	{"ibv_reg_mr", syscall.EPERM}:       "check the access: REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE",
	{"ibv_alloc_pd", syscall.ENOMEM}:    "the device has no protection domain left: see max_pd",

	{"ibv_create_cq", syscall.EINVAL}: "check cqe against max_cqe, and comp_vector against the device's number of vectors",
	{"ibv_create_cq", syscall.ENOMEM}: "cqe is too large, or the device has no queue left: see max_cqe and max_cq",

	{"ibv_create_qp", syscall.EINVAL}:     "check max_send_wr and max_recv_wr against max_qp_wr, the SGEs against max_sge, and max_inline_data",
	{"ibv_create_qp", syscall.ENOMEM}:     "the queues are too large, or no queue pair is left: see max_qp_wr and max_qp; ulimit -l counts too",
	{"ibv_create_qp", syscall.EOPNOTSUPP}: "the device does not have this qp_type",
	{"ibv_create_qp", syscall.EPERM}:      "this qp_type needs CAP_NET_RAW",

	{"ibv_modify_qp", syscall.ETIMEDOUT}:    "the peer's address could not be resolved: is it up, and does dgid belong to it? sgid_index must be of the same network",
	{"ibv_modify_qp", syscall.ENETUNREACH}:  "no route to dgid from the address of sgid_index: check both, and that they are of the same family",
	{"ibv_modify_qp", syscall.EHOSTUNREACH}: "the peer does not answer: check dgid and the network between",
	{"ibv_modify_qp", syscall.ENODEV}:       "the netdev of sgid_index is gone or down",
	{"ibv_modify_qp", syscall.ENODATA}:      "that row of the GID table is not in use: query_gid lists the rows that are; leave sgid_index out to have one chosen",
	{"ibv_modify_qp", syscall.ENOMEM}:       "max_rd_atomic or max_dest_rd_atomic may be more than the device has",
	{"ibv_modify_qp", syscall.EACCES}:       "the kernel refused the source address: check sgid_index",

	{"ibv_create_srq", syscall.EINVAL}:     "check max_wr against max_srq_wr and max_sge against max_srq_sge",
	{"ibv_create_srq", syscall.ENOMEM}:     "the queue is too large, or none is left: see max_srq_wr and max_srq",
	{"ibv_create_srq", syscall.EOPNOTSUPP}: "the device has no shared receive queues",
	{"ibv_modify_srq", syscall.EINVAL}:     "srq_limit must be less than max_wr, and max_wr at most max_srq_wr and no less than what is posted",
	{"ibv_modify_srq", syscall.EOPNOTSUPP}: "the device cannot resize a shared receive queue: see SRQ_RESIZE in device_cap_flags",
	{"ibv_post_srq_recv", syscall.ENOMEM}:  "the queue is full: see max_wr in query_srq",
	{"ibv_post_srq_recv", syscall.EINVAL}:  "the request has more SGEs than max_sge: see query_srq",

	{"ibv_attach_mcast", syscall.EINVAL}: "the queue pair must be UD, and gid a multicast address: 224.0.0.0 to 239.255.255.255, or ff00::/8",
	{"ibv_attach_mcast", syscall.ENOMEM}: "no group, or no place in it, is left: see max_mcast_grp and max_mcast_qp_attach",
	{"ibv_detach_mcast", syscall.EINVAL}: "it is not attached to that group",

	{"ibv_create_ah", syscall.EINVAL}:      "check dgid, is_global (1 on RoCE), sgid_index and port_num",
	{"ibv_create_ah", syscall.ETIMEDOUT}:   "the peer's address could not be resolved: check dgid",
	{"ibv_create_ah", syscall.ENETUNREACH}: "no route to dgid from the address of sgid_index",

	{"ibv_post_recv", syscall.ENOMEM}: "the receive queue is full, or the request has more SGEs than max_recv_sge: see query_qp",
	{"ibv_post_recv", syscall.EINVAL}: "in RESET nothing can be posted: modify_qp to INIT first; or too many SGEs",

	{"rdma_create_event_channel", syscall.ENODEV}: "is the rdma_ucm module loaded? /dev/infiniband/rdma_cm must be there",
	{"rdma_create_event_channel", syscall.ENOENT}: "is the rdma_ucm module loaded? /dev/infiniband/rdma_cm must be there",
	{"rdma_create_event_channel", syscall.EACCES}: "no access to /dev/infiniband/rdma_cm: see its permissions",
	{"rdma_bind_addr", syscall.EADDRINUSE}:        "the port is taken, by another program or a connection that lingers: choose another, or rdma_set_option ID REUSEADDR 1",
	{"rdma_bind_addr", syscall.EADDRNOTAVAIL}:     "the address is none of this host's",
	{"rdma_bind_addr", syscall.ENODEV}:            "the address is of an interface without an RDMA device",
	{"rdma_bind_addr", syscall.EINVAL}:            "it has an address already",
	{"rdma_resolve_addr", syscall.ENETUNREACH}:    "no route to that address: see ip route get",
	{"rdma_resolve_addr", syscall.EHOSTUNREACH}:   "no route to that address: see ip route get",
	{"rdma_resolve_addr", syscall.EADDRNOTAVAIL}:  "src is none of this host's addresses",
	{"rdma_resolve_addr", syscall.ENODEV}:         "the way leads over an interface without an RDMA device: give src= of one that has",
	{"rdma_resolve_addr", syscall.EINVAL}:         "the identifier is past that step, or src and dst are not of one family",
	{"rdma_resolve_route", syscall.EINVAL}:        "the address comes first: rdma_resolve_addr, and wait for ADDR_RESOLVED",
	{"rdma_listen", syscall.EADDRINUSE}:           "another program listens at that port",
	{"rdma_listen", syscall.EINVAL}:               "rdma_bind_addr comes first",
	{"rdma_connect", syscall.EINVAL}:              "the route comes first: wait for ROUTE_RESOLVED; and private data has room for 56 bytes over TCP, 180 over UDP",
	{"rdma_accept", syscall.EINVAL}:               "only a request that waits can be accepted, with a queue pair or qp_num, and 196 bytes of private data over TCP, 136 over UDP",
	{"rdma_reject", syscall.EINVAL}:               "only a request that waits can be refused; private data has room for 148 bytes",
	{"rdma_disconnect", syscall.EINVAL}:           "it is not connected",
	{"rdma_create_qp", syscall.EINVAL}:            "the protection domain must be on the identifier's device, it can have one queue pair only, and qp_type must suit its port space",
	{"rdma_create_qp", syscall.ENOMEM}:            "the queues are too large, or no queue pair is left: see max_qp_wr and max_qp; ulimit -l counts too",
	{"rdma_join_multicast", syscall.EINVAL}:       "the identifier must be bound to a device (rdma_resolve_addr to the group, or rdma_bind_addr), and of port space UDP",
	{"rdma_init_qp_attr", syscall.EINVAL}:         "the manager knows that only further on: INIT once the identifier has a device, RTR and RTS once the peer has answered",
	{"rdma_destroy_id", syscall.EBUSY}:            "its queue pair goes first: rdma_destroy_qp",
	{"rdma_destroy_event_channel", syscall.EBUSY}: "identifiers are on it still: rdma_destroy_id, or rdma_migrate_id to another channel",

	{"ibv_get_cq_event", syscall.EAGAIN}: "no event has come: was the queue armed with req_notify_cq before?",

	{"ibv_dealloc_pd", syscall.EBUSY}:           "regions, queue pairs, shared receive queues or address handles of it still exist: close those first",
	{"ibv_destroy_cq", syscall.EBUSY}:           "queue pairs still complete here: destroy those first",
	{"ibv_destroy_srq", syscall.EBUSY}:          "queue pairs still take from it: destroy those first",
	{"ibv_destroy_comp_channel", syscall.EBUSY}: "queues still use the channel: destroy those first",
}

// statusHints says what is most often behind a failed completion, and what to
// check next; IBA 11.6.2.
var statusHints = map[verbs.WCStatus]string{
	verbs.WCLocLenErr:      "the message did not fit: a RECV shorter than what the peer sent, or a SEND longer than the port's max_msg_sz",
	verbs.WCLocQPOpErr:     "the request does not suit the queue pair: check opcode, SGEs and queue pair type",
	verbs.WCLocProtErr:     "the own memory was refused: check lkey, that the piece lies inside its region, LOCAL_WRITE for what is received, and that region and queue pair share a PD",
	verbs.WCWRFlushErr:     "the queue pair is in ERR; the first completion that failed tells why",
	verbs.WCBadRespErr:     "the peer's answer made no sense: do both ends agree on their attributes?",
	verbs.WCLocAccessErr:   "what arrived by WRITE_WITH_IMM was refused here: check the region's access",
	verbs.WCRemInvReqErr:   "the peer refused the request: a RECV too short for it, an operation its qp_access_flags do not allow, or an atomic that is not aligned; of a RECV: the SEND named a key that cannot be invalidated",
	verbs.WCRemAccessErr:   "the peer refused the access: check rkey, that remote_addr and length lie inside the region, its access, and the peer's qp_access_flags",
	verbs.WCRemOpErr:       "the peer could not carry it out; it has an event or a failed completion of its own",
	verbs.WCRetryExcErr:    "the peer did not answer: is its queue pair in RTR or RTS, do dest_qp_num, rq_psn and path_mtu agree, is it reachable (dgid, sgid_index)?",
	verbs.WCRNRRetryExcErr: "the peer had no RECV posted for longer than rnr_retry times min_rnr_timer allow: post_recv there first",
	verbs.WCRemAbortErr:    "the peer aborted the operation",
	verbs.WCFatalErr:       "the device or driver failed: see the kernel's log",
	verbs.WCGeneralErr:     "an error of the transport's; vendor_err may tell more",
}
