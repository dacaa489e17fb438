package post

import (
	"rdmatui/session"
	"rdmatui/ui/widget/form"
	"rdmatui/verbs"
)

// recv stands among the opcodes for post_recv.
const recv = "RECV"

// opcodes are what can be posted here, in the order in which o goes through them.
var opcodes = []form.Option{
	{Value: "SEND", Help: "the peer's next RECV takes the data"},
	{Value: "SEND_WITH_IMM", Help: "and 32 bits for its completion"},
	{Value: "RDMA_WRITE", Help: "into the peer's memory, unseen by it"},
	{Value: "RDMA_WRITE_WITH_IMM", Help: "and a completion at the peer"},
	{Value: "RDMA_READ", Help: "from the peer's memory, unseen by it"},
	{Value: "ATOMIC_CMP_AND_SWP", Help: "changes the peer's 8 bytes if they are as said"},
	{Value: "ATOMIC_FETCH_AND_ADD", Help: "adds to the peer's 8 bytes"},
	{Value: "SEND_WITH_INV", Help: "and a key that the peer is to make void"},
	{Value: recv, Help: "a buffer for a SEND of the peer"},
}

// payloads differ by opcode, so that each leaves a mark of its own.
var payloads = map[string]string{
	"SEND": "hello", "SEND_WITH_IMM": "hello again", "RDMA_WRITE": "written", "RDMA_WRITE_WITH_IMM": "written with imm",
	"SEND_WITH_INV": "hello and forget",
}

// presetOperands are the operands of atomics where the user typed none: with them
// 0 becomes 1, and 1 becomes 2 or stays.
var presetOperands = map[verbs.WROpcode]map[string]string{
	verbs.WRAtomicCmpAndSwp:   {"compare_add": "0", "swap": "1"},
	verbs.WRAtomicFetchAndAdd: {"compare_add": "1"},
}

// Bytes that come back unless told otherwise.
const (
	readLength   = 16
	atomicLength = 8 // exactly
)

// part is a field of a request, and when it applies.
type part struct {
	name string
	when func(r *request, q *session.QPView) bool
	kind form.Kind
	note string
}

var parts = []part{
	{"payload", func(r *request, _ *session.QPView) bool { return r.sends() }, form.Text, "text, 0x… or pattern:LEN; put into the first SGE"},
	{"sge", nil, form.Text, "region:offset:length"},
	{"remote_addr", func(r *request, _ *session.QPView) bool { return r.traits().Remote }, form.Text, "where at the peer; +N is legal"},
	{"rkey", func(r *request, _ *session.QPView) bool { return r.traits().Remote }, form.Text, "key of the peer's region"},
	{"imm_data", func(r *request, _ *session.QPView) bool { return r.traits().Imm }, form.Text, "32 bits for the peer's completion"},
	{"invalidate_rkey", func(r *request, _ *session.QPView) bool { return r.traits().Invalid }, form.Text, "key of the peer's that it is to make void"},
	{"compare_add", func(r *request, _ *session.QPView) bool { return r.traits().Atomic }, form.Text, "what to compare with, or to add"},
	{"swap", func(r *request, _ *session.QPView) bool { return r.opcode() == verbs.WRAtomicCmpAndSwp }, form.Text, "what to put there if they are equal"},
	{"ah", isDatagram, form.Text, "where the datagram goes"},
	{"remote_qpn", isDatagram, form.Text, "the peer's queue pair"},
	{"remote_qkey", isDatagram, form.Text, "must be the peer's qkey"},
	{"send_flags", func(r *request, _ *session.QPView) bool { return r.op != recv }, form.Flags, "SIGNALED: make a completion"},
	{"wr_id", nil, form.Text, "comes back in the completion"},
}

func isDatagram(r *request, q *session.QPView) bool { return q.Type == verbs.UD && r.op != recv }

var flagHelp = map[string]string{
	"FENCE": "wait for earlier READs", "SIGNALED": "make a completion", "SOLICITED": "raise the peer's solicited event",
	"INLINE": "copy the data at post time", "IP_CSUM": "the device computes checksums",
}
