/*
 * Prints the layout of the structs and the values of the enumerators that this
 * package mirrors, read from the installed headers of libibverbs and librdmacm:
 *
 *   struct size N, struct align N
 *   struct.field OFFSET SIZE      position of one field
 *   enum NAME ENUMERATOR VALUE
 *
 * verbs_context grows at its front, so its fields are printed relative to the
 * ibv_context that ends it: only those distances are ABI.
 *
 * cc -o layout layout.c && ./layout >layout_amd64.txt
 * aarch64-linux-gnu-gcc -static -I... -o layout layout.c &&
 *	qemu-aarch64 ./layout >layout_arm64.txt
 */
#define _GNU_SOURCE /* the resolver's codes */
#include <stddef.h>
#include <stdio.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <infiniband/ib.h>
#include <rdma/rdma_cma.h>

#define S(s)                                                                \
	printf("%s size %zu\n%s align %zu\n", #s, sizeof(struct s), #s,     \
	       _Alignof(struct s))
#define F(s, f)                                                             \
	printf("%s.%s %zu %zu\n", #s, #f, offsetof(struct s, f),            \
	       sizeof(((struct s *)0)->f))
#define V(f)                                                                \
	printf("verbs_context.%s %ld %zu\n", #f,                            \
	       (long)offsetof(struct verbs_context, f) -                    \
		       (long)offsetof(struct verbs_context, context),       \
	       sizeof(((struct verbs_context *)0)->f))
#define E(e, v) printf("enum %s %s %lld\n", #e, #v, (long long)(v))

static void contexts(void)
{
	S(ibv_device);
	F(ibv_device, _ops);
	F(ibv_device, node_type);
	F(ibv_device, transport_type);
	F(ibv_device, name);
	F(ibv_device, dev_name);
	F(ibv_device, dev_path);
	F(ibv_device, ibdev_path);

	S(ibv_context_ops);
	F(ibv_context_ops, _compat_query_device);
	F(ibv_context_ops, _compat_query_port);
	F(ibv_context_ops, _compat_alloc_pd);
	F(ibv_context_ops, _compat_dealloc_pd);
	F(ibv_context_ops, _compat_reg_mr);
	F(ibv_context_ops, _compat_rereg_mr);
	F(ibv_context_ops, _compat_dereg_mr);
	F(ibv_context_ops, alloc_mw);
	F(ibv_context_ops, bind_mw);
	F(ibv_context_ops, dealloc_mw);
	F(ibv_context_ops, _compat_create_cq);
	F(ibv_context_ops, poll_cq);
	F(ibv_context_ops, req_notify_cq);
	F(ibv_context_ops, _compat_cq_event);
	F(ibv_context_ops, _compat_resize_cq);
	F(ibv_context_ops, _compat_destroy_cq);
	F(ibv_context_ops, _compat_create_srq);
	F(ibv_context_ops, _compat_modify_srq);
	F(ibv_context_ops, _compat_query_srq);
	F(ibv_context_ops, _compat_destroy_srq);
	F(ibv_context_ops, post_srq_recv);
	F(ibv_context_ops, _compat_create_qp);
	F(ibv_context_ops, _compat_query_qp);
	F(ibv_context_ops, _compat_modify_qp);
	F(ibv_context_ops, _compat_destroy_qp);
	F(ibv_context_ops, post_send);
	F(ibv_context_ops, post_recv);
	F(ibv_context_ops, _compat_create_ah);
	F(ibv_context_ops, _compat_destroy_ah);
	F(ibv_context_ops, _compat_attach_mcast);
	F(ibv_context_ops, _compat_detach_mcast);
	F(ibv_context_ops, _compat_async_event);

	S(ibv_context);
	F(ibv_context, device);
	F(ibv_context, ops);
	F(ibv_context, cmd_fd);
	F(ibv_context, async_fd);
	F(ibv_context, num_comp_vectors);
	F(ibv_context, mutex);
	F(ibv_context, abi_compat);

	V(query_port);
	V(advise_mr);
	V(alloc_null_mr);
	V(read_counters);
	V(attach_counters_point_flow);
	V(create_counters);
	V(destroy_counters);
	V(reg_dm_mr);
	V(alloc_dm);
	V(free_dm);
	V(modify_flow_action_esp);
	V(destroy_flow_action);
	V(create_flow_action_esp);
	V(modify_qp_rate_limit);
	V(alloc_parent_domain);
	V(dealloc_td);
	V(alloc_td);
	V(modify_cq);
	V(post_srq_ops);
	V(destroy_rwq_ind_table);
	V(create_rwq_ind_table);
	V(destroy_wq);
	V(modify_wq);
	V(create_wq);
	V(query_rt_values);
	V(create_cq_ex);
	V(priv);
	V(query_device_ex);
	V(ibv_destroy_flow);
	V(ABI_placeholder2);
	V(ibv_create_flow);
	V(ABI_placeholder1);
	V(open_qp);
	V(create_qp_ex);
	V(get_srq_num);
	V(create_srq_ex);
	V(open_xrcd);
	V(close_xrcd);
	V(_ABI_placeholder3);
	V(sz);
	V(context);
}

