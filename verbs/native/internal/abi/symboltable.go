package abi

// Versions: the node in brackets of `nm -D` of libibverbs.so.1 and librdmacm.so.1. Conventions: the
// manual page of each function; where a page says only "-1", errno may be unset.
var symbols = []Symbol{
	{"ibv_get_device_list", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_free_device_list", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_get_device_name", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_get_device_guid", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_get_device_index", Real, "IBVERBS_1.9", Negative, ""},
	{"ibv_open_device", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_close_device", Real, "IBVERBS_1.1", MinusOne, ""},
	{"ibv_fork_init", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_is_fork_initialized", Real, "IBVERBS_1.13", NoError, ""},

	{"ibv_query_device", Real, "IBVERBS_1.1", ErrnoValue, ""},
	// Falls back to ibv_query_device, over a cleared struct, when the slot is
	// missing or answers EOPNOTSUPP or ENOSYS.
	{"ibv_query_device_ex", Inline, "", ErrnoValue, "verbs_context.query_device_ex"},
	// The exported function fills an older, shorter ibv_port_attr. The macro
	// reaches it, over a cleared struct, only when the slot is missing.
	{"ibv_query_port", Macro, "IBVERBS_1.1", ErrnoValue, "verbs_context.query_port"},
	{"ibv_query_gid", Real, "IBVERBS_1.1", MinusOne, ""},
	{"ibv_query_gid_ex", Inline, "", ErrnoValue, "_ibv_query_gid_ex"},
	{"_ibv_query_gid_ex", Real, "IBVERBS_1.11", ErrnoValue, ""},
	{"ibv_query_gid_table", Inline, "", NegErrno, "_ibv_query_gid_table"},
	{"_ibv_query_gid_table", Real, "IBVERBS_1.11", NegErrno, ""},
	{"ibv_query_pkey", Real, "IBVERBS_1.1", MinusOne, ""},
	{"ibv_get_pkey_index", Real, "IBVERBS_1.5", MinusOne, ""},

	{"ibv_alloc_pd", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_dealloc_pd", Real, "IBVERBS_1.1", ErrnoValue, ""},
	// The macro takes ibv_reg_mr_iova2 with iova = addr, unless the access flags
	// are a constant without bits of IBV_ACCESS_OPTIONAL_RANGE: only that entry
	// point masks the optional bits on kernels that do not know them.
	{"ibv_reg_mr", Macro, "IBVERBS_1.1", NullErrno, "ibv_reg_mr_iova2"},
	{"ibv_reg_mr_iova2", Real, "IBVERBS_1.8", NullErrno, ""},
	// Returns a negative enum ibv_rereg_mr_err_code, with errno set.
	{"ibv_rereg_mr", Real, "IBVERBS_1.1", MinusOne, ""},
	{"ibv_dereg_mr", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_alloc_mw", Inline, "", NullErrno, "ibv_context.ops.alloc_mw"},
	{"ibv_bind_mw", Inline, "", ErrnoValue, "ibv_context.ops.bind_mw"},
	{"ibv_dealloc_mw", Inline, "", ErrnoValue, "ibv_context.ops.dealloc_mw"},
	{"ibv_create_ah", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_create_ah_from_wc", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_destroy_ah", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_attach_mcast", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_detach_mcast", Real, "IBVERBS_1.1", ErrnoValue, ""},

	{"ibv_create_comp_channel", Real, "IBVERBS_1.0", NullErrno, ""},
	{"ibv_destroy_comp_channel", Real, "IBVERBS_1.0", ErrnoValue, ""},
	{"ibv_create_cq", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_resize_cq", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_destroy_cq", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_get_cq_event", Real, "IBVERBS_1.1", MinusOne, ""},
	{"ibv_ack_cq_events", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_poll_cq", Inline, "", Negative, "ibv_context.ops.poll_cq"},
	{"ibv_req_notify_cq", Inline, "", ErrnoValue, "ibv_context.ops.req_notify_cq"},
	{"ibv_modify_cq", Inline, "", ErrnoValue, "verbs_context.modify_cq"},
	{"ibv_create_cq_ex", Inline, "", NullErrno, "verbs_context.create_cq_ex"},

	{"ibv_create_qp", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_create_qp_ex", Inline, "", NullErrno, "verbs_context.create_qp_ex"},
	{"ibv_qp_to_qp_ex", Real, "IBVERBS_1.6", NullErrno, ""},
	{"ibv_modify_qp", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_query_qp", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_destroy_qp", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_post_send", Inline, "", ErrnoValue, "ibv_context.ops.post_send"},
	{"ibv_post_recv", Inline, "", ErrnoValue, "ibv_context.ops.post_recv"},

	{"ibv_create_srq", Real, "IBVERBS_1.1", NullErrno, ""},
	{"ibv_create_srq_ex", Inline, "", NullErrno, "verbs_context.create_srq_ex"},
	{"ibv_modify_srq", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_query_srq", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_destroy_srq", Real, "IBVERBS_1.1", ErrnoValue, ""},
	{"ibv_post_srq_recv", Inline, "", ErrnoValue, "ibv_context.ops.post_srq_recv"},

	{"ibv_get_async_event", Real, "IBVERBS_1.1", MinusOne, ""},
	{"ibv_ack_async_event", Real, "IBVERBS_1.1", NoError, ""},

	{"ibv_wc_status_str", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_event_type_str", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_node_type_str", Real, "IBVERBS_1.1", NoError, ""},
	{"ibv_port_state_str", Real, "IBVERBS_1.1", NoError, ""},

	{"rdma_create_event_channel", Real, "RDMACM_1.0", NullErrno, ""},
	{"rdma_destroy_event_channel", Real, "RDMACM_1.0", NoError, ""},
	{"rdma_create_id", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_destroy_id", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_migrate_id", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_bind_addr", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_resolve_addr", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_resolve_route", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_listen", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_connect", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_accept", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_reject", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_establish", Real, "RDMACM_1.2", MinusOne, ""},
	{"rdma_disconnect", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_notify", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_set_option", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_init_qp_attr", Real, "RDMACM_1.2", MinusOne, ""},
	{"rdma_create_qp", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_destroy_qp", Real, "RDMACM_1.0", NoError, ""},
	{"rdma_join_multicast", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_leave_multicast", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_get_cm_event", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_ack_cm_event", Real, "RDMACM_1.0", MinusOne, ""},
	{"rdma_get_devices", Real, "RDMACM_1.0", NullErrno, ""},
	{"rdma_free_devices", Real, "RDMACM_1.0", NoError, ""},
	{"rdma_getaddrinfo", Real, "RDMACM_1.0", Negative, ""},
	{"rdma_freeaddrinfo", Real, "RDMACM_1.0", NoError, ""},
}
