package export

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/oob"
	"rdmatui/verbs"
)

func peerByHand(t *translator) error {
	o := t.make(command.KindPeer, t.newName(command.KindPeer))
	var init initialiser
	if t.hasArg("record") {
		rec, err := oob.ParseRecord(t.full.String("record"))
		if err != nil {
			return err
		}
		init.set("lid", fmt.Sprint(rec.LID))
		init.set("qp_num", rec.QPN.String())
		init.set("psn", rec.PSN.String())
		init.set("gid", gidText(rec.GID))
	}
	for _, name := range []string{"lid", "qp_num", "psn", "gid"} {
		switch {
		case !t.hasArg(name):
		case name == "gid":
			init.set(name, t.gidValue(name))
		default:
			init.set(name, t.uint(name))
		}
	}
	t.put("%s", o.expr+" = (struct peer)"+init.String()+";")
	t.showPeer(o)
	return nil
}

// showPeer prints what is known of a peer.
func (t *translator) showPeer(o *object) {
	t.put(`printf("%s: qp_num 0x%%06x, psn 0x%%06x, lid %%u\n", %s.qp_num, %s.psn, %s.lid);`, o.expr, o.expr, o.expr, o.expr)
}

func exchange(t *translator) error {
	if t.hasArg("srq") {
		return t.errorf("the exchange for several queue pairs at once has no function here")
	}
	qp, err := t.object("qp")
	if err != nil {
		return err
	}
	if t.outcome != works {
		return t.errorf("what an exchange ends with is not for the program to say")
	}
	o := t.make(command.KindPeer, t.newName(command.KindPeer))
	psn := t.psnOf(qp)
	if t.cmd.Given("psn") {
		t.put("%s = %s;", psn, t.uint("psn"))
	}
	var own initialiser
	own.set("lid", fmt.Sprintf("port_attr_of(%s->context, %s).lid", qp.expr, t.anyPort()))
	own.set("qp_num", qp.expr+"->qp_num")
	own.set("psn", psn)
	if t.hasArg("sgid_index") {
		own.set("gid", fmt.Sprintf("gid_at(%s->context, %s, %s)", qp.expr, t.anyPort(), t.gidIndex("sgid_index")))
	}
	o.address = t.vars.named(o.name+"_own", "address", "struct peer ", "{ .sock = -1 }")
	t.put("%s", o.address+" = (struct peer)"+own.String()+";")
	o.server, o.held = !t.hasArg("address"), t.full.Bool("hold")
	if o.server {
		t.put("%s = exchange_as_server(%s, %s);", o.expr, t.hostPort("port"), t.millis("timeout"))
	} else {
		t.put("%s", fmt.Sprintf("%s = exchange_with(%s, %s, %s);", o.expr, t.host(t.full.String("address")), t.hostPort("port"), o.address))
	}
	t.showPeer(o)
	if !o.held {
		t.finish(o)
	}
	return nil
}

// finish writes the last words of an exchange.
func (t *translator) finish(o *object) {
	o.held = false
	if o.server {
		t.put("finish_as_server(&%s, %s);", o.expr, o.address)
		return
	}
	t.put("finish_with_server(&%s);", o.expr)
}

func exchangeFinish(t *translator) error {
	o, err := t.object("peer")
	if err != nil {
		return err
	}
	if !o.held || t.outcome != works {
		return t.errorf("no exchange is under way")
	}
	t.finish(o)
	return nil
}

// pingDepth is how many RECVs the runner keeps posted at most.
const pingDepth = 500

func pingpong(t *translator) error {
	if t.hasArg("srq") {
		return t.errorf("the run of several queue pairs at once has no function here")
	}
	qp, err := t.object("qp")
	if err != nil {
		return err
	}
	mr, err := t.object("mr")
	if err != nil {
		return err
	}
	if t.outcome != works {
		return t.errorf("a run that fails cannot be made to fail again")
	}
	t.awaitAll()
	var run initialiser
	run.set("queue_pair", qp.expr)
	run.set("region", mr.expr)
	run.set("client", map[bool]string{true: "true", false: "false"}[t.full.String("role") == "client"])
	run.set("n", t.intOf("n"))
	run.set("size", t.intOf("size"))
	run.set("posted", fmt.Sprint(qp.posted))
	run.set("depth", fmt.Sprint(max(qp.posted, min(pingDepth, qp.maxRecv))))
	for _, name := range []string{"validate", "event"} {
		if t.full.Bool(name) {
			run.set(map[string]string{"event": "events"}[name]+map[string]string{"validate": "validate"}[name], "true")
		}
	}
	run.set("timeout_ms", t.millis("timeout"))
	if qp.qpType == verbs.UD {
		ah, err := t.object("ah")
		if err != nil {
			return err
		}
		run.set("header", "40")
		run.set("ah", ah.expr)
		run.set("remote_qpn", t.uint("remote_qpn"))
		run.set("remote_qkey", t.uint("remote_qkey"))
	}
	t.put("%s", "pingpong((struct pingpong)"+run.String()+");")
	return nil
}

// intOf is a number as an int.
func (t *translator) intOf(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return "(int)(" + expr + ")"
	}
	return t.uint(arg)
}
