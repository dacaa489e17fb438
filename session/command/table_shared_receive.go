package command

var sharedReceiveCommands = []*Spec{CreateSRQ, ModifySRQ, QuerySRQ, PostSRQRecv}

// Commands about receive queues that several queue pairs take from.
var (
	CreateSRQ = &Spec{
		Name: "create_srq", Group: "shared receive queue", Verb: "ibv_create_srq",
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
