package command

import (
	"slices"

	"rdmatui/verbs"
)

var queuePairCommands = []*Spec{CreateQP, ModifyQP, QueryQP, QueryQPDataInOrder, ConnectQPs, CreateAH, CreateAHFromWC}

// Commands about queue pairs and address handles.
var (
	CreateQP = &Spec{
		Name: "create_qp", Group: "queue pair", Verb: "ibv_create_qp",
		Summary: "create a queue pair, which starts in RESET",
		Args: []Arg{
			newName(KindQP),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			objectArg("send_cq", "the completion queue of send requests"+leftOut, KindCQ),
			objectArg("recv_cq", "the completion queue of receive requests; left out: the send_cq", KindCQ),
			objectArg("srq", "the shared receive queue for its receive requests; left out: its own receive queue",
				KindSRQ),
			someOf("qp_type", verbs.QPTypes, []verbs.QPType{verbs.RC, verbs.UC, verbs.UD}, "RC",
				"reliable or unreliable connection, or datagrams"),
			uintArg("max_send_wr", 32, "16", "", "maximum of outstanding send requests"),
			uintArg("max_recv_wr", 32, "16", "", "maximum of outstanding receive requests"),
			uintArg("max_send_sge", 32, "1", "", "SGEs in one send request"),
			uintArg("max_recv_sge", 32, "1", "", "SGEs in one receive request"),
			uintArg("max_inline_data", 32, "0", "bytes", "maximum of inline data in a send request"),
			boolArg("sq_sig_all", "0", "1: every send request generates a completion"),
			flagsArg("send_ops_flags", verbs.SendOpFlags, "", "operations to post with ibv_wr_start, ibv_wr_… and ibv_wr_complete; FLUSH and ATOMIC_WRITE need it; left out: everything is posted by ibv_post_send"),
		},
		Example: "create_qp a send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16",
	}
	ModifyQP = &Spec{
		Name: "modify_qp", Group: "queue pair", Verb: "ibv_modify_qp",
		Summary: "change a queue pair's state and attributes",
		Args: slices.Concat([]Arg{
			object("qp", "the queue pair", KindQP),
			stateArg("qp_state", "the new state; left out: unchanged").positional(),
		}, qpFieldArgs()),
		Example: "modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE",
		usage:   modifyUsage,
	}
	QueryQP = &Spec{
		Name: "query_qp", Group: "queue pair", Verb: "ibv_query_qp",
		Call:    Call{"qp, &attr, (1 << 21) - 1, &init_attr", ReturnsErrno},
		Summary: "read a queue pair's attributes",
		Args:    []Arg{object("qp", "the queue pair", KindQP)},
		Example: "query_qp a",
	}
	QueryQPDataInOrder = &Spec{
		Name: "query_qp_data_in_order", Group: "queue pair", Verb: "ibv_query_qp_data_in_order",
		Call:    Call{"qp, op, flags", ReturnsNothing},
		Summary: "ask whether data reaches memory in order, so that a program may poll the last byte of a message",
		Args: []Arg{
			object("qp", "the queue pair", KindQP),
			enumArg("op", verbs.WROpcodes, "RDMA_WRITE",
				"the operation: a SEND or RDMA_WRITE of the peer, or an RDMA_READ of this queue pair").positional(),
			flagsArg("flags", verbs.DataInOrderFlagNames, "0",
				"0: 1 if whole messages are in order; RETURN_CAPS: everything guaranteed; DEVICE_ONLY: whatever the processor"),
		},
		Example: "query_qp_data_in_order b RDMA_WRITE",
	}
	ConnectQPs = &Spec{
		Name: "connect_qps", Group: "queue pair",
		Summary: "connect a queue pair to another, or to a peer, and bring it to RTS; the same as six modify_qp",
		Args: []Arg{
			Arg{Name: "qp", Type: Object, Objects: []ObjectKind{KindQP}, Doc: "the queue pair"}.positional().required(),
			Arg{Name: "peer", Type: Object, Objects: []ObjectKind{KindQP, KindPeer},
				Doc: "the other queue pair, which is also brought up, or a peer of an exchange"}.positional().
				required(),
			qpFieldArg("port_num").otherwise(defaultPort),
			qpFieldArg("pkey_index").withDefault("0"),
			qpFieldArg("qp_access_flags").withDefault("REMOTE_WRITE|REMOTE_READ"),
			qpFieldArg("path_mtu"),
			qpFieldArg("sgid_index").otherwise(byPeer),
			qpFieldArg("hop_limit"),
			qpFieldArg("traffic_class").withDefault("0"),
			qpFieldArg("sl").withDefault("0"),
			qpFieldArg("qkey").withDefault("0x11111111"),
			qpFieldArg("max_dest_rd_atomic").withDefault("1"),
			qpFieldArg("max_rd_atomic").withDefault("1"),
			qpFieldArg("min_rnr_timer").withDefault("12"),
			qpFieldArg("timeout").withDefault("14"),
			qpFieldArg("retry_cnt").withDefault("7"),
			qpFieldArg("rnr_retry").withDefault("7"),
		},
		Example: "connect_qps a b path_mtu=1024",
	}
	CreateAH = &Spec{
		Name: "create_ah", Group: "queue pair", Verb: "ibv_create_ah",
		Summary: "create an address handle, the destination of datagrams",
		Args: []Arg{
			newName(KindAH),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			objectArg("id", "take all values from this identifier's last event about a datagram peer or group", KindID),
			qpFieldArg("port_num").otherwise("the port of the protection domain's UD queue pairs"),
			qpFieldArg("dgid"),
			qpFieldArg("sgid_index"),
			qpFieldArg("hop_limit").withDefault("64"),
			qpFieldArg("traffic_class").withDefault("0"),
			qpFieldArg("flow_label").withDefault("0"),
			qpFieldArg("dlid").withDefault("0"),
			qpFieldArg("sl").withDefault("0"),
			qpFieldArg("src_path_bits").withDefault("0"),
			qpFieldArg("static_rate").withDefault("0"),
			qpFieldArg("is_global"),
		},
		Example: "create_ah ah dgid=b.gid",
	}
	CreateAHFromWC = &Spec{
		Name: "create_ah_from_wc", Group: "queue pair", Verb: "ibv_create_ah_from_wc",
		Call:    Call{"pd, wc, grh, port_num", ReturnsPointer},
		Summary: "create an address handle to the sender of a datagram, from the last polled completion",
		Args: []Arg{
			newName(KindAH),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			objectArg("cq", "the completion queue that was polled"+leftOut, KindCQ),
			objectArg("mr", "the region that received the datagram"+leftOut, KindMR),
			uintArg("offset", 63, "0", "bytes", "offset of the GRH in the region, 40 bytes before the message"),
			qpFieldArg("port_num").otherwise("the port of the protection domain's UD queue pairs"),
		},
		Example: "create_ah_from_wc back cq=cq mr=buf",
	}
)