static void device_attributes(void)
{
	S(ibv_device_attr);
	F(ibv_device_attr, fw_ver);
	F(ibv_device_attr, node_guid);
	F(ibv_device_attr, sys_image_guid);
	F(ibv_device_attr, max_mr_size);
	F(ibv_device_attr, page_size_cap);
	F(ibv_device_attr, vendor_id);
	F(ibv_device_attr, vendor_part_id);
	F(ibv_device_attr, hw_ver);
	F(ibv_device_attr, max_qp);
	F(ibv_device_attr, max_qp_wr);
	F(ibv_device_attr, device_cap_flags);
	F(ibv_device_attr, max_sge);
	F(ibv_device_attr, max_sge_rd);
	F(ibv_device_attr, max_cq);
	F(ibv_device_attr, max_cqe);
	F(ibv_device_attr, max_mr);
	F(ibv_device_attr, max_pd);
	F(ibv_device_attr, max_qp_rd_atom);
	F(ibv_device_attr, max_ee_rd_atom);
	F(ibv_device_attr, max_res_rd_atom);
	F(ibv_device_attr, max_qp_init_rd_atom);
	F(ibv_device_attr, max_ee_init_rd_atom);
	F(ibv_device_attr, atomic_cap);
	F(ibv_device_attr, max_ee);
	F(ibv_device_attr, max_rdd);
	F(ibv_device_attr, max_mw);
	F(ibv_device_attr, max_raw_ipv6_qp);
	F(ibv_device_attr, max_raw_ethy_qp);
	F(ibv_device_attr, max_mcast_grp);
	F(ibv_device_attr, max_mcast_qp_attach);
	F(ibv_device_attr, max_total_mcast_qp_attach);
	F(ibv_device_attr, max_ah);
	F(ibv_device_attr, max_fmr);
	F(ibv_device_attr, max_map_per_fmr);
	F(ibv_device_attr, max_srq);
	F(ibv_device_attr, max_srq_wr);
	F(ibv_device_attr, max_srq_sge);
	F(ibv_device_attr, max_pkeys);
	F(ibv_device_attr, local_ca_ack_delay);
	F(ibv_device_attr, phys_port_cnt);

	S(ibv_odp_caps);
	F(ibv_odp_caps, general_caps);
	F(ibv_odp_caps, per_transport_caps.rc_odp_caps);
	F(ibv_odp_caps, per_transport_caps.uc_odp_caps);
	F(ibv_odp_caps, per_transport_caps.ud_odp_caps);

	S(ibv_tso_caps);
	F(ibv_tso_caps, max_tso);
	F(ibv_tso_caps, supported_qpts);

	S(ibv_rss_caps);
	F(ibv_rss_caps, supported_qpts);
	F(ibv_rss_caps, max_rwq_indirection_tables);
	F(ibv_rss_caps, max_rwq_indirection_table_size);
	F(ibv_rss_caps, rx_hash_fields_mask);
	F(ibv_rss_caps, rx_hash_function);

	S(ibv_packet_pacing_caps);
	F(ibv_packet_pacing_caps, qp_rate_limit_min);
	F(ibv_packet_pacing_caps, qp_rate_limit_max);
	F(ibv_packet_pacing_caps, supported_qpts);

	S(ibv_tm_caps);
	F(ibv_tm_caps, max_rndv_hdr_size);
	F(ibv_tm_caps, max_num_tags);
	F(ibv_tm_caps, flags);
	F(ibv_tm_caps, max_ops);
	F(ibv_tm_caps, max_sge);

	S(ibv_cq_moderation_caps);
	F(ibv_cq_moderation_caps, max_cq_count);
	F(ibv_cq_moderation_caps, max_cq_period);

	S(ibv_pci_atomic_caps);
	F(ibv_pci_atomic_caps, fetch_add);
	F(ibv_pci_atomic_caps, swap);
	F(ibv_pci_atomic_caps, compare_swap);

	S(ibv_device_attr_ex);
	F(ibv_device_attr_ex, orig_attr);
	F(ibv_device_attr_ex, comp_mask);
	F(ibv_device_attr_ex, odp_caps);
	F(ibv_device_attr_ex, completion_timestamp_mask);
	F(ibv_device_attr_ex, hca_core_clock);
	F(ibv_device_attr_ex, device_cap_flags_ex);
	F(ibv_device_attr_ex, tso_caps);
	F(ibv_device_attr_ex, rss_caps);
	F(ibv_device_attr_ex, max_wq_type_rq);
	F(ibv_device_attr_ex, packet_pacing_caps);
	F(ibv_device_attr_ex, raw_packet_caps);
	F(ibv_device_attr_ex, tm_caps);
	F(ibv_device_attr_ex, cq_mod_caps);
	F(ibv_device_attr_ex, max_dm_size);
	F(ibv_device_attr_ex, pci_atomic_caps);
	F(ibv_device_attr_ex, xrc_odp_caps);
	F(ibv_device_attr_ex, phys_port_cnt_ex);

	S(ibv_query_device_ex_input);
	F(ibv_query_device_ex_input, comp_mask);
}

static void port_attributes(void)
{
	S(ibv_port_attr);
	F(ibv_port_attr, state);
	F(ibv_port_attr, max_mtu);
	F(ibv_port_attr, active_mtu);
	F(ibv_port_attr, gid_tbl_len);
	F(ibv_port_attr, port_cap_flags);
	F(ibv_port_attr, max_msg_sz);
	F(ibv_port_attr, bad_pkey_cntr);
	F(ibv_port_attr, qkey_viol_cntr);
	F(ibv_port_attr, pkey_tbl_len);
	F(ibv_port_attr, lid);
	F(ibv_port_attr, sm_lid);
	F(ibv_port_attr, lmc);
	F(ibv_port_attr, max_vl_num);
	F(ibv_port_attr, sm_sl);
	F(ibv_port_attr, subnet_timeout);
	F(ibv_port_attr, init_type_reply);
	F(ibv_port_attr, active_width);
	F(ibv_port_attr, active_speed);
	F(ibv_port_attr, phys_state);
	F(ibv_port_attr, link_layer);
	F(ibv_port_attr, flags);
	F(ibv_port_attr, port_cap_flags2);

	S(ibv_gid_entry);
	F(ibv_gid_entry, gid);
	F(ibv_gid_entry, gid_index);
	F(ibv_gid_entry, port_num);
	F(ibv_gid_entry, gid_type);
	F(ibv_gid_entry, ndev_ifindex);
}

static void objects(void)
{
	S(ibv_pd);
	F(ibv_pd, context);
	F(ibv_pd, handle);

	S(ibv_mr);
	F(ibv_mr, context);
	F(ibv_mr, pd);
	F(ibv_mr, addr);
	F(ibv_mr, length);
	F(ibv_mr, handle);
	F(ibv_mr, lkey);
	F(ibv_mr, rkey);

	S(ibv_mw);
	F(ibv_mw, context);
	F(ibv_mw, pd);
	F(ibv_mw, rkey);
	F(ibv_mw, handle);
	F(ibv_mw, type);
	S(ibv_dm);
	F(ibv_dm, context);
	F(ibv_dm, memcpy_to_dm);
	F(ibv_dm, memcpy_from_dm);
	F(ibv_dm, comp_mask);
	F(ibv_dm, handle);
	S(ibv_alloc_dm_attr);
	F(ibv_alloc_dm_attr, length);
	F(ibv_alloc_dm_attr, log_align_req);
	F(ibv_alloc_dm_attr, comp_mask);
	S(ibv_values_ex);
	F(ibv_values_ex, comp_mask);
	F(ibv_values_ex, raw_clock);

	S(ibv_mw_bind_info);
	F(ibv_mw_bind_info, mr);
	F(ibv_mw_bind_info, addr);
	F(ibv_mw_bind_info, length);
	F(ibv_mw_bind_info, mw_access_flags);

	S(ibv_mw_bind);
	F(ibv_mw_bind, wr_id);
	F(ibv_mw_bind, send_flags);
	F(ibv_mw_bind, bind_info);

	S(ibv_comp_channel);
	F(ibv_comp_channel, context);
	F(ibv_comp_channel, fd);
	F(ibv_comp_channel, refcnt);

	S(ibv_cq);
	F(ibv_cq, context);
	F(ibv_cq, channel);
	F(ibv_cq, cq_context);
	F(ibv_cq, handle);
	F(ibv_cq, cqe);
	F(ibv_cq, mutex);
	F(ibv_cq, cond);
	F(ibv_cq, comp_events_completed);
	F(ibv_cq, async_events_completed);

	S(ibv_srq);
	F(ibv_srq, context);
	F(ibv_srq, srq_context);
	F(ibv_srq, pd);
	F(ibv_srq, handle);
	F(ibv_srq, mutex);
	F(ibv_srq, cond);
	F(ibv_srq, events_completed);

	S(ibv_qp);
	F(ibv_qp, context);
	F(ibv_qp, qp_context);
	F(ibv_qp, pd);
	F(ibv_qp, send_cq);
	F(ibv_qp, recv_cq);
	F(ibv_qp, srq);
	F(ibv_qp, handle);
	F(ibv_qp, qp_num);
	F(ibv_qp, state);
	F(ibv_qp, qp_type);
	F(ibv_qp, mutex);
	F(ibv_qp, cond);
	F(ibv_qp, events_completed);

	S(ibv_ah);
	F(ibv_ah, context);
	F(ibv_ah, pd);
	F(ibv_ah, handle);
}

