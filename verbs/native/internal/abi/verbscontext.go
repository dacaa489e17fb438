package abi

// VerbsContext mirrors struct verbs_context: the container whose last member is
// the [Context] that applications use. New members are added at its start, so a
// library may have fewer or more of these slots; see [Slot.Load].
type VerbsContext struct {
	QueryPort               uintptr `c:"query_port"`
	AdviseMR                uintptr `c:"advise_mr"`
	AllocNullMR             uintptr `c:"alloc_null_mr"`
	ReadCounters            uintptr `c:"read_counters"`
	AttachCountersPointFlow uintptr `c:"attach_counters_point_flow"`
	CreateCounters          uintptr `c:"create_counters"`
	DestroyCounters         uintptr `c:"destroy_counters"`
	RegDMMR                 uintptr `c:"reg_dm_mr"`
	AllocDM                 uintptr `c:"alloc_dm"`
	FreeDM                  uintptr `c:"free_dm"`
	ModifyFlowActionEsp     uintptr `c:"modify_flow_action_esp"`
	DestroyFlowAction       uintptr `c:"destroy_flow_action"`
	CreateFlowActionEsp     uintptr `c:"create_flow_action_esp"`
	ModifyQPRateLimit       uintptr `c:"modify_qp_rate_limit"`
	AllocParentDomain       uintptr `c:"alloc_parent_domain"`
	DeallocTD               uintptr `c:"dealloc_td"`
	AllocTD                 uintptr `c:"alloc_td"`
	ModifyCQ                uintptr `c:"modify_cq"`
	PostSRQOps              uintptr `c:"post_srq_ops"`
	DestroyRWQIndTable      uintptr `c:"destroy_rwq_ind_table"`
	CreateRWQIndTable       uintptr `c:"create_rwq_ind_table"`
	DestroyWQ               uintptr `c:"destroy_wq"`
	ModifyWQ                uintptr `c:"modify_wq"`
	CreateWQ                uintptr `c:"create_wq"`
	QueryRtValues           uintptr `c:"query_rt_values"`
	CreateCQEx              uintptr `c:"create_cq_ex"`
	_                       uintptr `c:"priv"`
	QueryDeviceEx           uintptr `c:"query_device_ex"`
	DestroyFlow             uintptr `c:"ibv_destroy_flow"`
	_                       uintptr `c:"ABI_placeholder2"`
	CreateFlow              uintptr `c:"ibv_create_flow"`
	_                       uintptr `c:"ABI_placeholder1"`
	OpenQP                  uintptr `c:"open_qp"`
	CreateQPEx              uintptr `c:"create_qp_ex"`
	GetSRQNum               uintptr `c:"get_srq_num"`
	CreateSRQEx             uintptr `c:"create_srq_ex"`
	OpenXRCD                uintptr `c:"open_xrcd"`
	CloseXRCD               uintptr `c:"close_xrcd"`
	_                       uint64  `c:"_ABI_placeholder3"`
	Size                    uint64  `c:"sz"`
	Context                 Context `c:"context"`
}
