package command

import "rdmatui/verbs"

const sgeDoc = "pieces of memory, name:offset:length, joined by ','; name alone is the whole region, @addr:length:lkey is taken as it is"

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
			uintArg("rkey", 32, "", "", "the key of the peer's region: dst.rkey, or a number that the peer told"),
			uintArg("compare_add", 64, "", "", "what to compare with, or to add"),
			uintArg("swap", 64, "", "", "what to put there if the comparison holds"),
			objectArg("ah", "UD: where the datagram goes"+leftOut, KindAH),
			uintArg("remote_qpn", 24, "", "", "UD: the peer's queue pair number"),
			uintArg("remote_qkey", 32, "", "", "UD: the peer's Q_Key"),
		},
		Example: "post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey",
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
