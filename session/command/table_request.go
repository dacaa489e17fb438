package command

import (
	"slices"

	"rdmatui/verbs"
)

const sgeDoc = "SGEs name:offset:length, joined by ','; a name alone means the whole region, @addr:length:lkey is used unchanged"

// What a memory window is bound to: struct ibv_mw_bind_info.
var (
	boundRegion = objectArg("mr", "the window's region, which needs MW_BIND"+leftOut, KindMR)
	boundAddr   = Arg{Name: "addr", Type: Addr, Doc: "the window's start: dst.addr+16; left out: the region's start"}
	boundLength = uintArg("length", 64, "", "bytes",
		"the window's length; left out: up to the region's end; 0 without mr unbinds a window of TYPE_1")
	boundAccess = flagsArg("mw_access_flags", verbs.AccessFlags, "", "the peer's access: REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, and ZERO_BASED (TYPE_2): remote_addr counts from the window's start; left out: none").offering(
		Offer{Value: "REMOTE_WRITE"}, Offer{Value: "REMOTE_READ"}, Offer{Value: "REMOTE_ATOMIC"},
		Offer{"ZERO_BASED", "remote_addr counts from the window's start"})
)

// sendOffers are the operations in the order in which a form goes through them.
var sendOffers = []Offer{
	{"SEND", "the peer's next RECV takes the data"},
	{"SEND_WITH_IMM", "SEND with 32 bits for the peer's completion"},
	{"RDMA_WRITE", "writes the peer's memory; the peer is not notified"},
	{"RDMA_WRITE_WITH_IMM", "WRITE with a completion at the peer"},
	{"RDMA_READ", "reads the peer's memory; the peer is not notified"},
	{"ATOMIC_CMP_AND_SWP", "swaps the peer's 8 bytes if they equal compare_add"},
	{"ATOMIC_FETCH_AND_ADD", "adds to the peer's 8 bytes"},
	{"SEND_WITH_INV", "SEND that invalidates an rkey at the peer"},
	{"LOCAL_INV", "invalidates a local key"},
	{"BIND_MW", "binds a window to part of a region"},
	{"FLUSH", "makes earlier writes visible or persistent"},
	{"ATOMIC_WRITE", "writes 8 bytes atomically"},
}

// postLength is that, and the range of a FLUSH.
var postLength = func() Arg {
	a := boundLength
	a.Doc = "BIND_MW: " + a.Doc + "; FLUSH: how many bytes from remote_addr on"
	return a
}()

var requestCommands = []*Spec{PostSend, Chain, PostRecv, BindMW, Pingpong}

