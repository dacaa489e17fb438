package abi

// Bits of ibv_qp_init_attr_ex.comp_mask: the valid members.
const (
	QPInitAttrPD      = 1 << 0 // IBV_QP_INIT_ATTR_PD
	QPInitAttrSendOps = 1 << 6 // IBV_QP_INIT_ATTR_SEND_OPS_FLAGS
)

// RxHashConf mirrors struct ibv_rx_hash_conf: how packets are distributed over receive queues.
type RxHashConf struct {
	Function   uint8   `c:"rx_hash_function"`
	KeyLen     uint8   `c:"rx_hash_key_len"`
	Key        uintptr `c:"rx_hash_key"`
	FieldsMask uint64  `c:"rx_hash_fields_mask"`
}

// QPInitAttrEx mirrors struct ibv_qp_init_attr_ex: the arguments of ibv_create_qp_ex. It starts
// with the fields of [QPInitAttr].
type QPInitAttrEx struct {
	QPContext    uintptr    `c:"qp_context"`
	SendCQ       uintptr    `c:"send_cq"`
	RecvCQ       uintptr    `c:"recv_cq"`
	SRQ          uintptr    `c:"srq"`
	Cap          QPCap      `c:"cap"`
	QPType       uint32     `c:"qp_type"`
	SQSigAll     int32      `c:"sq_sig_all"`
	CompMask     uint32     `c:"comp_mask"`
	PD           uintptr    `c:"pd"`
	XRCD         uintptr    `c:"xrcd"`
	CreateFlags  uint32     `c:"create_flags"`
	MaxTSOHeader uint16     `c:"max_tso_header"`
	RWQIndTbl    uintptr    `c:"rwq_ind_tbl"`
	RxHashConf   RxHashConf `c:"rx_hash_conf"`
	SourceQPN    uint32     `c:"source_qpn"`
	SendOpsFlags uint64     `c:"send_ops_flags"`
}

// QPEx mirrors struct ibv_qp_ex: a queue pair with the functions behind ibv_wr_*. A function
// pointer is set only if the queue pair was created for its operation. New members are appended at
// the end: a library without them creates no queue pair for their operations.
type QPEx struct {
	Base              QP      `c:"qp_base"`
	CompMask          uint64  `c:"comp_mask"`
	WRID              uint64  `c:"wr_id"`
	WRFlags           uint32  `c:"wr_flags"`
	AtomicCmpSwp      uintptr `c:"wr_atomic_cmp_swp"`
	AtomicFetchAdd    uintptr `c:"wr_atomic_fetch_add"`
	BindMW            uintptr `c:"wr_bind_mw"`
	LocalInv          uintptr `c:"wr_local_inv"`
	RDMARead          uintptr `c:"wr_rdma_read"`
	RDMAWrite         uintptr `c:"wr_rdma_write"`
	RDMAWriteImm      uintptr `c:"wr_rdma_write_imm"`
	Send              uintptr `c:"wr_send"`
	SendImm           uintptr `c:"wr_send_imm"`
	SendInv           uintptr `c:"wr_send_inv"`
	SendTSO           uintptr `c:"wr_send_tso"`
	SetUDAddr         uintptr `c:"wr_set_ud_addr"`
	SetXRCSRQN        uintptr `c:"wr_set_xrc_srqn"`
	SetInlineData     uintptr `c:"wr_set_inline_data"`
	SetInlineDataList uintptr `c:"wr_set_inline_data_list"`
	SetSGE            uintptr `c:"wr_set_sge"`
	SetSGEList        uintptr `c:"wr_set_sge_list"`
	Start             uintptr `c:"wr_start"`
	Complete          uintptr `c:"wr_complete"`
	Abort             uintptr `c:"wr_abort"`
	AtomicWrite       uintptr `c:"wr_atomic_write"`
	Flush             uintptr `later:"wr_flush"` // the struct of rdma-core 44 ends before it
}

// DataBuf mirrors struct ibv_data_buf: one piece of inline data.
type DataBuf struct {
	Addr   uintptr `c:"addr"`
	Length uint64  `c:"length"`
}
