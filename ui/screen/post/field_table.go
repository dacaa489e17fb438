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
	{Value: "LOCAL_INV", Help: "makes a key of this end void"},
	{Value: "BIND_MW", Help: "shows a piece of a region by a window"},
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
	{"payload", func(r *request, _ *session.QPView) bool { return r.sends() }, form.Text, "text, 0x…, pattern:LEN or file:PATH; goes into the first SGE"},
	{"sge", func(r *request, _ *session.QPView) bool { return r.hasList() }, form.Text, "region:offset:length"},
	{"remote_addr", func(r *request, _ *session.QPView) bool { return r.traits().Remote }, form.Text, "where at the peer; +N is legal"},
	{"rkey", func(r *request, _ *session.QPView) bool { return r.traits().Remote }, form.Text, "key of the peer's region or window"},
	{"imm_data", func(r *request, _ *session.QPView) bool { return r.traits().Imm }, form.Text, "32 bits for the peer's completion"},
	{"invalidate_rkey", func(r *request, _ *session.QPView) bool { return r.traits().Invalid }, form.Text, "the key to make void"},
	{"mw", isBind, form.Text, "the window, of TYPE_2"},
	{"mr", isBind, form.Text, "its region, which has MW_BIND"},
	{"addr", isBind, form.Text, "its first byte; unset: the region's"},
	{"length", isBind, form.Text, "bytes; unset: up to the end"},
	{"mw_access_flags", isBind, form.Flags, "what the peer may do"},
	{"compare_add", func(r *request, _ *session.QPView) bool { return r.traits().Atomic }, form.Text, "what to compare with, or to add"},
	{"swap", func(r *request, _ *session.QPView) bool { return r.opcode() == verbs.WRAtomicCmpAndSwp }, form.Text, "what to put there if they are equal"},
	{"ah", isDatagram, form.Text, "where the datagram goes"},
	{"remote_qpn", isDatagram, form.Text, "the peer's queue pair"},
	{"remote_qkey", isDatagram, form.Text, "must be the peer's qkey"},
	{"send_flags", func(r *request, _ *session.QPView) bool { return r.op != recv }, form.Flags, "SIGNALED: make a completion"},
	{"wr_id", nil, form.Text, "comes back in the completion"},
	{"count", nil, form.Text, "how many times; unset: once"},
	{"outstanding", isRepeated, form.Text, "keep so many under way; unset: post all at once"},
	{"signal_every", isRepeated, form.Text, "SIGNALED are one in so many"},
}

func isBind(r *request, _ *session.QPView) bool { return r.traits().Bind }

func isRepeated(r *request, _ *session.QPView) bool { return r.op != recv && r.times() != 1 }

func isDatagram(r *request, q *session.QPView) bool { return q.Type == verbs.UD && r.op != recv }

// flagsOf are the flags of the fields that have some.
var flagsOf = map[string][]form.Option{
	"send_flags":      flagOptions(verbs.SendFlagNames.Names(), flagHelp),
	"mw_access_flags": flagOptions([]string{"REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC", "ZERO_BASED"}, flagHelp),
}

func flagOptions(names []string, help map[string]string) (list []form.Option) {
	for _, f := range names {
		list = append(list, form.Option{Value: f, Help: help[f]})
	}
	return list
}

var flagHelp = map[string]string{
	"FENCE": "wait for earlier READs", "SIGNALED": "make a completion", "SOLICITED": "raise the peer's solicited event",
	"INLINE": "copy the data at post time", "IP_CSUM": "the device computes checksums",
	"ZERO_BASED": "remote_addr counts from the window's start",
}
