package command

var peerCommands = []*Spec{Exchange, ExchangeFinish, Peer}

// Commands that meet a peer.
var (
	Exchange = &Spec{
		Name: "exchange", Group: "peer",
		Summary: "exchange addresses with a peer over TCP, as the stock pingpong programs do",
		Args: []Arg{
			newName(KindPeer),
			objectArg("qp", "the queue pair whose address is sent"+leftOut, KindQP),
			objectArg("srq", "instead of qp: all queue pairs of this shared receive queue, as in ibv_srq_pingpong; their peers are NAME-1, NAME-2 …", KindSRQ),
			{Name: "address", Type: Word,
				Doc: "host or IP address to connect to; left out: wait for a peer, as the server"},
			{Name: "protocol", Type: Choice, Choices: []string{"pingpong"}, Default: "pingpong", Doc: "the protocol"},
			uintArg("port", 16, "18515", "", "TCP port"),
			{Name: "listen", Type: Word, Doc: "as the server: the address to listen on; any: every address of this host; left out: those of the device's interface, and 127.0.0.1"},
			qpFieldArg("sgid_index"),
			uintArg("psn", 24, "", "", "the first PSN that this end sends; left out: random"),
			limitArg("timeout", "30s", "how long to wait for the peer"),
			boolArg("hold", "0",
				"1: hold the last message back until exchange_finish, so that the peer does not start too early"),
			boolArg("regions", "1", "tell the peer the regions that it may reach, and learn its own: NAME.dst.addr, NAME.dst.rkey; 0: neither"),
		},
		Example: "exchange peer qp=a address=10.0.0.2",
	}
	ExchangeFinish = &Spec{
		Name: "exchange_finish", Group: "peer",
		Summary: "send the message that an exchange with hold=1 held back, and close the connection",
		Args: []Arg{object("peer", "the peer", KindPeer),
			limitArg("timeout", "30s", "how long to wait for the peer")},
		Example: "exchange_finish peer",
	}
	Peer = &Spec{
		Name: "peer", Group: "peer",
		Summary: "create a peer by hand, from numbers or from a pasted pingpong record",
		Args: []Arg{
			newName(KindPeer),
			Arg{Name: "record", Type: Word,
				Doc: "LID:QPN:PSN:GID in hex, as the pingpong programs exchange it"}.positional(),
			uintArg("lid", 16, "", "", "the peer's LID; 0 on RoCE"),
			uintArg("qp_num", 24, "", "", "the peer's queue pair number"),
			uintArg("psn", 24, "", "", "the first PSN that the peer sends"),
			{Name: "gid", Type: GIDValue, Doc: "the peer's GID; on RoCE its IP address"},
			uintArg("addr", 64, "", "", "the address of a region that the peer lets in; needs rkey"),
			uintArg("rkey", 32, "", "", "its key"),
			uintArg("length", 64, "", "bytes", "its length; left out: unknown"),
		},
		Example: "peer p qp_num=0x12 psn=0x6f21a0 gid=10.0.0.2",
		check:   checkPeer,
	}
)
