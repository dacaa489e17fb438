package abi

// AsyncEvent mirrors struct ibv_async_event. EventType selects the member of the union
// element.
type AsyncEvent struct {
	// Element is the pointer to the ibv_cq, ibv_qp, ibv_srq or ibv_wq concerned;
	// for events of a port see PortNum.
	Element   uint64 `c:"element,element.cq,element.qp,element.srq,element.wq"`
	EventType uint32 `c:"event_type"`
}

// PortNum returns element.port_num. It is a C int at the start of the union, so the
// upper half of Element is undefined then.
func (e *AsyncEvent) PortNum() int32 { return int32(uint32(e.Element)) }
