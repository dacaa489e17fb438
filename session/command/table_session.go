package command

import ()

var sessionCommands = []*Spec{
	Live, Sleep, Repeat, Loop, Try, Until, End, Save, ExportC, ExportScript, Lab, Note, Help,
}

// Commands about the session and its scripts.
var (
	Live = &Spec{
		Name: "live", Group: "session",
		Summary: "poll completion queues and take events automatically",
		Args:    []Arg{Arg{Name: "on", Type: Bool, Doc: "on or off"}.positional().required()},
		Example: "live on",
	}
	Sleep = &Spec{
		Name: "sleep", Group: "session",
		Summary: "wait",
		Args:    []Arg{limitArg("duration", "", "how long: 1s, 250ms, 10us").positional().required()},
		Example: "sleep 250ms",
	}
	Repeat = &Spec{
		Name: "repeat", Group: "session",
		Summary: "run a line several times; the first failure ends it",
		Args: []Arg{
			Arg{Name: "n", Type: Uint, Bits: 32, Doc: "how many times, 1 to 1000000000"}.positional().required(),
			Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required(),
		},
		Example: "repeat 10 post_recv b sge=dst",
		check:   checkRepeat,
	}
	Loop = &Spec{
		Name: "loop", Group: "session",
		Summary: "in a script: repeat the lines up to its end",
		Args: []Arg{Arg{Name: "n", Type: Uint, Bits: 63,
			Doc: "number of times, at least 1; left out: until a line fails or an until ends it"}.positional()},
		Example: "loop 10",
	}
	Try = &Spec{
		Name: "try", Group: "session",
		Summary: "in a script: run the lines up to its end; if one fails, destroy the objects that they created and continue after the end",
		Example: "try",
	}
	Until = &Spec{
		Name: "until", Group: "session",
		Summary: "in a loop: leave the loop if the line succeeds, continue if it fails",
		Args:    []Arg{Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required()},
		Example: "until expect id id DISCONNECTED",
		check:   checkNesting,
	}
	End = &Spec{
		Name: "end", Group: "session",
		Summary: "in a script: the end of a loop or try",
		Example: "end",
	}
	Save = &Spec{
		Name: "save", Group: "session",
		Summary: "write the commands so far to a file for rdmatui run",
		Args: []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().
			required()},
		Example: "save session.rdma",
	}
	ExportC = &Spec{
		Name: "export c", Group: "session",
		Summary: "write the session so far as a C program for libibverbs and librdmacm",
		Args: []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().
			required()},
		Example: "export c session.c",
	}
	ExportScript = &Spec{
		Name: "export script", Group: "session",
		Summary: "write the session so far as a script for rdmatui run, with loops and comments, and failures as expect error",
		Args: []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().
			required()},
		Example: "export script session.rdma",
	}
	Lab = &Spec{
		Name: "lab", Group: "session",
		Summary: "cause a failure on purpose in a separate session and compare it with the specification, or try its rules",
		Args: []Arg{
			Arg{Name: "experiment", Type: Word,
				Doc: "its name; or rules: all rules, such as cq: those of an area, AREA/NAME: one; left out: list names"}.
				positional(),
			objectArg("device", "the device; left out: the first one", KindAvailable),
			portArg("the port of both queue pairs").otherwise(firstActive),
			uintArg("sgid_index", 8, "", "", "the row of the port's GID table").otherwise("chosen"),
		},
		Example: "lab bad-rkey",
	}
	Note = &Spec{
		Name: "note", Group: "session",
		Summary: "add a remark to the time line",
		Args: []Arg{Arg{Name: "text", Type: Text, Doc: "the remark; quote it if it has spaces"}.positional().
			required()},
		Example: `note "now the peer is started"`,
	}
	Help = &Spec{
		Name: "help", Group: "session",
		Summary: "list the commands, or explain one",
		Args: []Arg{
			Arg{Name: "command", Type: Word, Doc: "the command; left out: all"}.positional(),
			Arg{Name: "form", Type: Word, Doc: "which form of it, if there are several"}.positional(),
		},
		Example: "help reg_mr",
	}
)

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
