package export

import (
	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

// postExtended posts with ibv_wr_* what build writes.
func postExtended(t *line, qp *object, said string, build func()) {
	t.open("{")
	defer t.close()
	t.put("struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(%s);\n", qp.expr)
	t.put("%s", ccall.Statements{ccall.Start}.Long())
	build()
	t.errorCall(ccall.Complete.Long(), said)
}

// postSendExtended posts the request of a line, as often as the line says.
func postSendExtended(t *line, qp *object, said string) {
	if t.cmd.Given("outstanding") || t.cmd.Given("signal_every") {
		panic(leftOut("a run of requests that ibv_wr_* posts cannot be exported: leave outstanding= and signal_every= out"))
	}
	n, plus := t.times()
	if plus != "" {
		t.open("for (unsigned long long n = 0; n < %s; n++) {", n)
		defer t.close()
	}
	postExtended(t, qp, said, func() { t.build(qp, plus) })
}

// build writes the calls that build the request of a line; plus is added to its
// wr_id.
func (t *line) build(qp *object, plus string) {
	pieces := t.pieces()
	v := t.sendValues(qp, pieces, plus)
	op, sent := t.full.Opcode("opcode"), t.full.SendFlags("send_flags")
	inline := sent&verbs.SendInline != 0
	all := ccall.Build(op, inline, func(member string) ccall.Node {
		switch {
		case member == "send_flags" && inline:
			return ccall.Flags(verbs.SendFlagNames.CName(sent &^ verbs.SendInline))
		case member == "length" && op != verbs.WRBindMW && !t.hasArg(member):
			return ccall.Text("0")
		}
		return v(member)
	}, pieces)
	t.put("%s", all.Long())
	if op == verbs.WRBindMW && t.outcome == works {
		t.keepKey()
	}
}