static void extended(void)
{
	S(ibv_rx_hash_conf);
	F(ibv_rx_hash_conf, rx_hash_function);
	F(ibv_rx_hash_conf, rx_hash_key_len);
	F(ibv_rx_hash_conf, rx_hash_key);
	F(ibv_rx_hash_conf, rx_hash_fields_mask);

	S(ibv_qp_init_attr_ex);
	F(ibv_qp_init_attr_ex, qp_context);
	F(ibv_qp_init_attr_ex, send_cq);
	F(ibv_qp_init_attr_ex, recv_cq);
	F(ibv_qp_init_attr_ex, srq);
	F(ibv_qp_init_attr_ex, cap);
	F(ibv_qp_init_attr_ex, qp_type);
	F(ibv_qp_init_attr_ex, sq_sig_all);
	F(ibv_qp_init_attr_ex, comp_mask);
	F(ibv_qp_init_attr_ex, pd);
	F(ibv_qp_init_attr_ex, xrcd);
	F(ibv_qp_init_attr_ex, create_flags);
	F(ibv_qp_init_attr_ex, max_tso_header);
	F(ibv_qp_init_attr_ex, rwq_ind_tbl);
	F(ibv_qp_init_attr_ex, rx_hash_conf);
	F(ibv_qp_init_attr_ex, source_qpn);
	F(ibv_qp_init_attr_ex, send_ops_flags);

	/* It grows at its end. */
	F(ibv_qp_ex, qp_base);
	F(ibv_qp_ex, comp_mask);
	F(ibv_qp_ex, wr_id);
	F(ibv_qp_ex, wr_flags);
	F(ibv_qp_ex, wr_atomic_cmp_swp);
	F(ibv_qp_ex, wr_atomic_fetch_add);
	F(ibv_qp_ex, wr_bind_mw);
	F(ibv_qp_ex, wr_local_inv);
	F(ibv_qp_ex, wr_rdma_read);
	F(ibv_qp_ex, wr_rdma_write);
	F(ibv_qp_ex, wr_rdma_write_imm);
	F(ibv_qp_ex, wr_send);
	F(ibv_qp_ex, wr_send_imm);
	F(ibv_qp_ex, wr_send_inv);
	F(ibv_qp_ex, wr_send_tso);
	F(ibv_qp_ex, wr_set_ud_addr);
	F(ibv_qp_ex, wr_set_xrc_srqn);
	F(ibv_qp_ex, wr_set_inline_data);
	F(ibv_qp_ex, wr_set_inline_data_list);
	F(ibv_qp_ex, wr_set_sge);
	F(ibv_qp_ex, wr_set_sge_list);
	F(ibv_qp_ex, wr_start);
	F(ibv_qp_ex, wr_complete);
	F(ibv_qp_ex, wr_abort);
	F(ibv_qp_ex, wr_atomic_write);

	S(ibv_data_buf);
	F(ibv_data_buf, addr);
	F(ibv_data_buf, length);

	S(ibv_cq_init_attr_ex);
	F(ibv_cq_init_attr_ex, cqe);
	F(ibv_cq_init_attr_ex, cq_context);
	F(ibv_cq_init_attr_ex, channel);
	F(ibv_cq_init_attr_ex, comp_vector);
	F(ibv_cq_init_attr_ex, wc_flags);
	F(ibv_cq_init_attr_ex, comp_mask);
	F(ibv_cq_init_attr_ex, flags);
	F(ibv_cq_init_attr_ex, parent_domain);

	S(ibv_poll_cq_attr);
	F(ibv_poll_cq_attr, comp_mask);

	S(ibv_cq_ex);
	F(ibv_cq_ex, context);
	F(ibv_cq_ex, channel);
	F(ibv_cq_ex, cq_context);
	F(ibv_cq_ex, handle);
	F(ibv_cq_ex, cqe);
	F(ibv_cq_ex, mutex);
	F(ibv_cq_ex, cond);
	F(ibv_cq_ex, comp_events_completed);
	F(ibv_cq_ex, async_events_completed);
	F(ibv_cq_ex, comp_mask);
	F(ibv_cq_ex, status);
	F(ibv_cq_ex, wr_id);
	F(ibv_cq_ex, start_poll);
	F(ibv_cq_ex, next_poll);
	F(ibv_cq_ex, end_poll);
	F(ibv_cq_ex, read_opcode);
	F(ibv_cq_ex, read_vendor_err);
	F(ibv_cq_ex, read_byte_len);
	F(ibv_cq_ex, read_imm_data);
	F(ibv_cq_ex, read_qp_num);
	F(ibv_cq_ex, read_src_qp);
	F(ibv_cq_ex, read_wc_flags);
	F(ibv_cq_ex, read_slid);
	F(ibv_cq_ex, read_sl);
	F(ibv_cq_ex, read_dlid_path_bits);
	F(ibv_cq_ex, read_completion_ts);
	F(ibv_cq_ex, read_cvlan);
	F(ibv_cq_ex, read_flow_tag);
	F(ibv_cq_ex, read_tm_info);
	F(ibv_cq_ex, read_completion_wallclock_ns);
}

static void qp_attributes(void)
{
	S(ibv_qp_cap);
	F(ibv_qp_cap, max_send_wr);
	F(ibv_qp_cap, max_recv_wr);
	F(ibv_qp_cap, max_send_sge);
	F(ibv_qp_cap, max_recv_sge);
	F(ibv_qp_cap, max_inline_data);

	S(ibv_qp_init_attr);
	F(ibv_qp_init_attr, qp_context);
	F(ibv_qp_init_attr, send_cq);
	F(ibv_qp_init_attr, recv_cq);
	F(ibv_qp_init_attr, srq);
	F(ibv_qp_init_attr, cap);
	F(ibv_qp_init_attr, qp_type);
	F(ibv_qp_init_attr, sq_sig_all);

	S(ibv_moderate_cq);
	F(ibv_moderate_cq, cq_count);
	F(ibv_moderate_cq, cq_period);

	S(ibv_modify_cq_attr);
	F(ibv_modify_cq_attr, attr_mask);
	F(ibv_modify_cq_attr, moderate);

	S(ibv_srq_attr);
	F(ibv_srq_attr, max_wr);
	F(ibv_srq_attr, max_sge);
	F(ibv_srq_attr, srq_limit);

	S(ibv_srq_init_attr);
	F(ibv_srq_init_attr, srq_context);
	F(ibv_srq_init_attr, attr);

	S(ibv_global_route);
	F(ibv_global_route, dgid);
	F(ibv_global_route, flow_label);
	F(ibv_global_route, sgid_index);
	F(ibv_global_route, hop_limit);
	F(ibv_global_route, traffic_class);

	S(ibv_ah_attr);
	F(ibv_ah_attr, grh);
	F(ibv_ah_attr, dlid);
	F(ibv_ah_attr, sl);
	F(ibv_ah_attr, src_path_bits);
	F(ibv_ah_attr, static_rate);
	F(ibv_ah_attr, is_global);
	F(ibv_ah_attr, port_num);

	S(ibv_qp_attr);
	F(ibv_qp_attr, qp_state);
	F(ibv_qp_attr, cur_qp_state);
	F(ibv_qp_attr, path_mtu);
	F(ibv_qp_attr, path_mig_state);
	F(ibv_qp_attr, qkey);
	F(ibv_qp_attr, rq_psn);
	F(ibv_qp_attr, sq_psn);
	F(ibv_qp_attr, dest_qp_num);
	F(ibv_qp_attr, qp_access_flags);
	F(ibv_qp_attr, cap);
	F(ibv_qp_attr, ah_attr);
	F(ibv_qp_attr, alt_ah_attr);
	F(ibv_qp_attr, pkey_index);
	F(ibv_qp_attr, alt_pkey_index);
	F(ibv_qp_attr, en_sqd_async_notify);
	F(ibv_qp_attr, sq_draining);
	F(ibv_qp_attr, max_rd_atomic);
	F(ibv_qp_attr, max_dest_rd_atomic);
	F(ibv_qp_attr, min_rnr_timer);
	F(ibv_qp_attr, port_num);
	F(ibv_qp_attr, timeout);
	F(ibv_qp_attr, retry_cnt);
	F(ibv_qp_attr, rnr_retry);
	F(ibv_qp_attr, alt_port_num);
	F(ibv_qp_attr, alt_timeout);
	F(ibv_qp_attr, rate_limit);
}

