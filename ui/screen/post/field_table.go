package post

import (
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/widget/form"
	"rdmatui/verbs"
	"slices"
)

// recv stands for post_recv among the opcodes.
const recv = "RECV"

// opcodes are what can be posted here, in the order in which the key cycles through them.
var opcodes = append(form.Of(command.PostSend.Arg("opcode")).Choices,
	form.Option{Value: recv, Help: "a buffer for a SEND from the peer"})

// shortOpcodes describe opcodes where there is little room.
var shortOpcodes = map[string][]string{
	"SEND": {"takes a RECV", "to a RECV"}, "SEND_WITH_IMM": {"a RECV, 32 bits", "takes RECV"},
	"RDMA_WRITE": {"not notified", "silent"}, "RDMA_WRITE_WITH_IMM": {"takes a RECV"},
	"RDMA_READ": {"not notified", "silent"}, "SEND_WITH_INV": {"takes a RECV"},
	"LOCAL_INV": {"void key"}, "BIND_MW": {"a window"}, "FLUSH": {"not notified", "silent"},
	"ATOMIC_WRITE": {"not notified", "silent"}, recv: {"for a SEND"},
}

// payloads differ by opcode, so that each can be recognised in memory.
var payloads = map[string]string{
	"SEND": "hello", "SEND_WITH_IMM": "hello again", "RDMA_WRITE": "written", "RDMA_WRITE_WITH_IMM": "written with imm",
	"SEND_WITH_INV": "hello and forget", "ATOMIC_WRITE": "8 bytes!",
}

// presetOperands are the default operands of atomics: they turn 0 into 1, and 1 into
// 2 or leave it.
var presetOperands = map[verbs.WROpcode]map[string]string{
	verbs.WRAtomicCmpAndSwp:   {"compare_add": "0", "swap": "1"},
	verbs.WRAtomicFetchAndAdd: {"compare_add": "1"},
}

// readLength is the default length of a READ in bytes.
const readLength = 16

// part is a field of a request at its place in the form, with its note and shorter ones for less room.
type part struct {
	name string
	note []string // longest first
}

var parts = []part{
	{payload, []string{"text, 0x…, pattern:LEN or file:PATH; goes into the first SGE",
		"text, 0x…, pattern:LEN or file:PATH",
		"text, hex, file", "text or hex", "the data"}},
	{"sge", []string{"region:offset:length", "region:off:len", "mr:off:len", "memory"}},
	{"remote_addr", []string{"peer's address; +N is allowed", "peer's address", "at the peer", "peer's"}},
	{"rkey", []string{"key of the peer's region or window", "the peer's key", "peer's key", "peer's"}},
	{"imm_data", []string{"32 bits for the peer's completion", "32 bits"}},
	{"invalidate_rkey", []string{"the rkey to invalidate", "to invalidate"}},
	{"mw", []string{"the window, of TYPE_2", "window"}},
	{"mr", []string{"its region, with MW_BIND", "region"}},
	{"addr", []string{"first byte; unset: the region's", "first byte", "start"}},
	{"length", []string{"bytes; unset (BIND_MW): to the end", "bytes"}},
	{"type", []string{"what the data must have reached", "how far"}},
	{"level", []string{"the named bytes or the whole region", "how much"}},
	{"mw_access_flags", []string{"the peer's rights", "rights"}},
	{"compare_add", []string{"the value to compare with, or to add", "operand"}},
	{"swap", []string{"new value if equal", "if equal"}},
	{"ah", []string{"the peer's address handle", "where to"}},
	{"remote_qpn", []string{"the peer's queue pair", "peer's QP"}},
	{"remote_qkey", []string{"the peer's qkey", "peer's qkey", "peer's"}},
	{"send_flags", []string{"SIGNALED: make a completion", "asks for a wc", "e lists all", "e lists"}},
	{"wr_id", []string{"comes back in the completion", "comes back", "a number"}},
	{"count", []string{"repetitions; unset: once", "unset: once", "times"}},
	{"outstanding", []string{"requests kept outstanding; unset: post all at once", "requests kept outstanding",
		"under way"}},
	{"signal_every", []string{"one request in N is SIGNALED", "1 in N signaled", "1 in N"}},
}

// payload is the field of the data that is written into the first SGE before the post.
const payload = "payload"

// field returns the field of a part, which is an argument of post_send, or what write_mem writes.
func (p *part) field() form.Field {
	arg := command.PostSend.Arg(p.name)
	if p.name == payload {
		arg = command.WriteMem.Arg("data")
	}
	fd := form.Of(arg)
	fd.Note, fd.Shorter = p.note[0], p.note[1:]
	return fd
}

// applies reports whether the request has a part.
func (r *request) applies(name string, q *session.QPView) bool {
	switch {
	case name == payload:
		return r.sends()
	case r.op == recv:
		return command.PostRecv.Arg(name) != nil
	case slices.Contains(command.DatagramFields, name):
		return q.Type == verbs.UD
	case name == "rkey" && r.traits().Bind:
		return false // the window's next key is taken
	case name == "outstanding" || name == "signal_every":
		return r.times() != 1 && command.Applies(name, r.opcode())
	}
	return command.Applies(name, r.opcode())
}
