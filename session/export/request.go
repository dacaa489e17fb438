package export

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
)

// scatterGather adds the pieces of memory that a line names to a request.
func (t *translator) scatterGather(wr *initialiser) error {
	elements, err := t.pieces()
	switch {
	case err != nil || len(elements) == 0:
		return err // none: a message of 0 bytes
	case len(elements) == 1:
		wr.set("sg_list", elements[0].pointer("struct ibv_sge"))
	default:
		wr.set("sg_list", listOf(elements))
	}
	wr.set("num_sge", fmt.Sprint(len(elements)))
	return nil
}

// pieces are the pieces of memory that a line names.
func (t *translator) pieces() (list []*initialiser, err error) {
	typed, _ := t.cmd.Get("sge")
	full, _ := t.full.Get("sge")
	if typed.Text == "" {
		return nil, nil
	}
	resolved := strings.Split(full.Text, ",")
	for i, piece := range strings.Split(typed.Text, ",") {
		e, err := t.piece(strings.Split(piece, ":"), strings.Split(resolved[i], ":"))
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// listOf is an array of struct ibv_sge.
func listOf(pieces []*initialiser) string {
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.String()
	}
	return "(struct ibv_sge[]){\n\t" + strings.ReplaceAll(strings.Join(texts, ",\n"), "\n", "\n\t") + ",\n}"
}

// piece is a struct ibv_sge of name:offset:length:lkey, or of @addr:length:lkey.
func (t *translator) piece(typed, full []string) (*initialiser, error) {
	var e initialiser
	if addr, raw := strings.CutPrefix(typed[0], "@"); raw {
		e.set("addr", t.number(addr, strings.TrimPrefix(full[0], "@")))
		e.set("length", t.number(typed[1], full[1]))
		e.set("lkey", t.number(typed[2], full[2]))
		return &e, nil
	}
	mr, err := t.find(typed[0])
	if err != nil {
		return nil, err
	}
	offset := "0"
	if len(typed) > 1 {
		offset = t.number(typed[1], full[1])
	}
	addr, length := "(uintptr_t)"+mr.expr+"->addr", "(uint32_t)"+mr.expr+"->length"
	if offset != "0" {
		addr += " + " + offset
		length = fmt.Sprintf("(uint32_t)(%s->length - %s)", mr.expr, offset)
	}
	if len(typed) > 2 {
		length = t.number(typed[2], full[2])
	}
	lkey := mr.expr + "->lkey"
	if len(typed) > 3 {
		lkey = t.number(typed[3], full[3])
	}
	e.set("addr", addr)
	e.set("length", length)
	e.set("lkey", lkey)
	return &e, nil
}

// sendWR is a struct ibv_send_wr of what a line says.
func (t *translator) sendWR(qp *object) (*initialiser, error) {
	op := t.full.Opcode("opcode")
	traits := op.Traits()
	var wr, part initialiser
	wr.set("wr_id", t.uint("wr_id"))
	if err := t.scatterGather(&wr); err != nil {
		return nil, err
	}
	wr.set("opcode", verbs.WROpcodes.CName(op))
	wr.set("send_flags", flags(t, "send_flags", verbs.SendFlagNames))
	if traits.Imm {
		wr.set("imm_data", "htonl("+t.uint("imm_data")+")")
	}
	if traits.Invalid {
		wr.set("invalidate_rkey", t.uint("invalidate_rkey"))
	}
	switch {
	case traits.Atomic:
		part.set("remote_addr", t.uint("remote_addr"))
		part.set("compare_add", t.uint("compare_add"))
		if t.hasArg("swap") {
			part.set("swap", t.uint("swap"))
		}
		part.set("rkey", t.uint("rkey"))
		wr.set("wr.atomic", part.String())
	case traits.Remote:
		part.set("remote_addr", t.uint("remote_addr"))
		part.set("rkey", t.uint("rkey"))
		wr.set("wr.rdma", part.String())
	}
	if qp.qpType == verbs.UD {
		ah, err := t.object("ah")
		if err != nil {
			return nil, err
		}
		part.set("ah", ah.expr)
		part.set("remote_qpn", t.uint("remote_qpn"))
		part.set("remote_qkey", t.uint("remote_qkey"))
		wr.set("wr.ud", part.String())
	}
	if op == verbs.WRBindMW {
		return &wr, t.postBind(&wr, qp)
	}
	return &wr, nil
}

func postSend(t *translator) error {
	qp, err := t.object("qp")
	if err != nil {
		return err
	}
	if qp.id != nil {
		t.await(qp.id)
	}
	op := t.full.Opcode("opcode")
	if qp.sendOps.Has(op) {
		return t.postSendExtended(qp, label("ibv_wr_complete", qp.expr, op.String()))
	}
	wr, err := t.sendWR(qp)
	if err != nil {
		return err
	}
	said := label("ibv_post_send", qp.expr, op.String())
	if t.cmd.Given("outstanding") || t.cmd.Given("signal_every") {
		return t.sendStream(qp, wr)
	}
	if n := t.uint("count"); t.cmd.Given("count") && n != "1" && t.outcome == works {
		wr.members[0][1] += " + n"
		t.open("for (unsigned long long n = 0; n < %s; n++) {", n)
		t.errorCall(fmt.Sprintf("ibv_post_send(%s, %s, &bad_wr)", qp.expr, wr.pointer("struct ibv_send_wr")), said)
		t.close()
		return nil
	}
	t.errorCall(fmt.Sprintf("ibv_post_send(%s, %s, &bad_wr)", qp.expr, wr.pointer("struct ibv_send_wr")), said)
	if op == verbs.WRBindMW && t.outcome == works {
		return t.keepKey()
	}
	return nil
}

// sendStream posts a request again and again, with a number of them under way.
func (t *translator) sendStream(qp *object, wr *initialiser) error {
	count := "1"
	if t.cmd.Given("count") {
		count = t.uint("count")
	}
	switch {
	case count == "0":
		return t.errorf("it went on until it was stopped")
	case t.outcome != works:
		return t.errorf("a run that fails cannot be made to fail again")
	}
	var run initialiser
	run.set("queue_pair", qp.expr)
	run.set("count", count)
	for _, name := range []string{"outstanding", "signal_every"} {
		if t.cmd.Given(name) {
			run.set(name, t.uint(name))
		}
	}
	t.put("%s", "send_stream((struct send_stream)"+run.String()+", "+wr.pointer("struct ibv_send_wr")+");")
	return nil
}

// recvWR is a struct ibv_recv_wr of what a line says.
func (t *translator) recvWR() (*initialiser, error) {
	var wr initialiser
	wr.set("wr_id", t.uint("wr_id"))
	return &wr, t.scatterGather(&wr)
}

// postRecv is ibv_post_recv on a queue pair, or ibv_post_srq_recv on a shared
// receive queue.
func postRecv(verb, queue string) translation {
	return func(t *translator) error {
		o, err := t.object(queue)
		if err != nil {
			return err
		}
		wr, err := t.recvWR()
		if err != nil {
			return err
		}
		call := fmt.Sprintf("%s(%s, %s, &bad_recv_wr)", verb, o.expr, wr.pointer("struct ibv_recv_wr"))
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
		return nil
	}
}

func createSRQ(t *translator) error {
	pd, err := t.object("pd")
	if err != nil {
		return err
	}
	var init, attr initialiser
	attr.set("max_wr", t.uint("max_wr"))
	attr.set("max_sge", t.uint("max_sge"))
	init.set("attr", attr.String())
	o := t.make("srq", t.newName("srq"), pd)
	call := fmt.Sprintf("ibv_create_srq(%s, %s)", pd.expr, init.pointer("struct ibv_srq_init_attr"))
	t.pointerCall(o.expr, call, label("ibv_create_srq", pd.expr))
	t.settleNew(o)
	return nil
}

func modifySRQ(t *translator) error {
	o, err := t.object("srq")
	if err != nil {
		return err
	}
	var attr initialiser
	var mask []string
	for _, f := range []struct{ name, bit string }{{"max_wr", "IBV_SRQ_MAX_WR"}, {"srq_limit", "IBV_SRQ_LIMIT"}} {
		if t.hasArg(f.name) {
			attr.set(f.name, t.uint(f.name))
			mask = append(mask, f.bit)
		}
	}
	if len(mask) == 0 {
		attr.set("max_wr", "0")
		mask = []string{"0"}
	}
	call := fmt.Sprintf("ibv_modify_srq(%s, %s, %s)", o.expr, attr.pointer("struct ibv_srq_attr"), strings.Join(mask, " | "))
	t.errorCall(call, label("ibv_modify_srq", o.expr))
	return nil
}

func querySRQ(t *translator) error {
	o, err := t.object("srq")
	if err != nil {
		return err
	}
	t.open("{")
	t.put("struct ibv_srq_attr attr = { .max_wr = 0 };\n")
	t.errorCall(fmt.Sprintf("ibv_query_srq(%s, &attr)", o.expr), label("ibv_query_srq", o.expr))
	t.put("%s", fmt.Sprintf(`printf("%s: max_wr %%u, max_sge %%u, srq_limit %%u\n", attr.max_wr, attr.max_sge, attr.srq_limit);`, o.expr))
	t.close()
	return nil
}