// Commands that post requests.
var (
	PostSend = &Spec{
		Name: "post_send", Group: "work request", Verb: "ibv_post_send",
		Summary: "post a request to a queue pair's send queue",
		Args: []Arg{
			object("qp", "the queue pair", KindQP),
			someOf("opcode", verbs.WROpcodes, describedOpcodes(), "", "the operation").offering(sendOffers...).
				positional().required(),
			uintArg("wr_id", 64, "", "", "returned in the completion; left out: the next number"),
			{Name: "sge", Type: SGEList, Doc: sgeDoc + "; left out: a message of 0 bytes"},
			flagsArg("send_flags", verbs.SendFlagNames, "SIGNALED",
				"0: no completion unless it fails or the queue pair has sq_sig_all").offering(
				Offer{"FENCE", "wait for earlier READs"}, Offer{"SIGNALED", "make a completion"},
				Offer{"SOLICITED", "raise the peer's event"}, Offer{"INLINE", "copy the data at once"},
				Offer{"IP_CSUM", "the device's checksums"}),
			uintArg("imm_data", 32, "", "", "32 bits that the peer gets in its completion"),
			uintArg("invalidate_rkey", 32, "", "", "the key to invalidate"),
			{Name: "remote_addr", Type: Addr,
				Doc: "address in the peer's memory: dst.addr+16, or a number from the peer"},
			uintArg("rkey", 32, "", "", "the key of the peer's region or window: dst.rkey, or a number from the peer; BIND_MW: the window's new key, left out: the next"),
			uintArg("compare_add", 64, "", "", "the value to compare with, or to add"),
			uintArg("swap", 64, "", "", "the new value if the comparison holds"),
			objectArg("ah", "UD: the datagram's destination"+leftOut, KindAH),
			uintArg("remote_qpn", 24, "", "", "UD: the peer's queue pair number"),
			uintArg("remote_qkey", 32, "", "", "UD: the peer's Q_Key"),
			objectArg("mw", "BIND_MW: the window, of TYPE_2"+leftOut, KindMW),
			boundRegion, boundAddr, postLength, boundAccess,
			flagsArg("type", verbs.FlushTypes, "",
				"FLUSH: GLOBAL: earlier data must be globally visible; PERSISTENT: in persistent memory; left out: GLOBAL").offering(
				Offer{"GLOBAL", "visible to all readers of the memory"}, Offer{"PERSISTENT", "survives a power loss"}),
			enumArg("level", verbs.FlushLevels, "",
				"FLUSH: RANGE: the given bytes; MR: the whole region of the rkey; left out: RANGE").offering(
				Offer{"RANGE", "length bytes from remote_addr"}, Offer{"MR", "the whole region of the rkey"}),
			uintArg("count", 63, "", "",
				"number of requests, each with the next wr_id; left out: 1; 0, with outstanding=: until stopped"),
			uintArg("outstanding", 31, "", "", "keep this many outstanding until all are done, polling the queue; left out: post all at once and do not wait"),
			uintArg("signal_every", 31, "", "",
				"SIGNALED only every so many requests of count, and the last; left out: according to send_flags"),
		},
		Example: "post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey",
		check:   checkPostSend,
		usage:   sendUsage,
	}
	Chain = &Spec{
		Name: "chain", Group: "work request", Verb: "ibv_post_send",
		Summary: "post the requests of several lines in one call; bad_wr names the first one refused",
		Args: []Arg{Arg{
			Name: "line", Type: Line,
			Doc: "lines of post_send, post_recv or post_srq_recv for one queue, separated by ;",
		}.positional().required()},
		Example: "chain post_send a SEND sge=src:0:5 ; post_send a SEND sge=src:5:5",
		check:   checkChain,
	}
	PostRecv = &Spec{
		Name: "post_recv", Group: "work request", Verb: "ibv_post_recv",
		Summary: "post a buffer to a queue pair's receive queue",
		Args: []Arg{
			object("qp", "the queue pair", KindQP),
			uintArg("wr_id", 64, "", "", "returned in the completion; left out: the next number"),
			{Name: "sge", Type: SGEList, Doc: sgeDoc + "; left out: room for 0 bytes"},
			uintArg("count", 31, "1", "", "number of times to post the request"),
		},
		Example: "post_recv b wr_id=7 sge=dst:0:4096",
	}
	BindMW = &Spec{
		Name: "bind_mw", Group: "work request", Verb: "ibv_bind_mw",
		Summary: "bind a memory window of TYPE_1 to a part of a region, with the window's next rkey",
		Args: []Arg{
			object("qp", "the queue pair whose send queue binds it", KindQP),
			object("mw", "the window", KindMW),
			boundRegion, boundAddr, boundLength, boundAccess,
			uintArg("wr_id", 64, "", "", "returned in the completion; left out: the next number"),
			flagsArg("send_flags", verbs.SendFlagNames, "SIGNALED",
				"0: no completion unless it fails or the queue pair has sq_sig_all"),
		},
		Example: "bind_mw b w mr=dst length=64 mw_access_flags=REMOTE_WRITE",
	}
	Pingpong = &Spec{
		Name: "pingpong", Group: "work request",
		Summary: "run SENDs back and forth over a connected queue pair; report rate and latency",
		Args: []Arg{
			object("qp", "the connected queue pair", KindQP),
			objectArg("srq", "instead of qp: all queue pairs of this shared receive queue", KindSRQ),
			Arg{Name: "role", Type: Choice, Choices: []string{"client", "server"}, Required: true,
				Doc: "the client sends first"},
			uintArg("n", 32, "1000", "", "iterations of all queue pairs together"),
			uintArg("size", 32, "4096", "bytes", "size of each message, the same at both ends"),
			objectArg("mr", "the region for sent and received messages"+leftOut+
				"; UD: 40 bytes longer, for the GRH; validate=1 with srq=: with additional room for a message per RECV",
				KindMR),
			objectArg("ah", "UD: where the datagrams go"+leftOut, KindAH),
			uintArg("remote_qpn", 24, "", "", "UD: the peer's queue pair number"),
			uintArg("remote_qkey", 32, "", "", "UD: the peer's Q_Key"),
			boolArg("event", "0", "1: sleep until a completion event instead of polling"),
			boolArg("nonblock", "0", "1: with event=1, ask for the event repeatedly and never sleep in the call"),
			boolArg("validate", "0", "1: check the bytes of every message"),
			durationArg("timeout", "10s", "how long to wait for the next message"),
		},
		Example: "pingpong a role=client n=1000 size=64",
	}
)

// describedOpcodes lists the opcodes whose fields this program knows.
func describedOpcodes() []verbs.WROpcode {
	return slices.DeleteFunc(verbs.WROpcodes.Values(), func(op verbs.WROpcode) bool { return !op.Traits().Posted() })
}
