package abi

// ContextOps mirrors struct ibv_context_ops: the entry points of the inline data path.
// Fields without a name are slots that current libraries fill with stubs.
type ContextOps struct {
	_           uintptr `c:"_compat_query_device"`
	_           uintptr `c:"_compat_query_port"`
	_           uintptr `c:"_compat_alloc_pd"`
	_           uintptr `c:"_compat_dealloc_pd"`
	_           uintptr `c:"_compat_reg_mr"`
	_           uintptr `c:"_compat_rereg_mr"`
	_           uintptr `c:"_compat_dereg_mr"`
	AllocMW     uintptr `c:"alloc_mw"`
	BindMW      uintptr `c:"bind_mw"`
	DeallocMW   uintptr `c:"dealloc_mw"`
	_           uintptr `c:"_compat_create_cq"`
	PollCQ      uintptr `c:"poll_cq"`
	ReqNotifyCQ uintptr `c:"req_notify_cq"`
	_           uintptr `c:"_compat_cq_event"`
	_           uintptr `c:"_compat_resize_cq"`
	_           uintptr `c:"_compat_destroy_cq"`
	_           uintptr `c:"_compat_create_srq"`
	_           uintptr `c:"_compat_modify_srq"`
	_           uintptr `c:"_compat_query_srq"`
	_           uintptr `c:"_compat_destroy_srq"`
	PostSRQRecv uintptr `c:"post_srq_recv"`
	_           uintptr `c:"_compat_create_qp"`
	_           uintptr `c:"_compat_query_qp"`
	_           uintptr `c:"_compat_modify_qp"`
	_           uintptr `c:"_compat_destroy_qp"`
	PostSend    uintptr `c:"post_send"`
	PostRecv    uintptr `c:"post_recv"`
	_           uintptr `c:"_compat_create_ah"`
	_           uintptr `c:"_compat_destroy_ah"`
	_           uintptr `c:"_compat_attach_mcast"`
	_           uintptr `c:"_compat_detach_mcast"`
	_           uintptr `c:"_compat_async_event"`
}

// Context mirrors struct ibv_context: an open device. abi_compat tells whether it is
// embedded in a verbs_context.
type Context struct {
	Device         uintptr      `c:"device"`
	Ops            ContextOps   `c:"ops"`
	CmdFD          int32        `c:"cmd_fd"`
	AsyncFD        int32        `c:"async_fd"`
	NumCompVectors int32        `c:"num_comp_vectors"`
	_              pthreadMutex `c:"mutex"`
	ABICompat      uintptr      `c:"abi_compat"`
}
