package abi

// CQInitAttrEx mirrors struct ibv_cq_init_attr_ex: the arguments of ibv_create_cq_ex.
type CQInitAttrEx struct {
	CQE          uint32  `c:"cqe"`
	CQContext    uintptr `c:"cq_context"`
	Channel      uintptr `c:"channel"`
	CompVector   uint32  `c:"comp_vector"`
	WCFlags      uint64  `c:"wc_flags"`
	CompMask     uint32  `c:"comp_mask"`
	Flags        uint32  `c:"flags"`
	ParentDomain uintptr `c:"parent_domain"`
}

// PollCQAttr mirrors struct ibv_poll_cq_attr: comp_mask must be 0.
type PollCQAttr struct {
	CompMask uint32 `c:"comp_mask"`
}

// CQEx mirrors struct ibv_cq_ex: a completion queue whose completions are read one by one, field by
// field. It starts with the fields of [CQ]. A function pointer is set only if the queue was created
// for its field.
type CQEx struct {
	Context                   uintptr      `c:"context"`
	Channel                   uintptr      `c:"channel"`
	CQContext                 uintptr      `c:"cq_context"`
	Handle                    uint32       `c:"handle"`
	CQE                       int32        `c:"cqe"`
	_                         pthreadMutex `c:"mutex"`
	_                         pthreadCond  `c:"cond"`
	CompEventsCompleted       uint32       `c:"comp_events_completed"`
	AsyncEventsCompleted      uint32       `c:"async_events_completed"`
	CompMask                  uint32       `c:"comp_mask"`
	Status                    uint32       `c:"status"`
	WRID                      uint64       `c:"wr_id"`
	StartPoll                 uintptr      `c:"start_poll"`
	NextPoll                  uintptr      `c:"next_poll"`
	EndPoll                   uintptr      `c:"end_poll"`
	ReadOpcode                uintptr      `c:"read_opcode"`
	ReadVendorErr             uintptr      `c:"read_vendor_err"`
	ReadByteLen               uintptr      `c:"read_byte_len"`
	ReadImmData               uintptr      `c:"read_imm_data"`
	ReadQPNum                 uintptr      `c:"read_qp_num"`
	ReadSrcQP                 uintptr      `c:"read_src_qp"`
	ReadWCFlags               uintptr      `c:"read_wc_flags"`
	ReadSLID                  uintptr      `c:"read_slid"`
	ReadSL                    uintptr      `c:"read_sl"`
	ReadDLIDPathBits          uintptr      `c:"read_dlid_path_bits"`
	ReadCompletionTS          uintptr      `c:"read_completion_ts"`
	ReadCVLAN                 uintptr      `c:"read_cvlan"`
	ReadFlowTag               uintptr      `c:"read_flow_tag"`
	ReadTMInfo                uintptr      `c:"read_tm_info"`
	ReadCompletionWallclockNS uintptr      `c:"read_completion_wallclock_ns"`
}
