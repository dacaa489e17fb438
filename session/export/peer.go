package export

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// PeerByHand translates peer.
func PeerByHand(t *line) {
	o := t.make(command.KindPeer, t.newName(command.KindPeer))
	init := ccall.NewStruct("struct peer")
	if t.hasArg("record") {
		rec, err := oob.ParseRecord(t.full.String("record"))
		if err != nil {
			panic(leftOut(err.Error()))
		}
		init.Set("lid", fmt.Sprint(rec.LID))
		init.Set("qp_num", rec.QPN.String())
		init.Set("psn", rec.PSN.String())
		init.Set("gid", gidText(rec.GID))
	}
	for _, name := range []string{"lid", "qp_num", "psn", "gid"} {
		switch {
		case !t.hasArg(name):
		case name == "gid":
			init.Set(name, t.gidValue(name))
		default:
			init.Set(name, t.uint(name))
		}
	}
	if t.hasArg("rkey") {
		init.Set("number_regions", "1")
		for _, name := range []string{"addr", "rkey", "length"} {
			if t.hasArg(name) {
				init.Set("regions[0]."+name, t.uint(name))
			}
		}
		init.Set("regions[0].name", `"mr"`)
	}
	t.put("%s", o.expr+" = "+init.Literal()+";")
	t.showPeer(o)
}

// showPeer prints a peer's record.
func (t *translator) showPeer(o *object) {
	t.put(`printf("%s: qp_num 0x%%06x, psn 0x%%06x, lid %%u\n", %s.qp_num, %s.psn, %s.lid);`, o.expr,
		o.expr, o.expr, o.expr)
}

// Exchange translates exchange.
func Exchange(t *line) {
	if t.hasArg("srq") {
		panic(leftOut("the exchange for several queue pairs at once has no function here"))
	}
	qp := t.object("qp")
	if t.outcome != works {
		panic(leftOut("what an exchange ends with is not for the program to say"))
	}
	o := t.make(command.KindPeer, t.newName(command.KindPeer))
	psn := t.psnOf(qp)
	if t.cmd.Given("psn") {
		t.put("%s = %s;", psn, t.uint("psn"))
	}
	own := ccall.NewStruct("struct peer")
	own.Set("lid", fmt.Sprintf("port_attr_of(%s->context, %s).lid", qp.expr, t.anyPort()))
	own.Set("qp_num", qp.expr+"->qp_num")
	own.Set("psn", psn)
	if t.hasArg("sgid_index") {
		own.Set("gid", fmt.Sprintf("gid_at(%s->context, %s, %s)", qp.expr, t.anyPort(), t.gidIndex("sgid_index")))
	}
	o.address = t.vars.named(o.name+"_own", "address", "struct peer ", "{ .sock = -1 }")
	t.put("%s", o.address+" = "+own.Literal()+";")
	if o.tells = t.full.Bool("regions"); o.tells {
		t.tellRegions(o, qp)
	}
	o.server, o.held = !t.hasArg("address"), t.full.Bool("hold")
	if o.server {
		t.put("%s = exchange_as_server(%s, %s);", o.expr, t.hostPort("port"), t.millis("timeout"))
	} else {
		t.put("%s", fmt.Sprintf("%s = exchange_with(%s, %s, &%s);", o.expr, t.host(t.full.String("address")),
			t.hostPort("port"), o.address))
	}
	t.showPeer(o)
	if !o.held {
		t.finish(o)
	}
}

// finish writes the end of an exchange.
func (t *translator) finish(o *object) {
	o.held = false
	call := map[bool]string{true: "finish_as_server", false: "finish_with_server"}[o.server]
	t.put("%s(&%s, &%s, %t);", call, o.expr, o.address, o.tells)
}

// tellRegions adds the regions that the peer can access to what it is sent, as the
// session's exchange does.
func (t *translator) tellRegions(o, qp *object) {
	taken := map[string]bool{}
	for _, mr := range t.made {
		name := oob.RegionName(mr.name)
		if mr.kind != command.KindMR || mr.gone || mr.remote == "" || mr.pd != qp.pd || taken[name] {
			continue
		}
		taken[name] = true
		t.put("tell_region(&%s, %s, %s, %s);", o.address, quoted(name), mr.expr, mr.remote)
	}
}

// ExchangeFinish translates exchange_finish.
func ExchangeFinish(t *line) {
	o := t.object("peer")
	if !o.held || t.outcome != works {
		panic(leftOut("no exchange is under way"))
	}
	t.finish(o)
}

// pingDepth is the maximum number of RECVs that the runner keeps posted.
const pingDepth = 500

// Pingpong translates pingpong.
func Pingpong(t *line) {
	if t.hasArg("srq") {
		panic(leftOut("the run of several queue pairs at once has no function here"))
	}
	qp := t.object("qp")
	mr := t.object("mr")
	if t.outcome != works {
		panic(leftOut("a run that fails cannot be made to fail again"))
	}
	t.awaitAll()
	run := ccall.NewStruct("struct pingpong")
	run.Set("queue_pair", qp.expr)
	run.Set("region", mr.expr)
	run.Set("client", map[bool]string{true: "true", false: "false"}[t.full.String("role") == "client"])
	run.Set("n", t.intOf("n"))
	run.Set("size", t.intOf("size"))
	run.Set("posted", fmt.Sprint(qp.posted))
	run.Set("depth", fmt.Sprint(max(qp.posted, min(pingDepth, qp.maxRecv))))
	for _, name := range []string{"validate", "event"} {
		if t.full.Bool(name) {
			run.Set(map[string]string{"event": "events"}[name]+map[string]string{"validate": "validate"}[name], "true")
		}
	}
	run.Set("timeout_ms", t.millis("timeout"))
	if qp.qpType == verbs.UD {
		ah := t.object("ah")
		run.Set("header", "40")
		run.Set("ah", ah.expr)
		run.Set("remote_qpn", t.uint("remote_qpn"))
		run.Set("remote_qkey", t.uint("remote_qkey"))
	}
	t.put("%s", "pingpong("+run.Literal()+");")
}

// intOf returns a number as an int.
func (t *line) intOf(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return "(int)(" + expr + ")"
	}
	return t.uint(arg)
}
