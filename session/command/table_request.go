package command

import "rdmatui/verbs"

const sgeDoc = "pieces of memory, name:offset:length, joined by ','; name alone is the whole region, @addr:length:lkey is taken as it is"

// What a memory window is bound to: struct ibv_mw_bind_info.
var (
	boundRegion = objectArg("mr", "the window's region, which has MW_BIND"+leftOut, KindMR)
	boundAddr   = Arg{Name: "addr", Type: Addr, Doc: "the window's first byte: dst.addr+16; left out: that of the region"}
	boundLength = uintArg("length", 64, "", "bytes", "how much the window shows; left out: up to the region's end; 0 without mr takes the binding of TYPE_1 away")
	boundAccess = flagsArg("mw_access_flags", verbs.AccessFlags, "", "what the peer may do: some of REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, and ZERO_BASED (TYPE_2): remote_addr counts from the window's start; left out: nothing")
)

// postLength is that, and the range of a FLUSH.
var postLength = func() Arg {
	a := boundLength
	a.Doc = "BIND_MW: " + a.Doc + "; FLUSH: how many bytes from remote_addr on"
	return a
}()

var requestCommands = []Spec{
	{
		Name: "post_send", Group: "work request", Verb: "ibv_post_send",
		Summary: "post a request to a queue pair's send queue",
		Args: []Arg{
			object("qp", "the queue pair", KindQP),
			Arg{Name: "opcode", Type: Choice, Choices: describedOpcodes(), cprefix: "IBV_WR_", Doc: "the operation"}.positional().required(),
			uintArg("wr_id", 64, "", "", "comes back in the completion; left out: the next number"),
			{Name: "sge", Type: SGEList, Doc: sgeDoc + "; left out: a message of 0 bytes"},
			flagsArg("send_flags", verbs.SendFlagNames, "SIGNALED", "0: no completion unless it fails or the queue pair has sq_sig_all"),
			uintArg("imm_data", 32, "", "", "32 bits that the peer finds in its completion"),
			uintArg("invalidate_rkey", 32, "", "", "the key to invalidate"),
			{Name: "remote_addr", Type: Addr, Doc: "where in the peer's memory: dst.addr+16, or a number that the peer told"},
			uintArg("rkey", 32, "", "", "the key of the peer's region or window: dst.rkey, or a number that the peer told; BIND_MW: the window's new one, left out: the next"),
			uintArg("compare_add", 64, "", "", "what to compare with, or to add"),
			uintArg("swap", 64, "", "", "what to put there if the comparison holds"),
			objectArg("ah", "UD: where the datagram goes"+leftOut, KindAH),
			uintArg("remote_qpn", 24, "", "", "UD: the peer's queue pair number"),
			uintArg("remote_qkey", 32, "", "", "UD: the peer's Q_Key"),
			objectArg("mw", "BIND_MW: the window, of TYPE_2"+leftOut, KindMW),
			boundRegion, boundAddr, postLength, boundAccess,
			flagsArg("type", verbs.FlushTypes, "", "FLUSH: how far earlier data must have come: to all that read the memory, to persistent memory; left out: GLOBAL"),
			enumArg("level", verbs.FlushLevels, "", "FLUSH: the bytes that are named, or the whole region of the rkey; left out: RANGE"),
			uintArg("count", 63, "", "", "how many times to post it, each time with the next wr_id; left out: once; 0, with outstanding=: until it is stopped"),
			uintArg("outstanding", 31, "", "", "keep so many under way until all are done, and take the completions of its queue meanwhile; left out: post all at once and wait for none"),
			uintArg("signal_every", 31, "", "", "of count, SIGNALED are one in so many, and the last; left out: as send_flags says"),
		},
		Example: "post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey",
	},
	{
		Name: "chain", Group: "work request", Verb: "ibv_post_send",
		Summary: "post the requests of several lines in one call, as a list; bad_wr is told where one is refused",
		Args:    []Arg{Arg{Name: "line", Type: Line, Doc: "lines of post_send, post_recv or post_srq_recv for one queue, with a ; between each two"}.positional().required()},
		Example: "chain post_send a SEND sge=src:0:5 ; post_send a SEND sge=src:5:5",
	},
	{
		Name: "post_recv", Group: "work request", Verb: "ibv_post_recv",
		Summary: "post a buffer to a queue pair's receive queue",
		Args: []Arg{
			object("qp", "the queue pair", KindQP),
			uintArg("wr_id", 64, "", "", "comes back in the completion; left out: the next number"),
			{Name: "sge", Type: SGEList, Doc: sgeDoc + "; left out: room for 0 bytes"},
			uintArg("count", 31, "1", "", "how many times to post the same request"),
		},
		Example: "post_recv b wr_id=7 sge=dst:0:4096",
	},
	{
		Name: "bind_mw", Group: "work request", Verb: "ibv_bind_mw",
		Summary: "bind a memory window of TYPE_1 to a piece of a region: post the request, and give it its next rkey",
		Args: []Arg{
			object("qp", "the queue pair whose send queue carries it out", KindQP),
			object("mw", "the window", KindMW),
			boundRegion, boundAddr, boundLength, boundAccess,
			uintArg("wr_id", 64, "", "", "comes back in the completion; left out: the next number"),
			flagsArg("send_flags", verbs.SendFlagNames, "SIGNALED", "0: no completion unless it fails or the queue pair has sq_sig_all"),
		},
		Example: "bind_mw b w mr=dst length=64 mw_access_flags=REMOTE_WRITE",
	},
	{
		Name: "pingpong", Group: "work request",
		Summary: "run SENDs back and forth over a connected queue pair and report rate and latency",
		Args: []Arg{
			object("qp", "the connected queue pair", KindQP),
			objectArg("srq", "in place of qp: all queue pairs that take from this shared receive queue", KindSRQ),
			Arg{Name: "role", Type: Choice, Choices: []string{"client", "server"}, Required: true, Doc: "the client sends first"},
			uintArg("n", 32, "1000", "", "iterations, of all queue pairs together"),
			uintArg("size", 32, "4096", "bytes", "of each message; both ends alike"),
			objectArg("mr", "the region that messages leave from and come into"+leftOut+"; UD: with 40 bytes more, for the GRH; validate=1 with srq=: with room for a message for each RECV besides", KindMR),
			objectArg("ah", "UD: where the datagrams go"+leftOut, KindAH),
			uintArg("remote_qpn", 24, "", "", "UD: the peer's queue pair number"),
			uintArg("remote_qkey", 32, "", "", "UD: the peer's Q_Key"),
			boolArg("event", "0", "1: sleep until a completion event instead of polling"),
			boolArg("nonblock", "0", "1: with event=1, ask for the event again and again and never sleep in the call"),
			boolArg("validate", "0", "1: check the bytes of every message"),
			durationArg("timeout", "10s", "how long to wait for the next message"),
		},
		Example: "pingpong a role=client n=1000 size=64",
	},
}

// describedOpcodes names the opcodes whose fields this program knows.
func describedOpcodes() []string {
	var names []string
	for _, op := range verbs.WROpcodes.Values() {
		if op.Traits() != (verbs.WROpcodeTraits{}) {
			names = append(names, op.String())
		}
	}
	return names
}
