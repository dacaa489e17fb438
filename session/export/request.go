package export

import (
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/verbs"
)

// pieces returns the memory that a line names.
func (t *line) pieces() (list ccall.List) {
	typed, _ := t.cmd.Get("sge")
	full, _ := t.full.Get("sge")
	if typed.Text == "" {
		return nil
	}
	resolved := strings.Split(full.Text, ",")
	for i, piece := range strings.Split(typed.Text, ",") {
		list = append(list, t.piece(strings.Split(piece, ":"), strings.Split(resolved[i], ":")))
	}
	return list
}

// piece returns a struct ibv_sge for name:offset:length:lkey, or @addr:length:lkey.
func (t *line) piece(typed, full []string) *ccall.Struct {
	if addr, raw := strings.CutPrefix(typed[0], "@"); raw {
		return ccall.SGE(t.number(addr, strings.TrimPrefix(full[0], "@")), t.number(typed[1], full[1]),
			t.number(typed[2], full[2]))
	}
	p := t.place(typed, full)
	addr := "(uintptr_t)" + p.mr.expr + "->addr"
	if p.offset != "0" {
		addr += " + " + p.offset
	}
	lkey := p.mr.expr + "->lkey"
	if len(typed) > 3 {
		lkey = t.number(typed[3], full[3])
	}
	length := p.length
	if len(typed) < 3 {
		length = "(uint32_t)" + operand(length)
	}
	return ccall.SGE(addr, length, lkey)
}

// place is a part of a region; C.
type place struct {
	mr             *object
	offset, length string
}

// place returns the part of a region that name:offset:length names.
func (t *line) place(typed, full []string) place {
	mr := t.named(typed[0])
	p := place{mr, "0", mr.expr + "->length"}
	if len(typed) > 1 {
		p.offset = t.number(typed[1], full[1])
	}
	switch {
	case len(typed) > 2:
		p.length = t.number(typed[2], full[2])
	case p.offset != "0":
		p.length = fmt.Sprintf("%s->length - %s", mr.expr, p.offset)
	}
	return p
}

// requestValues returns a source with the values of a request, by argument; plus is
// added to its wr_id.
func (t *line) requestValues(pieces ccall.List, plus string) ccall.Source {
	return func(member string) ccall.Node {
		switch {
		case member == "wr_id":
			return ccall.Text(t.uint(member) + plus)
		case member == "sg_list" && len(pieces) > 0:
			return pieces
		case member == "num_sge" && len(pieces) > 0:
			return ccall.Dec(len(pieces))
		case t.cmd.Spec.Arg(member) == nil, member == "swap" && !t.hasArg(member):
			return nil
		case member == "send_flags":
			return ccall.Text(flags(t, member))
		case member == "imm_data":
			return ccall.Text("htonl(" + t.uint(member) + ")")
		}
		return ccall.Text(t.uint(member))
	}
}

// sendValues returns a source with the values of a request for a queue pair's send
// queue.
func (t *line) sendValues(qp *object, pieces ccall.List, plus string) ccall.Source {
	var ah, mw *object
	var bind ccall.Source
	if qp.qpType == verbs.UD {
		ah = t.object("ah")
	}
	op := t.full.Opcode("opcode")
	if op == verbs.WRBindMW {
		mw = t.object("mw")
		bind = t.bindInfo(mw, qp)
	}
	plain := t.requestValues(pieces, plus)
	return func(member string) ccall.Node {
		switch member {
		case "ah":
			if ah == nil {
				return nil
			}
			return ccall.Text(ah.expr)
		case "remote_qpn", "remote_qkey":
			if ah == nil {
				return nil
			}
		case "mr", "addr", "mw_access_flags", "mw", "rkey", "length":
			if bind != nil {
				return bind(member)
			}
		case "type":
			return ccall.Flags(verbs.FlushTypes.CName(t.full.Flush().Type))
		case "level":
			return ccall.Text(verbs.FlushLevels.CName(t.full.Flush().Level))
		}
		return plain(member)
	}
}

// sendWR returns a struct ibv_send_wr for a line.
func (t *line) sendWR(qp *object, plus string) *ccall.Struct {
	pieces := t.pieces()
	v := t.sendValues(qp, pieces, plus)
	return ccall.SendWR(t.full.Opcode("opcode"), v)
}

// PostSend translates post_send.
func PostSend(t *line) {
	qp := t.object("qp")
	if qp.id != nil {
		t.await(qp.id)
	}
	op := t.full.Opcode("opcode")
	if qp.sendOps.Has(op) {
		postSendExtended(t, qp, label("ibv_wr_complete", qp.expr, op.String()))
		return
	}
	said := label("ibv_post_send", qp.expr, op.String())
	if t.cmd.Given("outstanding") || t.cmd.Given("signal_every") {
		sendStream(t, qp)
		return
	}
	n, plus := t.times()
	wr := t.sendWR(qp, plus)
	call := ccall.Post("ibv_post_send", qp.expr, "bad_wr", wr).Long()
	if plus != "" {
		t.open("for (unsigned long long n = 0; n < %s; n++) {", n)
		t.errorCall(call, said)
		t.close()
		return
	}
	t.errorCall(call, said)
	if op == verbs.WRBindMW && t.outcome == works {
		t.keepKey()
	}
}

// times returns how often a line posts its request, and what to add to its wr_id; ""
// for once.
func (t *line) times() (n, plus string) {
	if n = t.uint("count"); t.cmd.Given("count") && n != "1" && t.outcome == works {
		plus = " + n"
	}
	return n, plus
}

// sendStream posts a request repeatedly, with a limited number outstanding.
func sendStream(t *line, qp *object) {
	wr := t.sendWR(qp, "")
	count := "1"
	if t.cmd.Given("count") {
		count = t.uint("count")
	}
	switch {
	case count == "0":
		panic(leftOut("it went on until it was stopped"))
	case t.outcome != works:
		panic(leftOut("a run that fails cannot be made to fail again"))
	}
	run := ccall.NewStruct("struct send_stream").Set("queue_pair", qp.expr).Set("count", count)
	for _, name := range []string{"outstanding", "signal_every"} {
		if t.cmd.Given(name) {
			run.Set(name, t.uint(name))
		}
	}
	t.put("%s", "send_stream("+run.Literal()+", "+wr.Pointer().Long()+");")
}

// recvWR returns a struct ibv_recv_wr for a line.
func (t *line) recvWR() *ccall.Struct {
	pieces := t.pieces()
	return ccall.RecvWR(t.requestValues(pieces, ""))
}

// receiver returns the argument that names the receive queue of a command.
func receiver(spec *command.Spec) string {
	if spec == command.PostSRQRecv {
		return "srq"
	}
	return "qp"
}

// PostRecv translates post_recv and post_srq_recv.
func PostRecv(t *line) {
	verb := t.cmd.Spec.Verb
	o := t.object(receiver(t.cmd.Spec))
	wr := t.recvWR()
	call := ccall.Post(verb, o.expr, "bad_recv_wr", wr).Long()
	count := t.uint("count")
	if t.outcome == works {
		o.posted += max(1, t.full.Int("count"))
	}
	switch {
	case count == "1" || count == "0":
		t.errorCall(call, label(verb, o.expr))
	case t.outcome == works:
		t.open("for (unsigned int n = 0; n < %s; n++) {", count)
		t.errorCall(call, label(verb, o.expr))
		t.close()
	default: // one of them fails
		t.put("err = 0;")
		t.open("for (unsigned int n = 0; n < %s && !err; n++) {", count)
		t.put("err = %s;", call)
		t.close()
		t.errorCall("err", label(verb, o.expr))
	}
}
