package ccall

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
)

// The members of requests go by the names of post_send's arguments, whatever struct
// they stand in.

// SGE is a piece of memory.
func SGE(addr, length, lkey string) *Struct {
	return NewStruct(sge.ctype).Set("addr", addr).Set("length", length).Set("lkey", lkey)
}

// RecvWR is a struct ibv_recv_wr.
func RecvWR(v Source) *Struct { return recvWR.fill(v.named()) }

// SendWR is a struct ibv_send_wr of what the opcode uses.
func SendWR(op verbs.WROpcode, v Source) *Struct {
	t, v := op.Traits(), v.named()
	used := map[string]bool{"imm_data": t.Imm, "invalidate_rkey": t.Invalid, "wr.atomic": t.Atomic, "wr.rdma": t.Remote && !t.Atomic, "bind_mw": t.Bind}
	return sendWR.fill(func(member string) Node {
		if member == "opcode" {
			return Text(verbs.WROpcodes.CName(op))
		}
		within, _, nested := cutLast(member)
		if !nested {
			within = member
		}
		if is, conditional := used[strings.TrimSuffix(within, ".bind_info")]; conditional && !is {
			return nil
		}
		return v(member)
	})
}

func cutLast(path string) (before, after string, found bool) {
	at := strings.LastIndexByte(path, '.')
	if at < 0 {
		return "", path, false
	}
	return path[:at], path[at+1:], true
}

// Post is the call of ibv_post_send, ibv_post_recv or ibv_post_srq_recv with one
// request, or several each of which is the next of the one before it.
func Post(verb, to string, bad string, wrs ...*Struct) Call {
	return call(verb, Text(to), Linked(wrs), Text("&"+bad))
}

// BindMW is the call of ibv_bind_mw.
func BindMW(qp, mw string, v Source) Call {
	return call("ibv_bind_mw", Text(qp), Text(mw), mwBind.fill(v.named()).Pointer())
}

// builder is the function that begins a request between ibv_wr_start and
// ibv_wr_complete; ibv_wr_post(3).
type builder struct {
	function string
	args     []string // of post_send, in the order of the function's
	data     bool     // a function for the SGE list follows
}

var builders = map[verbs.WROpcode]builder{
	verbs.WRSend:              {"ibv_wr_send", nil, true},
	verbs.WRSendWithImm:       {"ibv_wr_send_imm", []string{"imm_data"}, true},
	verbs.WRSendWithInv:       {"ibv_wr_send_inv", []string{"invalidate_rkey"}, true},
	verbs.WRRDMAWrite:         {"ibv_wr_rdma_write", []string{"rkey", "remote_addr"}, true},
	verbs.WRRDMAWriteWithImm:  {"ibv_wr_rdma_write_imm", []string{"rkey", "remote_addr", "imm_data"}, true},
	verbs.WRRDMARead:          {"ibv_wr_rdma_read", []string{"rkey", "remote_addr"}, true},
	verbs.WRAtomicCmpAndSwp:   {"ibv_wr_atomic_cmp_swp", []string{"rkey", "remote_addr", "compare_add", "swap"}, true},
	verbs.WRAtomicFetchAndAdd: {"ibv_wr_atomic_fetch_add", []string{"rkey", "remote_addr", "compare_add"}, true},
	verbs.WRLocalInv:          {"ibv_wr_local_inv", []string{"invalidate_rkey"}, false},
	verbs.WRBindMW:            {"ibv_wr_bind_mw", []string{"mw", "rkey", "mr"}, false},
	verbs.WRFlush:             {"ibv_wr_flush", []string{"rkey", "remote_addr", "length", "type", "level"}, false},
	verbs.WRAtomicWrite:       {"ibv_wr_atomic_write", []string{"rkey", "remote_addr", "sge"}, false},
}

// Begin is what comes before requests that are built, and Complete what posts them.
func Begin(qp string) Statements {
	return Statements{assignment{"qpx", call("ibv_qp_to_qp_ex", Text(qp))}, Start}
}

// The calls around requests that are built.
var (
	Start    = call("ibv_wr_start", Text("qpx"))
	Complete = call("ibv_wr_complete", Text("qpx"))
)

// Build is the calls that build a request of ibv_wr_*; flags are its send flags, and
// pieces its memory.
func Build(op verbs.WROpcode, inline bool, v Source, pieces List) Statements {
	row := builders[op]
	args := []Node{Text("qpx")}
	for _, name := range row.args {
		args = append(args, argument(name, op, v, pieces))
	}
	all := Statements{
		assignment{"qpx->wr_id", v("wr_id")},
		assignment{"qpx->wr_flags", v("send_flags")},
		Call{row.function, args},
	}
	if ah := v("ah"); ah != nil {
		all = append(all, call("ibv_wr_set_ud_addr", Text("qpx"), ah, v("remote_qpn"), v("remote_qkey")))
	}
	if row.data {
		all = append(all, memory(pieces, inline))
	}
	return all
}

// argument is an argument of such a function.
func argument(name string, op verbs.WROpcode, v Source, pieces List) Node {
	switch {
	case name == "mr":
		return bindInfoOf(v)
	case name == "sge" && len(pieces) == 0:
		return Text("NULL")
	case name == "sge":
		return data{pieces[0], "const void *"} // the 8 bytes of an ATOMIC_WRITE
	}
	return v(name)
}

// bindInfoOf is the address of a struct ibv_mw_bind_info.
func bindInfoOf(v Source) Node { return addressed{mwBindInfo.fill(v.named())} }

// addressed is a pointer whose short text says so.
type addressed struct{ *Struct }

func (a addressed) Short() string { return "&" + a.Struct.Short() }
func (a addressed) Long() string  { return a.Pointer().Long() }

// data is the address of a piece of memory as a pointer.
type data struct {
	piece *Struct
	ctype string
}

func (d data) Short() string { return "(void *)" + d.piece.Member("addr").Short() }
func (d data) Long() string {
	return "(" + d.ctype + ")(" + d.piece.Member("addr").Long() + ")"
}

// memory is the call that names a request's memory.
func memory(pieces List, inline bool) Node {
	qpx, n := Text("qpx"), Text(fmt.Sprint(len(pieces)))
	switch {
	case len(pieces) == 1 && inline:
		return call("ibv_wr_set_inline_data", qpx, data{pieces[0], "void *"}, pieces[0].Member("length"))
	case len(pieces) == 1:
		return call("ibv_wr_set_sge", qpx, pieces[0].Member("lkey"), pieces[0].Member("addr"), pieces[0].Member("length"))
	case len(pieces) == 0:
		return call("ibv_wr_set_sge_list", qpx, n, Text("NULL"))
	case inline:
		return call("ibv_wr_set_inline_data_list", qpx, n, buffers(pieces))
	}
	return call("ibv_wr_set_sge_list", qpx, n, pieces)
}

// buffers are pieces of memory as an array of struct ibv_data_buf.
type buffers List

func (b buffers) Short() string {
	parts := make([]string, len(b))
	for i, p := range b {
		parts[i] = "{" + data{p, ""}.Short() + ", " + p.Member("length").Short() + "}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (b buffers) Long() string {
	parts := make([]string, len(b))
	for i, p := range b {
		parts[i] = "{ " + data{p, "void *"}.Long() + ", " + p.Member("length").Long() + " }"
	}
	return "(struct ibv_data_buf[]){\n\t" + strings.Join(parts, ",\n\t") + ",\n}"
}