static void work_requests(void)
{
	S(ibv_sge);
	F(ibv_sge, addr);
	F(ibv_sge, length);
	F(ibv_sge, lkey);

	S(ibv_send_wr);
	F(ibv_send_wr, wr_id);
	F(ibv_send_wr, next);
	F(ibv_send_wr, sg_list);
	F(ibv_send_wr, num_sge);
	F(ibv_send_wr, opcode);
	F(ibv_send_wr, send_flags);
	F(ibv_send_wr, imm_data);
	F(ibv_send_wr, invalidate_rkey);
	F(ibv_send_wr, wr);
	F(ibv_send_wr, wr.rdma.remote_addr);
	F(ibv_send_wr, wr.rdma.rkey);
	F(ibv_send_wr, wr.atomic.remote_addr);
	F(ibv_send_wr, wr.atomic.compare_add);
	F(ibv_send_wr, wr.atomic.swap);
	F(ibv_send_wr, wr.atomic.rkey);
	F(ibv_send_wr, wr.ud.ah);
	F(ibv_send_wr, wr.ud.remote_qpn);
	F(ibv_send_wr, wr.ud.remote_qkey);
	F(ibv_send_wr, qp_type);
	F(ibv_send_wr, bind_mw);
	F(ibv_send_wr, bind_mw.mw);
	F(ibv_send_wr, bind_mw.rkey);
	F(ibv_send_wr, bind_mw.bind_info);

	S(ibv_recv_wr);
	F(ibv_recv_wr, wr_id);
	F(ibv_recv_wr, next);
	F(ibv_recv_wr, sg_list);
	F(ibv_recv_wr, num_sge);

	S(ibv_wc);
	F(ibv_wc, wr_id);
	F(ibv_wc, status);
	F(ibv_wc, opcode);
	F(ibv_wc, vendor_err);
	F(ibv_wc, byte_len);
	F(ibv_wc, imm_data);
	F(ibv_wc, invalidated_rkey);
	F(ibv_wc, qp_num);
	F(ibv_wc, src_qp);
	F(ibv_wc, wc_flags);
	F(ibv_wc, pkey_index);
	F(ibv_wc, slid);
	F(ibv_wc, sl);
	F(ibv_wc, dlid_path_bits);

	S(ibv_grh);
	F(ibv_grh, version_tclass_flow);
	F(ibv_grh, paylen);
	F(ibv_grh, next_hdr);
	F(ibv_grh, hop_limit);
	F(ibv_grh, sgid);
	F(ibv_grh, dgid);

	S(ibv_async_event);
	F(ibv_async_event, element);
	F(ibv_async_event, element.cq);
	F(ibv_async_event, element.qp);
	F(ibv_async_event, element.srq);
	F(ibv_async_event, element.wq);
	F(ibv_async_event, element.port_num);
	F(ibv_async_event, event_type);
}

static void connection_manager(void)
{
	S(sockaddr_in);
	F(sockaddr_in, sin_family);
	F(sockaddr_in, sin_port);
	F(sockaddr_in, sin_addr);
	F(sockaddr_in, sin_zero);

	S(sockaddr_in6);
	F(sockaddr_in6, sin6_family);
	F(sockaddr_in6, sin6_port);
	F(sockaddr_in6, sin6_flowinfo);
	F(sockaddr_in6, sin6_addr);
	F(sockaddr_in6, sin6_scope_id);

	S(sockaddr_storage);
	F(sockaddr_storage, ss_family);

	S(sockaddr_ib);
	F(sockaddr_ib, sib_family);
	F(sockaddr_ib, sib_pkey);
	F(sockaddr_ib, sib_flowinfo);
	F(sockaddr_ib, sib_addr);
	F(sockaddr_ib, sib_sid);
	F(sockaddr_ib, sib_sid_mask);
	F(sockaddr_ib, sib_scope_id);

	S(rdma_event_channel);
	F(rdma_event_channel, fd);

	S(rdma_ib_addr);
	F(rdma_ib_addr, sgid);
	F(rdma_ib_addr, dgid);
	F(rdma_ib_addr, pkey);

	S(rdma_addr);
	F(rdma_addr, src_storage);
	F(rdma_addr, dst_storage);
	F(rdma_addr, addr);

	S(rdma_route);
	F(rdma_route, addr);
	F(rdma_route, path_rec);
	F(rdma_route, num_paths);

	S(rdma_cm_id);
	F(rdma_cm_id, verbs);
	F(rdma_cm_id, channel);
	F(rdma_cm_id, context);
	F(rdma_cm_id, qp);
	F(rdma_cm_id, route);
	F(rdma_cm_id, ps);
	F(rdma_cm_id, port_num);
	F(rdma_cm_id, event);
	F(rdma_cm_id, send_cq_channel);
	F(rdma_cm_id, send_cq);
	F(rdma_cm_id, recv_cq_channel);
	F(rdma_cm_id, recv_cq);
	F(rdma_cm_id, srq);
	F(rdma_cm_id, pd);
	F(rdma_cm_id, qp_type);

	S(rdma_addrinfo);
	F(rdma_addrinfo, ai_flags);
	F(rdma_addrinfo, ai_family);
	F(rdma_addrinfo, ai_qp_type);
	F(rdma_addrinfo, ai_port_space);
	F(rdma_addrinfo, ai_src_len);
	F(rdma_addrinfo, ai_dst_len);
	F(rdma_addrinfo, ai_src_addr);
	F(rdma_addrinfo, ai_dst_addr);
	F(rdma_addrinfo, ai_src_canonname);
	F(rdma_addrinfo, ai_dst_canonname);
	F(rdma_addrinfo, ai_route_len);
	F(rdma_addrinfo, ai_route);
	F(rdma_addrinfo, ai_connect_len);
	F(rdma_addrinfo, ai_connect);
	F(rdma_addrinfo, ai_next);

	S(rdma_conn_param);
	F(rdma_conn_param, private_data);
	F(rdma_conn_param, private_data_len);
	F(rdma_conn_param, responder_resources);
	F(rdma_conn_param, initiator_depth);
	F(rdma_conn_param, flow_control);
	F(rdma_conn_param, retry_count);
	F(rdma_conn_param, rnr_retry_count);
	F(rdma_conn_param, srq);
	F(rdma_conn_param, qp_num);

	S(rdma_ud_param);
	F(rdma_ud_param, private_data);
	F(rdma_ud_param, private_data_len);
	F(rdma_ud_param, ah_attr);
	F(rdma_ud_param, qp_num);
	F(rdma_ud_param, qkey);

	S(rdma_cm_event);
	F(rdma_cm_event, id);
	F(rdma_cm_event, listen_id);
	F(rdma_cm_event, event);
	F(rdma_cm_event, status);
	F(rdma_cm_event, param);
	F(rdma_cm_event, param.conn.private_data);
	F(rdma_cm_event, param.conn.private_data_len);
	F(rdma_cm_event, param.conn.responder_resources);
	F(rdma_cm_event, param.conn.initiator_depth);
	F(rdma_cm_event, param.conn.flow_control);
	F(rdma_cm_event, param.conn.retry_count);
	F(rdma_cm_event, param.conn.rnr_retry_count);
	F(rdma_cm_event, param.conn.srq);
	F(rdma_cm_event, param.conn.qp_num);
	F(rdma_cm_event, param.ud.private_data);
	F(rdma_cm_event, param.ud.private_data_len);
	F(rdma_cm_event, param.ud.ah_attr);
	F(rdma_cm_event, param.ud.qp_num);
	F(rdma_cm_event, param.ud.qkey);
}

