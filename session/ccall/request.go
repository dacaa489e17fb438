package ccall

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
)

// Members of requests are named after the arguments of post_send, whatever struct
// they belong to.

// SGE returns the struct ibv_sge of a piece of memory.
func SGE(addr, length, lkey string) *Struct {
	return NewStruct(sge.ctype).Set("addr", addr).Set("length", length).Set("lkey", lkey)
}

// RecvWR returns a struct ibv_recv_wr.
func RecvWR(v Source) *Struct { return recvWR.fill(v.Named()) }

// SendWR returns a struct ibv_send_wr with the members that the opcode uses.
func SendWR(op verbs.WROpcode, v Source) *Struct {
	t, v := op.Traits(), v.Named()
	used := map[string]bool{
		"imm_data": t.Imm, "invalidate_rkey": t.Invalid, "wr.atomic": t.Atomic,
		"wr.rdma": t.Remote && !t.Atomic, "bind_mw": t.Bind,
	}
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

// Post returns the call of ibv_post_send, ibv_post_recv or ibv_post_srq_recv for one
// request or a chain of several.
func Post(verb, to string, bad string, wrs ...*Struct) Call {
	return call(verb, Text(to), Linked(wrs), Text("&"+bad))
}

// BindMW returns the call of ibv_bind_mw.
func BindMW(qp, mw string, v Source) Call {
	return call("ibv_bind_mw", Text(qp), Text(mw), mwBind.fill(v.Named()).Pointer())
}

// builderArgs returns the arguments of the function that begins a request between ibv_wr_start and ibv_wr_complete,
// named as in post_send, in the order of its parameters; ibv_wr_post(3).
func builderArgs(t *verbs.WROpcodeTraits) (names []string) {
	for _, group := range []struct {
		used  bool
		names []string
	}{
		{t.Bind, []string{"mw", "rkey", "mr"}}, {t.Remote, []string{"rkey", "remote_addr"}},
		{t.Imm, []string{"imm_data"}},
		{t.Invalid, []string{"invalidate_rkey"}}, {t.Atomic, []string{"compare_add"}}, {t.Swap, []string{"swap"}},
		{t.Flush, []string{"length", "type", "level"}}, {t.Copied, []string{"sge"}},
	} {
		if group.used {
			names = append(names, group.names...)
		}
	}
	return names
}

// Begin returns the calls that precede built requests; Complete is the call that
// posts them.
func Begin(qp string) Statements {
	return Statements{assignment{"qpx", call("ibv_qp_to_qp_ex", Text(qp))}, Start}
}

// Calls around built requests.
var (
	Start    = call("ibv_wr_start", Text("qpx"))
	Complete = call("ibv_wr_complete", Text("qpx"))
)

// Build returns the calls that build a request with ibv_wr_*; flags are its send
// flags, and pieces its memory.
func Build(op verbs.WROpcode, inline bool, v Source, pieces List) Statements {
	t := op.Traits()
	args := []Node{Text("qpx")}
	for _, name := range builderArgs(t) {
		args = append(args, argument(name, op, v, pieces))
	}
	all := Statements{
		assignment{"qpx->wr_id", v("wr_id")},
		assignment{"qpx->wr_flags", v("send_flags")},
		Call{t.Builder, args},
	}
	if ah := v("ah"); ah != nil {
		all = append(all, call("ibv_wr_set_ud_addr", Text("qpx"), ah, v("remote_qpn"), v("remote_qkey")))
	}
	if t.HasList() && !t.Copied { // a function that sets the SGE list follows
		all = append(all, memory(pieces, inline))
	}
	return all
}

// argument returns one argument of a builder function.
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

// bindInfoOf returns the address of a struct ibv_mw_bind_info.
func bindInfoOf(v Source) Node { return addressed{mwBindInfo.fill(v.Named())} }

// addressed is a pointer whose short form has the "&" too.
type addressed struct{ *Struct }

// Short returns "&" and the initialiser.
func (a addressed) Short() string { return "&" + a.Struct.Short() }

// Long returns the address of the compound literal.
func (a addressed) Long() string { return a.Pointer().Long() }

// data is the address of a piece of memory, cast to a pointer.
type data struct {
	piece *Struct
	ctype string
}

// Short returns the address cast to void *.
func (d data) Short() string { return "(void *)" + d.piece.Member("addr").Short() }

// Long returns the address cast to ctype.
func (d data) Long() string {
	return "(" + d.ctype + ")(" + d.piece.Member("addr").Long() + ")"
}

// memory returns the call that sets a request's memory.
func memory(pieces List, inline bool) Node {
	qpx, n := Text("qpx"), Text(fmt.Sprint(len(pieces)))
	switch {
	case len(pieces) == 1 && inline:
		return call("ibv_wr_set_inline_data", qpx, data{pieces[0], "void *"}, pieces[0].Member("length"))
	case len(pieces) == 1:
		return call("ibv_wr_set_sge", qpx, pieces[0].Member("lkey"), pieces[0].Member("addr"),
			pieces[0].Member("length"))
	case len(pieces) == 0:
		return call("ibv_wr_set_sge_list", qpx, n, Text("NULL"))
	case inline:
		return call("ibv_wr_set_inline_data_list", qpx, n, buffers(pieces))
	}
	return call("ibv_wr_set_sge_list", qpx, n, pieces)
}

// buffers is memory written as an array of struct ibv_data_buf.
type buffers List

// Short returns the array on one line.
func (b buffers) Short() string {
	parts := make([]string, len(b))
	for i, p := range b {
		parts[i] = "{" + data{p, ""}.Short() + ", " + p.Member("length").Short() + "}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Long returns the array as a compound literal, one element per line.
func (b buffers) Long() string {
	parts := make([]string, len(b))
	for i, p := range b {
		parts[i] = "{ " + data{p, "void *"}.Long() + ", " + p.Member("length").Long() + " }"
	}
	return "(struct ibv_data_buf[]){\n\t" + strings.Join(parts, ",\n\t") + ",\n}"
}
