package abi

// EventChannel mirrors struct rdma_event_channel: FD becomes readable when an event
// is waiting.
type EventChannel struct {
	FD int32 `c:"fd"`
}

// IBAddr mirrors struct rdma_ib_addr: the GIDs at both ends of a path.
type IBAddr struct {
	SGID GID     `c:"sgid"`
	DGID GID     `c:"dgid"`
	PKey [2]byte `c:"pkey"`
}

// RDMAAddr mirrors struct rdma_addr: the addresses at both ends.
type RDMAAddr struct {
	Src  SockaddrStorage `c:"src_storage"`
	Dst  SockaddrStorage `c:"dst_storage"`
	Addr IBAddr          `c:"addr"`
}

// Route mirrors struct rdma_route.
type Route struct {
	Addr     RDMAAddr `c:"addr"`
	PathRec  uintptr  `c:"path_rec"`
	NumPaths int32    `c:"num_paths"`
}

// CMID mirrors struct rdma_cm_id: a communication identifier. Verbs is the
// ibv_context of the device that it is bound to, which the library opened.
type CMID struct {
	Verbs         uintptr `c:"verbs"`
	Channel       uintptr `c:"channel"`
	Context       uintptr `c:"context"`
	QP            uintptr `c:"qp"`
	Route         Route   `c:"route"`
	PS            uint32  `c:"ps"`
	PortNum       uint8   `c:"port_num"`
	Event         uintptr `c:"event"`
	SendCQChannel uintptr `c:"send_cq_channel"`
	SendCQ        uintptr `c:"send_cq"`
	RecvCQChannel uintptr `c:"recv_cq_channel"`
	RecvCQ        uintptr `c:"recv_cq"`
	SRQ           uintptr `c:"srq"`
	PD            uintptr `c:"pd"`
	QPType        uint32  `c:"qp_type"`
}