static void connection_manager_enumerators(void)
{
	E(address_family, AF_UNSPEC);
	E(address_family, AF_INET);
	E(address_family, AF_INET6);
	E(address_family, AF_IB);
	E(rdma_cm_event_type, RDMA_CM_EVENT_ADDR_RESOLVED);
	E(rdma_cm_event_type, RDMA_CM_EVENT_ADDR_ERROR);
	E(rdma_cm_event_type, RDMA_CM_EVENT_ROUTE_RESOLVED);
	E(rdma_cm_event_type, RDMA_CM_EVENT_ROUTE_ERROR);
	E(rdma_cm_event_type, RDMA_CM_EVENT_CONNECT_REQUEST);
	E(rdma_cm_event_type, RDMA_CM_EVENT_CONNECT_RESPONSE);
	E(rdma_cm_event_type, RDMA_CM_EVENT_CONNECT_ERROR);
	E(rdma_cm_event_type, RDMA_CM_EVENT_UNREACHABLE);
	E(rdma_cm_event_type, RDMA_CM_EVENT_REJECTED);
	E(rdma_cm_event_type, RDMA_CM_EVENT_ESTABLISHED);
	E(rdma_cm_event_type, RDMA_CM_EVENT_DISCONNECTED);
	E(rdma_cm_event_type, RDMA_CM_EVENT_DEVICE_REMOVAL);
	E(rdma_cm_event_type, RDMA_CM_EVENT_MULTICAST_JOIN);
	E(rdma_cm_event_type, RDMA_CM_EVENT_MULTICAST_ERROR);
	E(rdma_cm_event_type, RDMA_CM_EVENT_ADDR_CHANGE);
	E(rdma_cm_event_type, RDMA_CM_EVENT_TIMEWAIT_EXIT);
	E(rdma_port_space, RDMA_PS_IPOIB);
	E(rdma_port_space, RDMA_PS_TCP);
	E(rdma_port_space, RDMA_PS_UDP);
	E(rdma_port_space, RDMA_PS_IB);
	E(rdma_addrinfo_flags, RAI_PASSIVE);
	E(rdma_addrinfo_flags, RAI_NUMERICHOST);
	E(rdma_addrinfo_flags, RAI_NOROUTE);
	E(rdma_addrinfo_flags, RAI_FAMILY);
	E(gai_error, EAI_BADFLAGS);
	E(gai_error, EAI_NONAME);
	E(gai_error, EAI_AGAIN);
	E(gai_error, EAI_FAIL);
	E(gai_error, EAI_NODATA);
	E(gai_error, EAI_FAMILY);
	E(gai_error, EAI_SOCKTYPE);
	E(gai_error, EAI_SERVICE);
	E(gai_error, EAI_ADDRFAMILY);
	E(gai_error, EAI_MEMORY);
	E(gai_error, EAI_SYSTEM);
	E(gai_error, EAI_OVERFLOW);
	E(rdma_option, RDMA_OPTION_ID);
	E(rdma_option, RDMA_OPTION_ID_TOS);
	E(rdma_option, RDMA_OPTION_ID_REUSEADDR);
	E(rdma_option, RDMA_OPTION_ID_AFONLY);
	E(rdma_option, RDMA_OPTION_ID_ACK_TIMEOUT);
	E(rdma_limit, RDMA_MAX_RESP_RES);
	E(rdma_limit, RDMA_MAX_INIT_DEPTH);
}