var sharedReceiveCommands = []*Spec{CreateSRQ, ModifySRQ, QuerySRQ, PostSRQRecv}

// Commands about receive queues that several queue pairs take from.
var (
	CreateSRQ = &Spec{
		Name: "create_srq", Group: "shared receive queue", Verb: "ibv_create_srq",
		Call:    Call{"pd, &srq_init_attr", ReturnsPointer},
		Summary: "create a receive queue for several queue pairs, which name it in create_qp srq=NAME",
		Args: []Arg{
			newName(KindSRQ),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			uintArg("max_wr", 32, "64", "", "minimum number of receive requests; the device may round up"),
			uintArg("max_sge", 32, "1", "", "SGEs in one request"),
		},
		Example: "create_srq srq max_wr=64",
	}
	ModifySRQ = &Spec{
		Name: "modify_srq", Group: "shared receive queue", Verb: "ibv_modify_srq",
		Call:    Call{"srq, &srq_attr, attr_mask", ReturnsErrno},
		Summary: "arm the limit event of a shared receive queue, or resize it",
		Args: []Arg{
			object("srq", "the shared receive queue", KindSRQ),
			uintArg("srq_limit", 32, "", "",
				"raise SRQ_LIMIT_REACHED once when fewer requests than this are left; 0: never"),
			uintArg("max_wr", 32, "", "", "new minimum number of receive requests; the device needs SRQ_RESIZE"),
		},
		Example: "modify_srq srq srq_limit=4",
	}
	QuerySRQ = &Spec{
		Name: "query_srq", Group: "shared receive queue", Verb: "ibv_query_srq",
		Call:    Call{"srq, &attr", ReturnsErrno},
		Summary: "read a shared receive queue's attributes; srq_limit is 0 after the event was raised",
		Args:    []Arg{object("srq", "the shared receive queue", KindSRQ)},
		Example: "query_srq srq",
	}
	PostSRQRecv = &Spec{
		Name: "post_srq_recv", Group: "shared receive queue", Verb: "ibv_post_srq_recv",
		Summary: "post a buffer to a shared receive queue",
		Args: []Arg{
			object("srq", "the shared receive queue", KindSRQ),
			uintArg("wr_id", 64, "", "", "returned in the completion; left out: the next number"),
			{Name: "sge", Type: SGEList, Doc: sgeDoc + "; left out: room for 0 bytes"},
			uintArg("count", 31, "1", "", "number of times to post the request"),
		},
		Example: "post_srq_recv srq wr_id=7 sge=dst:0:4096 count=8",
	}
)
