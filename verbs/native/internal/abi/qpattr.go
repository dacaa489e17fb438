package abi

// QPCap mirrors struct ibv_qp_cap: requested in ibv_create_qp, granted on return.
type QPCap struct {
	MaxSendWR     uint32 `c:"max_send_wr"`
	MaxRecvWR     uint32 `c:"max_recv_wr"`
	MaxSendSGE    uint32 `c:"max_send_sge"`
	MaxRecvSGE    uint32 `c:"max_recv_sge"`
	MaxInlineData uint32 `c:"max_inline_data"`
}

// QPInitAttr mirrors struct ibv_qp_init_attr: the arguments of ibv_create_qp.
type QPInitAttr struct {
	QPContext uintptr `c:"qp_context"`
	SendCQ    uintptr `c:"send_cq"`
	RecvCQ    uintptr `c:"recv_cq"`
	SRQ       uintptr `c:"srq"`
	Cap       QPCap   `c:"cap"`
	QPType    uint32  `c:"qp_type"`
	SQSigAll  int32   `c:"sq_sig_all"`
}

// QPAttr mirrors struct ibv_qp_attr: the attributes of ibv_modify_qp and ibv_query_qp;
// the mask selects the valid ones.
type QPAttr struct {
	QPState          uint32 `c:"qp_state"`
	CurQPState       uint32 `c:"cur_qp_state"`
	PathMTU          uint32 `c:"path_mtu"`
	PathMigState     uint32 `c:"path_mig_state"`
	QKey             uint32 `c:"qkey"`
	RQPSN            uint32 `c:"rq_psn"`
	SQPSN            uint32 `c:"sq_psn"`
	DestQPNum        uint32 `c:"dest_qp_num"`
	QPAccessFlags    uint32 `c:"qp_access_flags"`
	Cap              QPCap  `c:"cap"`
	AHAttr           AHAttr `c:"ah_attr"`
	AltAHAttr        AHAttr `c:"alt_ah_attr"`
	PKeyIndex        uint16 `c:"pkey_index"`
	AltPKeyIndex     uint16 `c:"alt_pkey_index"`
	EnSQDAsyncNotify uint8  `c:"en_sqd_async_notify"`
	SQDraining       uint8  `c:"sq_draining"`
	MaxRdAtomic      uint8  `c:"max_rd_atomic"`
	MaxDestRdAtomic  uint8  `c:"max_dest_rd_atomic"`
	MinRNRTimer      uint8  `c:"min_rnr_timer"`
	PortNum          uint8  `c:"port_num"`
	Timeout          uint8  `c:"timeout"`
	RetryCnt         uint8  `c:"retry_cnt"`
	RNRRetry         uint8  `c:"rnr_retry"`
	AltPortNum       uint8  `c:"alt_port_num"`
	AltTimeout       uint8  `c:"alt_timeout"`
	RateLimit        uint32 `c:"rate_limit"`
}