static void enumerators(void)
{
	E(ibv_node_type, IBV_NODE_UNKNOWN);
	E(ibv_node_type, IBV_NODE_CA);
	E(ibv_node_type, IBV_NODE_SWITCH);
	E(ibv_node_type, IBV_NODE_ROUTER);
	E(ibv_node_type, IBV_NODE_RNIC);
	E(ibv_node_type, IBV_NODE_USNIC);
	E(ibv_node_type, IBV_NODE_USNIC_UDP);
	E(ibv_node_type, IBV_NODE_UNSPECIFIED);
	E(ibv_transport_type, IBV_TRANSPORT_UNKNOWN);
	E(ibv_transport_type, IBV_TRANSPORT_IB);
	E(ibv_transport_type, IBV_TRANSPORT_IWARP);
	E(ibv_transport_type, IBV_TRANSPORT_USNIC);
	E(ibv_transport_type, IBV_TRANSPORT_USNIC_UDP);
	E(ibv_transport_type, IBV_TRANSPORT_UNSPECIFIED);
	E(ibv_device_cap_flags, IBV_DEVICE_RESIZE_MAX_WR);
	E(ibv_device_cap_flags, IBV_DEVICE_BAD_PKEY_CNTR);
	E(ibv_device_cap_flags, IBV_DEVICE_BAD_QKEY_CNTR);
	E(ibv_device_cap_flags, IBV_DEVICE_RAW_MULTI);
	E(ibv_device_cap_flags, IBV_DEVICE_AUTO_PATH_MIG);
	E(ibv_device_cap_flags, IBV_DEVICE_CHANGE_PHY_PORT);
	E(ibv_device_cap_flags, IBV_DEVICE_UD_AV_PORT_ENFORCE);
	E(ibv_device_cap_flags, IBV_DEVICE_CURR_QP_STATE_MOD);
	E(ibv_device_cap_flags, IBV_DEVICE_SHUTDOWN_PORT);
	E(ibv_device_cap_flags, IBV_DEVICE_INIT_TYPE);
	E(ibv_device_cap_flags, IBV_DEVICE_PORT_ACTIVE_EVENT);
	E(ibv_device_cap_flags, IBV_DEVICE_SYS_IMAGE_GUID);
	E(ibv_device_cap_flags, IBV_DEVICE_RC_RNR_NAK_GEN);
	E(ibv_device_cap_flags, IBV_DEVICE_SRQ_RESIZE);
	E(ibv_device_cap_flags, IBV_DEVICE_N_NOTIFY_CQ);
	E(ibv_device_cap_flags, IBV_DEVICE_MEM_WINDOW);
	E(ibv_device_cap_flags, IBV_DEVICE_UD_IP_CSUM);
	E(ibv_device_cap_flags, IBV_DEVICE_XRC);
	E(ibv_device_cap_flags, IBV_DEVICE_MEM_MGT_EXTENSIONS);
	E(ibv_device_cap_flags, IBV_DEVICE_MEM_WINDOW_TYPE_2A);
	E(ibv_device_cap_flags, IBV_DEVICE_MEM_WINDOW_TYPE_2B);
	E(ibv_device_cap_flags, IBV_DEVICE_RC_IP_CSUM);
	E(ibv_device_cap_flags, IBV_DEVICE_RAW_IP_CSUM);
	E(ibv_device_cap_flags, IBV_DEVICE_MANAGED_FLOW_STEERING);
	E(ibv_atomic_cap, IBV_ATOMIC_NONE);
	E(ibv_atomic_cap, IBV_ATOMIC_HCA);
	E(ibv_atomic_cap, IBV_ATOMIC_GLOB);
	E(ibv_odp_transport_cap_bits, IBV_ODP_SUPPORT_SEND);
	E(ibv_odp_transport_cap_bits, IBV_ODP_SUPPORT_RECV);
	E(ibv_odp_transport_cap_bits, IBV_ODP_SUPPORT_WRITE);
	E(ibv_odp_transport_cap_bits, IBV_ODP_SUPPORT_READ);
	E(ibv_odp_transport_cap_bits, IBV_ODP_SUPPORT_ATOMIC);
	E(ibv_odp_transport_cap_bits, IBV_ODP_SUPPORT_SRQ_RECV);
	E(ibv_odp_general_caps, IBV_ODP_SUPPORT);
	E(ibv_odp_general_caps, IBV_ODP_SUPPORT_IMPLICIT);
	E(ibv_rx_hash_function_flags, IBV_RX_HASH_FUNC_TOEPLITZ);
	E(ibv_rx_hash_fields, IBV_RX_HASH_SRC_IPV4);
	E(ibv_rx_hash_fields, IBV_RX_HASH_DST_IPV4);
	E(ibv_rx_hash_fields, IBV_RX_HASH_SRC_IPV6);
	E(ibv_rx_hash_fields, IBV_RX_HASH_DST_IPV6);
	E(ibv_rx_hash_fields, IBV_RX_HASH_SRC_PORT_TCP);
	E(ibv_rx_hash_fields, IBV_RX_HASH_DST_PORT_TCP);
	E(ibv_rx_hash_fields, IBV_RX_HASH_SRC_PORT_UDP);
	E(ibv_rx_hash_fields, IBV_RX_HASH_DST_PORT_UDP);
	E(ibv_rx_hash_fields, IBV_RX_HASH_IPSEC_SPI);
	E(ibv_rx_hash_fields, IBV_RX_HASH_INNER);
	E(ibv_raw_packet_caps, IBV_RAW_PACKET_CAP_CVLAN_STRIPPING);
	E(ibv_raw_packet_caps, IBV_RAW_PACKET_CAP_SCATTER_FCS);
	E(ibv_raw_packet_caps, IBV_RAW_PACKET_CAP_IP_CSUM);
	E(ibv_raw_packet_caps, IBV_RAW_PACKET_CAP_DELAY_DROP);
	E(ibv_tm_cap_flags, IBV_TM_CAP_RC);
	E(ibv_pci_atomic_op_size, IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP);
	E(ibv_pci_atomic_op_size, IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP);
	E(ibv_pci_atomic_op_size, IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP);
	E(ibv_mtu, IBV_MTU_256);
	E(ibv_mtu, IBV_MTU_512);
	E(ibv_mtu, IBV_MTU_1024);
	E(ibv_mtu, IBV_MTU_2048);
	E(ibv_mtu, IBV_MTU_4096);
	E(ibv_port_state, IBV_PORT_NOP);
	E(ibv_port_state, IBV_PORT_DOWN);
	E(ibv_port_state, IBV_PORT_INIT);
	E(ibv_port_state, IBV_PORT_ARMED);
	E(ibv_port_state, IBV_PORT_ACTIVE);
	E(ibv_port_state, IBV_PORT_ACTIVE_DEFER);
	E(ibv_port_cap_flags, IBV_PORT_SM);
	E(ibv_port_cap_flags, IBV_PORT_NOTICE_SUP);
	E(ibv_port_cap_flags, IBV_PORT_TRAP_SUP);
	E(ibv_port_cap_flags, IBV_PORT_OPT_IPD_SUP);
	E(ibv_port_cap_flags, IBV_PORT_AUTO_MIGR_SUP);
	E(ibv_port_cap_flags, IBV_PORT_SL_MAP_SUP);
	E(ibv_port_cap_flags, IBV_PORT_MKEY_NVRAM);
	E(ibv_port_cap_flags, IBV_PORT_PKEY_NVRAM);
	E(ibv_port_cap_flags, IBV_PORT_LED_INFO_SUP);
	E(ibv_port_cap_flags, IBV_PORT_SYS_IMAGE_GUID_SUP);
	E(ibv_port_cap_flags, IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP);
	E(ibv_port_cap_flags, IBV_PORT_EXTENDED_SPEEDS_SUP);
	E(ibv_port_cap_flags, IBV_PORT_CAP_MASK2_SUP);
	E(ibv_port_cap_flags, IBV_PORT_CM_SUP);
	E(ibv_port_cap_flags, IBV_PORT_SNMP_TUNNEL_SUP);
	E(ibv_port_cap_flags, IBV_PORT_REINIT_SUP);
	E(ibv_port_cap_flags, IBV_PORT_DEVICE_MGMT_SUP);
	E(ibv_port_cap_flags, IBV_PORT_VENDOR_CLASS_SUP);
	E(ibv_port_cap_flags, IBV_PORT_DR_NOTICE_SUP);
	E(ibv_port_cap_flags, IBV_PORT_CAP_MASK_NOTICE_SUP);
	E(ibv_port_cap_flags, IBV_PORT_BOOT_MGMT_SUP);
	E(ibv_port_cap_flags, IBV_PORT_LINK_LATENCY_SUP);
	E(ibv_port_cap_flags, IBV_PORT_CLIENT_REG_SUP);
	E(ibv_port_cap_flags, IBV_PORT_IP_BASED_GIDS);
	E(ibv_port_cap_flags2, IBV_PORT_SET_NODE_DESC_SUP);
	E(ibv_port_cap_flags2, IBV_PORT_INFO_EXT_SUP);
	E(ibv_port_cap_flags2, IBV_PORT_VIRT_SUP);
	E(ibv_port_cap_flags2, IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP);
	E(ibv_port_cap_flags2, IBV_PORT_LINK_WIDTH_2X_SUP);
	E(ibv_port_cap_flags2, IBV_PORT_LINK_SPEED_HDR_SUP);
	E(ibv_port_cap_flags2, IBV_PORT_LINK_SPEED_NDR_SUP);
	E(ibv_event_type, IBV_EVENT_CQ_ERR);
	E(ibv_event_type, IBV_EVENT_QP_FATAL);
	E(ibv_event_type, IBV_EVENT_QP_REQ_ERR);
	E(ibv_event_type, IBV_EVENT_QP_ACCESS_ERR);
	E(ibv_event_type, IBV_EVENT_COMM_EST);
	E(ibv_event_type, IBV_EVENT_SQ_DRAINED);
	E(ibv_event_type, IBV_EVENT_PATH_MIG);
	E(ibv_event_type, IBV_EVENT_PATH_MIG_ERR);
	E(ibv_event_type, IBV_EVENT_DEVICE_FATAL);
	E(ibv_event_type, IBV_EVENT_PORT_ACTIVE);
	E(ibv_event_type, IBV_EVENT_PORT_ERR);
	E(ibv_event_type, IBV_EVENT_LID_CHANGE);
	E(ibv_event_type, IBV_EVENT_PKEY_CHANGE);
	E(ibv_event_type, IBV_EVENT_SM_CHANGE);
	E(ibv_event_type, IBV_EVENT_SRQ_ERR);
	E(ibv_event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	E(ibv_event_type, IBV_EVENT_QP_LAST_WQE_REACHED);
	E(ibv_event_type, IBV_EVENT_CLIENT_REREGISTER);
	E(ibv_event_type, IBV_EVENT_GID_CHANGE);
	E(ibv_event_type, IBV_EVENT_WQ_FATAL);
	E(ibv_wc_status, IBV_WC_SUCCESS);
	E(ibv_wc_status, IBV_WC_LOC_LEN_ERR);
	E(ibv_wc_status, IBV_WC_LOC_QP_OP_ERR);
	E(ibv_wc_status, IBV_WC_LOC_EEC_OP_ERR);
	E(ibv_wc_status, IBV_WC_LOC_PROT_ERR);
	E(ibv_wc_status, IBV_WC_WR_FLUSH_ERR);
	E(ibv_wc_status, IBV_WC_MW_BIND_ERR);
	E(ibv_wc_status, IBV_WC_BAD_RESP_ERR);
	E(ibv_wc_status, IBV_WC_LOC_ACCESS_ERR);
	E(ibv_wc_status, IBV_WC_REM_INV_REQ_ERR);
	E(ibv_wc_status, IBV_WC_REM_ACCESS_ERR);
	E(ibv_wc_status, IBV_WC_REM_OP_ERR);
	E(ibv_wc_status, IBV_WC_RETRY_EXC_ERR);
	E(ibv_wc_status, IBV_WC_RNR_RETRY_EXC_ERR);
	E(ibv_wc_status, IBV_WC_LOC_RDD_VIOL_ERR);
	E(ibv_wc_status, IBV_WC_REM_INV_RD_REQ_ERR);
	E(ibv_wc_status, IBV_WC_REM_ABORT_ERR);
	E(ibv_wc_status, IBV_WC_INV_EECN_ERR);
	E(ibv_wc_status, IBV_WC_INV_EEC_STATE_ERR);
	E(ibv_wc_status, IBV_WC_FATAL_ERR);
	E(ibv_wc_status, IBV_WC_RESP_TIMEOUT_ERR);
	E(ibv_wc_status, IBV_WC_GENERAL_ERR);
	E(ibv_wc_status, IBV_WC_TM_ERR);
	E(ibv_wc_status, IBV_WC_TM_RNDV_INCOMPLETE);
	E(ibv_wc_opcode, IBV_WC_SEND);
	E(ibv_wc_opcode, IBV_WC_RDMA_WRITE);
	E(ibv_wc_opcode, IBV_WC_RDMA_READ);
	E(ibv_wc_opcode, IBV_WC_COMP_SWAP);
	E(ibv_wc_opcode, IBV_WC_FETCH_ADD);
	E(ibv_wc_opcode, IBV_WC_BIND_MW);
	E(ibv_wc_opcode, IBV_WC_LOCAL_INV);
	E(ibv_wc_opcode, IBV_WC_TSO);
	E(ibv_wc_opcode, IBV_WC_ATOMIC_WRITE);
	E(ibv_wc_opcode, IBV_WC_RECV);
	E(ibv_wc_opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	E(ibv_wc_opcode, IBV_WC_TM_ADD);
	E(ibv_wc_opcode, IBV_WC_TM_DEL);
	E(ibv_wc_opcode, IBV_WC_TM_SYNC);
	E(ibv_wc_opcode, IBV_WC_TM_RECV);
	E(ibv_wc_opcode, IBV_WC_TM_NO_TAG);
	E(ibv_wc_opcode, IBV_WC_DRIVER1);
	E(ibv_wc_opcode, IBV_WC_DRIVER2);
	E(ibv_wc_opcode, IBV_WC_DRIVER3);
	E(ibv_wc_flags, IBV_WC_GRH);
	E(ibv_wc_flags, IBV_WC_WITH_IMM);
	E(ibv_wc_flags, IBV_WC_IP_CSUM_OK);
	E(ibv_wc_flags, IBV_WC_WITH_INV);
	E(ibv_wc_flags, IBV_WC_TM_SYNC_REQ);
	E(ibv_wc_flags, IBV_WC_TM_MATCH);
	E(ibv_wc_flags, IBV_WC_TM_DATA_VALID);
	E(ibv_mw_type, IBV_MW_TYPE_1);
	E(ibv_mw_type, IBV_MW_TYPE_2);
	E(ibv_rereg_mr_flags, IBV_REREG_MR_CHANGE_TRANSLATION);
	E(ibv_rereg_mr_flags, IBV_REREG_MR_CHANGE_PD);
	E(ibv_rereg_mr_flags, IBV_REREG_MR_CHANGE_ACCESS);
	E(ibv_rereg_mr_err_code, IBV_REREG_MR_ERR_INPUT);
	E(ibv_rereg_mr_err_code, IBV_REREG_MR_ERR_DONT_FORK_NEW);
	E(ibv_rereg_mr_err_code, IBV_REREG_MR_ERR_DO_FORK_OLD);
	E(ibv_rereg_mr_err_code, IBV_REREG_MR_ERR_CMD);
	E(ibv_rereg_mr_err_code, IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW);
	E(ibv_access_flags, IBV_ACCESS_LOCAL_WRITE);
	E(ibv_access_flags, IBV_ACCESS_REMOTE_WRITE);
	E(ibv_access_flags, IBV_ACCESS_REMOTE_READ);
	E(ibv_access_flags, IBV_ACCESS_REMOTE_ATOMIC);
	E(ibv_access_flags, IBV_ACCESS_MW_BIND);
	E(ibv_access_flags, IBV_ACCESS_ZERO_BASED);
	E(ibv_access_flags, IBV_ACCESS_ON_DEMAND);
	E(ibv_access_flags, IBV_ACCESS_HUGETLB);
	E(ibv_access_flags, IBV_ACCESS_RELAXED_ORDERING);
	E(ibv_rate, IBV_RATE_MAX);
	E(ibv_rate, IBV_RATE_2_5_GBPS);
	E(ibv_rate, IBV_RATE_5_GBPS);
	E(ibv_rate, IBV_RATE_10_GBPS);
	E(ibv_rate, IBV_RATE_20_GBPS);
	E(ibv_rate, IBV_RATE_30_GBPS);
	E(ibv_rate, IBV_RATE_40_GBPS);
	E(ibv_rate, IBV_RATE_60_GBPS);
	E(ibv_rate, IBV_RATE_80_GBPS);
	E(ibv_rate, IBV_RATE_120_GBPS);
	E(ibv_rate, IBV_RATE_14_GBPS);
	E(ibv_rate, IBV_RATE_56_GBPS);
	E(ibv_rate, IBV_RATE_112_GBPS);
	E(ibv_rate, IBV_RATE_168_GBPS);
	E(ibv_rate, IBV_RATE_25_GBPS);
	E(ibv_rate, IBV_RATE_100_GBPS);
	E(ibv_rate, IBV_RATE_200_GBPS);
	E(ibv_rate, IBV_RATE_300_GBPS);
	E(ibv_rate, IBV_RATE_28_GBPS);
	E(ibv_rate, IBV_RATE_50_GBPS);
	E(ibv_rate, IBV_RATE_400_GBPS);
	E(ibv_rate, IBV_RATE_600_GBPS);
	E(ibv_rate, IBV_RATE_800_GBPS);
	E(ibv_rate, IBV_RATE_1200_GBPS);
	E(ibv_qp_type, IBV_QPT_RC);
	E(ibv_qp_type, IBV_QPT_UC);
	E(ibv_qp_type, IBV_QPT_UD);
	E(ibv_qp_type, IBV_QPT_RAW_PACKET);
	E(ibv_qp_type, IBV_QPT_XRC_SEND);
	E(ibv_qp_type, IBV_QPT_XRC_RECV);
	E(ibv_qp_type, IBV_QPT_DRIVER);
	E(ibv_qp_attr_mask, IBV_QP_STATE);
	E(ibv_qp_attr_mask, IBV_QP_CUR_STATE);
	E(ibv_qp_attr_mask, IBV_QP_EN_SQD_ASYNC_NOTIFY);
	E(ibv_qp_attr_mask, IBV_QP_ACCESS_FLAGS);
	E(ibv_qp_attr_mask, IBV_QP_PKEY_INDEX);
	E(ibv_qp_attr_mask, IBV_QP_PORT);
	E(ibv_qp_attr_mask, IBV_QP_QKEY);
	E(ibv_qp_attr_mask, IBV_QP_AV);
	E(ibv_qp_attr_mask, IBV_QP_PATH_MTU);
	E(ibv_qp_attr_mask, IBV_QP_TIMEOUT);
	E(ibv_qp_attr_mask, IBV_QP_RETRY_CNT);
	E(ibv_qp_attr_mask, IBV_QP_RNR_RETRY);
	E(ibv_qp_attr_mask, IBV_QP_RQ_PSN);
	E(ibv_qp_attr_mask, IBV_QP_MAX_QP_RD_ATOMIC);
	E(ibv_qp_attr_mask, IBV_QP_ALT_PATH);
	E(ibv_qp_attr_mask, IBV_QP_MIN_RNR_TIMER);
	E(ibv_qp_attr_mask, IBV_QP_SQ_PSN);
	E(ibv_qp_attr_mask, IBV_QP_MAX_DEST_RD_ATOMIC);
	E(ibv_qp_attr_mask, IBV_QP_PATH_MIG_STATE);
	E(ibv_qp_attr_mask, IBV_QP_CAP);
	E(ibv_qp_attr_mask, IBV_QP_DEST_QPN);
	E(ibv_qp_attr_mask, IBV_QP_RATE_LIMIT);
	E(ibv_srq_attr_mask, IBV_SRQ_MAX_WR);
	E(ibv_srq_attr_mask, IBV_SRQ_LIMIT);
	E(ibv_qp_state, IBV_QPS_RESET);
	E(ibv_qp_state, IBV_QPS_INIT);
	E(ibv_qp_state, IBV_QPS_RTR);
	E(ibv_qp_state, IBV_QPS_RTS);
	E(ibv_qp_state, IBV_QPS_SQD);
	E(ibv_qp_state, IBV_QPS_SQE);
	E(ibv_qp_state, IBV_QPS_ERR);
	E(ibv_qp_state, IBV_QPS_UNKNOWN);
	E(ibv_mig_state, IBV_MIG_MIGRATED);
	E(ibv_mig_state, IBV_MIG_REARM);
	E(ibv_mig_state, IBV_MIG_ARMED);
	E(ibv_wr_opcode, IBV_WR_RDMA_WRITE);
	E(ibv_wr_opcode, IBV_WR_RDMA_WRITE_WITH_IMM);
	E(ibv_wr_opcode, IBV_WR_SEND);
	E(ibv_wr_opcode, IBV_WR_SEND_WITH_IMM);
	E(ibv_wr_opcode, IBV_WR_RDMA_READ);
	E(ibv_wr_opcode, IBV_WR_ATOMIC_CMP_AND_SWP);
	E(ibv_wr_opcode, IBV_WR_ATOMIC_FETCH_AND_ADD);
	E(ibv_wr_opcode, IBV_WR_LOCAL_INV);
	E(ibv_wr_opcode, IBV_WR_BIND_MW);
	E(ibv_wr_opcode, IBV_WR_SEND_WITH_INV);
	E(ibv_wr_opcode, IBV_WR_TSO);
	E(ibv_wr_opcode, IBV_WR_DRIVER1);
	E(ibv_wr_opcode, IBV_WR_ATOMIC_WRITE);
	E(ibv_send_flags, IBV_SEND_FENCE);
	E(ibv_send_flags, IBV_SEND_SIGNALED);
	E(ibv_send_flags, IBV_SEND_SOLICITED);
	E(ibv_send_flags, IBV_SEND_INLINE);
	E(ibv_send_flags, IBV_SEND_IP_CSUM);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_RDMA_WRITE);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_SEND);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_SEND_WITH_IMM);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_RDMA_READ);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_LOCAL_INV);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_BIND_MW);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_SEND_WITH_INV);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_TSO);
	E(ibv_qp_create_send_ops_flags, IBV_QP_EX_WITH_ATOMIC_WRITE);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_BYTE_LEN);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_IMM);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_QP_NUM);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_SRC_QP);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_SLID);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_SL);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_DLID_PATH_BITS);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_CVLAN);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_FLOW_TAG);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_TM_INFO);
	E(ibv_create_cq_wc_flags, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK);
	E(ibv_qp_init_attr_mask, IBV_QP_INIT_ATTR_PD);
	E(ibv_qp_init_attr_mask, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	E(link_layer, IBV_LINK_LAYER_UNSPECIFIED);
	E(link_layer, IBV_LINK_LAYER_INFINIBAND);
	E(link_layer, IBV_LINK_LAYER_ETHERNET);
	E(ibv_gid_type, IBV_GID_TYPE_IB);
	E(ibv_gid_type, IBV_GID_TYPE_ROCE_V1);
	E(ibv_gid_type, IBV_GID_TYPE_ROCE_V2);
	E(port_flags, IBV_QPF_GRH_REQUIRED);
	E(access_range, IBV_ACCESS_OPTIONAL_FIRST);
	E(access_range, IBV_ACCESS_OPTIONAL_RANGE);
	E(device_cap_flags_ex, IBV_DEVICE_RAW_SCATTER_FCS);
	E(device_cap_flags_ex, IBV_DEVICE_PCI_WRITE_END_PADDING);
}

int main(void)
{
	contexts();
	device_attributes();
	port_attributes();
	objects();
	extended();
	qp_attributes();
	work_requests();
	connection_manager();
	enumerators();
	connection_manager_enumerators();
	return 0;
}
