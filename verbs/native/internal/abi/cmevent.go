package abi

import "unsafe"

// ConnParam mirrors struct rdma_conn_param: the parameters of connect and
// accept.
type ConnParam struct {
	PrivateData        uintptr `c:"private_data"`
	PrivateDataLen     uint8   `c:"private_data_len"`
	ResponderResources uint8   `c:"responder_resources"`
	InitiatorDepth     uint8   `c:"initiator_depth"`
	FlowControl        uint8   `c:"flow_control"`
	RetryCount         uint8   `c:"retry_count"`
	RNRRetryCount      uint8   `c:"rnr_retry_count"`
	SRQ                uint8   `c:"srq"`
	QPNum              uint32  `c:"qp_num"`
}

// UDParam mirrors struct rdma_ud_param: the address of a datagram peer.
type UDParam struct {
	PrivateData    uintptr `c:"private_data"`
	PrivateDataLen uint8   `c:"private_data_len"`
	AHAttr         AHAttr  `c:"ah_attr"`
	QPNum          uint32  `c:"qp_num"`
	QKey           uint32  `c:"qkey"`
}

// CMEvent mirrors struct rdma_cm_event.
type CMEvent struct {
	ID       uintptr `c:"id"`
	ListenID uintptr `c:"listen_id"`
	Event    uint32  `c:"event"`
	Status   int32   `c:"status"`
	// Param is the union of [ConnParam] and [UDParam].
	Param [unsafe.Sizeof(UDParam{}) / 8]uint64 `c:"param"`
}

// Conn returns the parameters of a connected port space.
func (e *CMEvent) Conn() *ConnParam { return (*ConnParam)(unsafe.Pointer(&e.Param)) }

// UD returns the parameters of datagrams and of multicast.
func (e *CMEvent) UD() *UDParam { return (*UDParam)(unsafe.Pointer(&e.Param)) }
