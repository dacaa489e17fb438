package export

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// qpInitEx turns a struct ibv_qp_init_attr into the call of ibv_create_qp_ex.
func (t *translator) qpInitEx(pd *object, init *initialiser) string {
	init.set("comp_mask", "IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS")
	init.set("pd", pd.expr)
	init.set("send_ops_flags", flags(t, "send_ops_flags", verbs.SendOpFlags))
	return fmt.Sprintf("ibv_create_qp_ex(%s->context, %s)", pd.expr, init.pointer("struct ibv_qp_init_attr_ex"))
}

// createCQEx makes a queue whose completions have more fields. The program polls it by
// ibv_poll_cq all the same, which gives those that it looks at.
func (t *translator) createCQEx(d *object, channel string) string {
	var init initialiser
	init.set("cqe", t.uint("cqe"))
	init.set("channel", channel)
	init.set("comp_vector", t.uint("comp_vector"))
	text := "IBV_WC_STANDARD_FLAGS"
	if more := t.full.CQWCFlags("wc_flags") &^ verbs.CQStandard; more != 0 {
		text += " | " + spaced(verbs.CQWCFlagNames.CName(more))
	}
	init.set("wc_flags", text)
	return fmt.Sprintf("ibv_cq_ex_to_cq(ibv_create_cq_ex(%s, %s))", d.expr, init.pointer("struct ibv_cq_init_attr_ex"))
}

// postExtended posts by ibv_wr_* what build writes.
func (t *translator) postExtended(qp *object, said string, build func() error) error {
	t.open("{")
	defer t.close()
	t.put("struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(%s);\n", qp.expr)
	t.put("ibv_wr_start(qpx);")
	if err := build(); err != nil {
		return err
	}
	t.errorCall("ibv_wr_complete(qpx)", said)
	return nil
}

// postSendExtended posts the request of a line, as often as that says.
func (t *translator) postSendExtended(qp *object, said string) error {
	if t.cmd.Given("outstanding") || t.cmd.Given("signal_every") {
		return t.errorf("a run of requests that ibv_wr_* posts cannot be exported: leave outstanding= and signal_every= out")
	}
	n, plus := t.uint("count"), ""
	if t.cmd.Given("count") && n != "1" && t.outcome == works {
		t.open("for (unsigned long long n = 0; n < %s; n++) {", n)
		defer t.close()
		plus = " + n"
	}
	return t.postExtended(qp, said, func() error { return t.buildRequest(qp, plus) })
}

// buildRequest writes the calls that build the request of a line; plus is what its
// wr_id counts on by.
func (t *translator) buildRequest(qp *object, plus string) error {
	op := t.full.Opcode("opcode")
	row := command.WRBuilders[op]
	t.put("qpx->wr_id = %s%s;", t.uint("wr_id"), plus)
	all := flags(t, "send_flags", verbs.SendFlagNames)
	inline := t.full.SendFlags("send_flags")&verbs.SendInline != 0
	if inline {
		all = spaced(verbs.SendFlagNames.CName(t.full.SendFlags("send_flags") &^ verbs.SendInline))
	}
	t.put("qpx->wr_flags = %s;", all)
	args := []string{"qpx"}
	for _, name := range row.Args {
		arg, err := t.builderArg(name, qp)
		if err != nil {
			return err
		}
		args = append(args, arg)
	}
	t.put("%s(%s);", row.Func, strings.Join(args, ", "))
	if qp.qpType == verbs.UD {
		ah, err := t.object("ah")
		if err != nil {
			return err
		}
		t.put("ibv_wr_set_ud_addr(qpx, %s, %s, %s);", ah.expr, t.uint("remote_qpn"), t.uint("remote_qkey"))
	}
	if row.Data {
		return t.builderData(inline)
	}
	if op == verbs.WRBindMW && t.outcome == works {
		return t.keepKey()
	}
	return nil
}

// builderArg is an argument of such a function.
func (t *translator) builderArg(name string, qp *object) (string, error) {
	switch name {
	case "imm_data":
		return "htonl(" + t.uint(name) + ")", nil
	case "type":
		return spaced(verbs.FlushTypes.CName(t.full.Flush().Type)), nil
	case "level":
		return verbs.FlushLevels.CName(t.full.Flush().Level), nil
	case "length":
		if !t.hasArg(name) {
			return "0", nil
		}
	case "sge":
		pieces, err := t.pieces()
		if err != nil || len(pieces) == 0 {
			return "NULL", err
		}
		return "(const void *)(" + pieces[0].member("addr") + ")", nil
	case "mw", "mr", "rkey":
		if t.full.Opcode("opcode") == verbs.WRBindMW {
			return t.bindArg(name, qp)
		}
	}
	return t.uint(name), nil
}

// bindArg is an argument of ibv_wr_bind_mw.
func (t *translator) bindArg(name string, qp *object) (string, error) {
	mw, err := t.object("mw")
	switch {
	case err != nil:
		return "", err
	case name == "mw":
		return mw.expr, nil
	case name == "rkey":
		return t.nextKey(mw), nil
	}
	info, err := t.bindInfo(mw, qp)
	if err != nil {
		return "", err
	}
	return info.pointer("struct ibv_mw_bind_info"), nil
}

// builderData names the memory of a request.
func (t *translator) builderData(inline bool) error {
	pieces, err := t.pieces()
	if err != nil {
		return err
	}
	one := len(pieces) == 1
	switch {
	case one && inline:
		t.put("ibv_wr_set_inline_data(qpx, (void *)(%s), %s);", pieces[0].member("addr"), pieces[0].member("length"))
	case one:
		t.put("ibv_wr_set_sge(qpx, %s, %s, %s);", pieces[0].member("lkey"), pieces[0].member("addr"), pieces[0].member("length"))
	case len(pieces) == 0:
		t.put("ibv_wr_set_sge_list(qpx, 0, NULL);")
	case inline:
		var list []string
		for _, p := range pieces {
			list = append(list, fmt.Sprintf("{ (void *)(%s), %s }", p.member("addr"), p.member("length")))
		}
		t.put("%s", fmt.Sprintf("ibv_wr_set_inline_data_list(qpx, %d, (struct ibv_data_buf[]){\n\t%s,\n});", len(list), strings.Join(list, ",\n\t")))
	default:
		t.put("%s", fmt.Sprintf("ibv_wr_set_sge_list(qpx, %d, %s);", len(pieces), listOf(pieces)))
	}
	return nil
}
