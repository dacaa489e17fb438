package post

import (
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/ui/widget/form"
	"rdmatui/verbs"
)

// recv stands for post_recv among the opcodes.
const recv = "RECV"

// opcodes are what can be posted here, in the order in which the key cycles through them.
var opcodes = []form.Option{
	{Value: "SEND", Help: "the peer's next RECV takes the data"},
	{Value: "SEND_WITH_IMM", Help: "SEND with 32 bits for the peer's completion"},
	{Value: "RDMA_WRITE", Help: "writes the peer's memory; the peer is not notified"},
	{Value: "RDMA_WRITE_WITH_IMM", Help: "WRITE with a completion at the peer"},
	{Value: "RDMA_READ", Help: "reads the peer's memory; the peer is not notified"},
	{Value: "ATOMIC_CMP_AND_SWP", Help: "swaps the peer's 8 bytes if they equal compare_add"},
	{Value: "ATOMIC_FETCH_AND_ADD", Help: "adds to the peer's 8 bytes"},
	{Value: "SEND_WITH_INV", Help: "SEND that invalidates an rkey at the peer"},
	{Value: "LOCAL_INV", Help: "invalidates a local key"},
	{Value: "BIND_MW", Help: "binds a window to part of a region"},
	{Value: "FLUSH", Help: "makes earlier writes visible or persistent"},
	{Value: "ATOMIC_WRITE", Help: "writes 8 bytes atomically"},
	{Value: recv, Help: "a buffer for a SEND from the peer"},
}

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

// part is a field of a request, and when it applies.
type part struct {
	name string
	when func(r *request, q *session.QPView) bool
	kind form.Kind
	note []string // longest first; shorter ones for less room
}

var parts = []part{
	{"payload", func(r *request, _ *session.QPView) bool { return r.sends() }, form.Text,
		[]string{"text, 0x…, pattern:LEN or file:PATH; goes into the first SGE", "text, 0x…, pattern:LEN or file:PATH",
			"text, hex, file", "text or hex", "the data"}},
	{"sge", func(r *request, _ *session.QPView) bool { return r.hasList() }, form.Text,
		[]string{"region:offset:length", "region:off:len", "mr:off:len", "memory"}},
	{"remote_addr", func(r *request, _ *session.QPView) bool { return r.traits().Remote }, form.Text,
		[]string{"peer's address; +N is allowed", "peer's address", "at the peer", "peer's"}},
	{"rkey", func(r *request, _ *session.QPView) bool { return r.traits().Remote }, form.Text,
		[]string{"key of the peer's region or window", "the peer's key", "peer's key", "peer's"}},
	{"imm_data", func(r *request, _ *session.QPView) bool { return r.traits().Imm }, form.Text,
		[]string{"32 bits for the peer's completion", "32 bits"}},
	{"invalidate_rkey", func(r *request, _ *session.QPView) bool { return r.traits().Invalid }, form.Text,
		[]string{"the rkey to invalidate", "to invalidate"}},
	{"mw", isBind, form.Text, []string{"the window, of TYPE_2", "window"}},
	{"mr", isBind, form.Text, []string{"its region, with MW_BIND", "region"}},
	{"addr", isBind, form.Text, []string{"first byte; unset: the region's", "first byte", "start"}},
	{"length", func(r *request, _ *session.QPView) bool { return r.traits().Bind || r.traits().Flush }, form.Text,
		[]string{"bytes; unset (BIND_MW): to the end", "bytes"}},
	{"type", isFlush, form.Flags, []string{"what the data must have reached", "how far"}},
	{"level", isFlush, form.Choice, []string{"the named bytes or the whole region", "how much"}},
	{"mw_access_flags", isBind, form.Flags, []string{"the peer's rights", "rights"}},
	{"compare_add", func(r *request, _ *session.QPView) bool { return r.traits().Atomic }, form.Text,
		[]string{"the value to compare with, or to add", "operand"}},
	{"swap", func(r *request, _ *session.QPView) bool { return r.opcode() == verbs.WRAtomicCmpAndSwp }, form.Text,
		[]string{"new value if equal", "if equal"}},
	{"ah", isDatagram, form.Text, []string{"the peer's address handle", "where to"}},
	{"remote_qpn", isDatagram, form.Text, []string{"the peer's queue pair", "peer's QP"}},
	{"remote_qkey", isDatagram, form.Text, []string{"the peer's qkey", "peer's qkey", "peer's"}},
	{"send_flags", func(r *request, _ *session.QPView) bool { return r.op != recv }, form.Flags,
		[]string{"SIGNALED: make a completion", "asks for a wc", "e lists all", "e lists"}},
	{"wr_id", nil, form.Text, []string{"comes back in the completion", "comes back", "a number"}},
	{"count", mayRepeat, form.Text, []string{"repetitions; unset: once", "unset: once", "times"}},
	{"outstanding", isRepeated, form.Text,
		[]string{"requests kept outstanding; unset: post all at once", "requests kept outstanding", "under way"}},
	{"signal_every", isRepeated, form.Text, []string{"one request in N is SIGNALED", "1 in N signaled", "1 in N"}},
}

func isFlush(r *request, _ *session.QPView) bool { return r.traits().Flush }

func isBind(r *request, _ *session.QPView) bool { return r.traits().Bind }

func mayRepeat(r *request, _ *session.QPView) bool {
	return r.op == recv || command.Applies("count", r.opcode())
}

func isRepeated(r *request, _ *session.QPView) bool { return r.op != recv && r.times() != 1 }

func isDatagram(r *request, q *session.QPView) bool { return q.Type == verbs.UD && r.op != recv }

// flagsOf are the flags of fields that have some.
var flagsOf = map[string][]form.Option{
	"send_flags":      flagOptions(verbs.SendFlagNames.Names(), flagHelp),
	"type":            flagOptions(verbs.FlushTypes.Names(), flagHelp),
	"level":           flagOptions(verbs.FlushLevels.Names(), flagHelp),
	"mw_access_flags": flagOptions([]string{"REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC", "ZERO_BASED"}, flagHelp),
}

func flagOptions(names []string, help map[string]string) (list []form.Option) {
	for _, f := range names {
		list = append(list, form.Option{Value: f, Help: help[f]})
	}
	return list
}

var flagHelp = map[string]string{
	"FENCE": "wait for earlier READs", "SIGNALED": "make a completion", "SOLICITED": "raise the peer's event",
	"INLINE": "copy the data at once", "IP_CSUM": "the device's checksums",
	"GLOBAL": "visible to all readers of the memory", "PERSISTENT": "survives a power loss",
	"RANGE": "length bytes from remote_addr", "MR": "the whole region of the rkey",
	"ZERO_BASED": "remote_addr counts from the window's start",
}
