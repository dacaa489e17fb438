package command

import (
	"slices"

	"rdmatui/verbs"
)

var queuePairCommands = []Spec{
	{
		Name: "create_qp", Group: "queue pair", Verb: "ibv_create_qp",
		Summary: "make a queue pair; it begins in RESET",
		Args: []Arg{
			newName(KindQP),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			objectArg("send_cq", "where send requests complete"+leftOut, KindCQ),
			objectArg("recv_cq", "where receive requests complete; left out: the send_cq", KindCQ),
			objectArg("srq", "the shared receive queue that its receive requests come from; left out: it has one of its own", KindSRQ),
			Arg{Name: "qp_type", Type: Choice, Choices: []string{"RC", "UC", "UD"}, Default: "RC", cprefix: "IBV_QPT_",
				Doc: "reliable or unreliable connection, or datagrams"},
			uintArg("max_send_wr", 32, "16", "", "send requests outstanding"),
			uintArg("max_recv_wr", 32, "16", "", "receive requests outstanding"),
			uintArg("max_send_sge", 32, "1", "", "pieces of memory in one send request"),
			uintArg("max_recv_sge", 32, "1", "", "pieces of memory in one receive request"),
			uintArg("max_inline_data", 32, "0", "bytes", "data that a send request may carry itself"),
			boolArg("sq_sig_all", "0", "1: every send request makes a completion"),
			flagsArg("send_ops_flags", verbs.SendOpFlags, "", "operations to post by ibv_wr_start, ibv_wr_… and ibv_wr_complete; FLUSH and ATOMIC_WRITE can be posted in no other way; left out: all are posted by ibv_post_send"),
		},
		Example: "create_qp a send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16",
	},
	{
		Name: "modify_qp", Group: "queue pair", Verb: "ibv_modify_qp",
		Summary: "change a queue pair's attributes, and with them its state",
		Args: slices.Concat([]Arg{
			object("qp", "the queue pair", KindQP),
			stateArg("qp_state", "the state to move to; left out: it stays").positional(),
		}, qpFieldArgs()),
		Example: "modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE",
	},
	{
		Name: "query_qp", Group: "queue pair", Verb: "ibv_query_qp",
		Summary: "read a queue pair's attributes",
		Args:    []Arg{object("qp", "the queue pair", KindQP)},
		Example: "query_qp a",
	},
	{
		Name: "connect_qps", Group: "queue pair",
		Summary: "bring a queue pair to RTS against another, or against a peer; the same as six modify_qp",
		Args: []Arg{
			Arg{Name: "qp", Type: Object, Objects: []ObjectKind{KindQP}, Doc: "the queue pair"}.positional().required(),
			Arg{Name: "peer", Type: Object, Objects: []ObjectKind{KindQP, KindPeer},
				Doc: "the other queue pair, which is moved too, or what an exchange learned"}.positional().required(),
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
	},
	{
		Name: "create_ah", Group: "queue pair", Verb: "ibv_create_ah",
		Summary: "make an address handle: where a datagram goes",
		Args: []Arg{
			newName(KindAH),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			objectArg("id", "take everything from what the last event of this identifier told of a datagram peer or group", KindID),
			qpFieldArg("port_num").otherwise("that of the domain's UD queue pairs"),
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
	},
	{
		Name: "create_ah_from_wc", Group: "queue pair", Verb: "ibv_create_ah_from_wc",
		Summary: "make an address handle to who sent a datagram, from the completion that was taken last",
		Args: []Arg{
			newName(KindAH),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			objectArg("cq", "the queue that the completion was taken from"+leftOut, KindCQ),
			objectArg("mr", "the region that the datagram came into"+leftOut, KindMR),
			uintArg("offset", 63, "0", "bytes", "where in it the GRH is, 40 bytes before the message"),
			qpFieldArg("port_num").otherwise("that of the domain's UD queue pairs"),
		},
		Example: "create_ah_from_wc back cq=cq mr=buf",
	},
}
