package export

import (
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// CreateCQ translates create_cq.
func CreateCQ(t *line) {
	var uses []*object
	var d *object
	if t.hasArg("channel") {
		ch := t.object("channel")
		uses, d = append(uses, ch), ch.device
	}
	if d == nil || t.cmd.Has("device") || t.cmd.Has("id") {
		d = t.deviceOf()
	}
	o := t.make(command.KindCQ, t.newName(command.KindCQ), append(uses, d)...)
	fields := t.full.CQWCFlags("wc_flags")
	call := ccall.CreateCQ(d.expr, fields, t.source(nil))
	text := call.Long()
	if fields != 0 { // the program still polls with ibv_poll_cq
		text = "ibv_cq_ex_to_cq(" + text + ")"
	}
	t.creates(o, text, label(call.Func, d.expr))
}

// PollCQ translates poll_cq.
func PollCQ(t *line) {
	cq := t.object("cq")
	t.awaitAll()
	n := t.intOf("n")
	if _, asked := t.step.polls(); t.early[cq.name] > 0 && t.outcome == works {
		if n = number(t.early.claim(cq.name, asked)); n == "0" {
			panic(leftOut("what it asks for was taken above"))
		}
	}
	if t.hasArg("while") {
		id := t.object("while")
		t.condition(fmt.Sprintf("poll_cq_while(%s, %s, %s, %s)", cq.expr, n, t.millis("timeout"), id.expr),
			format.Counted(t.full.Uint("n"), "completion")+" in time, or the connection ends")
		return
	}
	if t.full.Duration("timeout") == 0 && t.outcome == works {
		t.put("poll_cq(%s, %s, 0);", cq.expr, n)
		return
	}
	holds := fmt.Sprintf("poll_cq(%s, %s, %s) == %s", cq.expr, n, t.millis("timeout"), n)
	if t.full.Duration("timeout") == 0 { // taking none is not a failure
		holds = fmt.Sprintf("poll_cq(%s, %s, 0) >= 0", cq.expr, n)
	}
	t.condition(holds,
		fmt.Sprintf("%s within %s", format.Counted(t.full.Uint("n"), "completion"), t.full.String("timeout")))
}

// GetCQEvent translates get_cq_event.
func GetCQEvent(t *line) {
	ch := t.object("channel")
	t.condition(fmt.Sprintf("get_cq_event(%s, %s)", ch.expr, t.millis("timeout")),
		"a completion event within "+t.full.String("timeout"))
	if t.outcome == fails {
		return
	}
	for _, o := range t.made { // the result names the queue
		if o.kind == command.KindCQ && !o.gone && t.step.Done.EventOf == o.name {
			o.unacked++
		}
	}
}

// AckCQEvents translates ack_cq_events.
func AckCQEvents(t *line) {
	Call(t)
	cq := t.object("cq")
	cq.unacked = max(0, cq.unacked-t.full.Int("n"))
}

// onlyOnSuccess reports whether a failed completion does not define the field.
func onlyOnSuccess(field string) bool {
	switch field {
	case "wr_id", "status", "vendor_err", "qp_num":
		return false
	}
	return true
}

// ExpectWC translates expect wc.
func ExpectWC(t *line) {
	holds := matchesWC(t)
	t.put("%s", "for (taken = next_taken(NULL); taken; taken = next_taken(taken))\n\tif ("+
		strings.ReplaceAll(holds, "\n", "\n\t")+")\n\t\tbreak;")
	if t.outcome == works && t.hasArg("while") {
		expectWhile(t)
		return
	}
	if t.outcome == works {
		t.put("expect(taken, %s);\ntaken->met = true;",
			quoted("the completion"+strings.TrimPrefix(t.cmd.Canonical(), "expect wc")))
		return
	}
	t.condition("taken", "the completion"+strings.TrimPrefix(t.cmd.Canonical(), "expect wc"))
}

// expectWhile accepts a missing completion if the connection has ended.
func expectWhile(t *line) {
	id := t.object("while")
	t.await(id)
	t.put(
		"expect(taken || last_cm_event(%s)->type == RDMA_CM_EVENT_DISCONNECTED, %s);\nif (taken)\n\ttaken->met = true;",
		id.expr, quoted("the completion"+strings.TrimPrefix(t.cmd.Canonical(), "expect wc")))
}

// matchesWC returns the C condition that a completion has the expected values.
func matchesWC(t *line) string {
	var all []string
	for _, who := range []string{"cq", "qp"} {
		if !t.hasArg(who) {
			continue
		}
		o := t.object(who)
		if who == "cq" {
			all = append(all, "taken->cq == "+o.expr)
		} else {
			all = append(all, fmt.Sprintf("taken->wc.qp_num == %s->qp_num", o.expr))
		}
	}
	succeeded := false
	for i := range verbs.WCFields {
		name := verbs.WCFields[i].Name
		if !t.cmd.Given(name) {
			continue
		}
		if onlyOnSuccess(name) && !t.cmd.Given("status") && !succeeded {
			all = append(all, "taken->wc.status == IBV_WC_SUCCESS")
			succeeded = true
		}
		switch name {
		case "imm_data":
			all = append(all, "(taken->wc.wc_flags & IBV_WC_WITH_IMM)", "ntohl(taken->wc.imm_data) == "+t.uint(name))
		case "invalidated_rkey":
			all = append(all, "(taken->wc.wc_flags & IBV_WC_WITH_INV)", "taken->wc.invalidated_rkey == "+t.uint(name))
		case "wc_flags":
			all = append(all, "taken->wc.wc_flags == ("+flags(t, name)+")")
		default:
			all = append(all, "taken->wc."+name+" == "+wcValue(t, name))
		}
	}
	if len(all) == 0 {
		panic(leftOut("it compares nothing"))
	}
	return strings.Join(all, " &&\n    ")
}

func wcValue(t *line, name string) string {
	switch name {
	case "status":
		return t.constant(name)
	case "opcode":
		return t.constant(name)
	}
	return t.uint(name)
}

// ExpectState translates expect state.
func ExpectState(t *line) {
	qp := t.object("qp")
	t.condition(fmt.Sprintf("attr_of(%s).qp_state == %s", qp.expr, t.constant("qp_state")),
		qp.name+" is in "+t.full.String("qp_state"))
}

// ExpectAsync translates expect async.
func ExpectAsync(t *line) {
	element, d := "NULL", (*object)(nil)
	for _, who := range []string{"qp", "srq"} {
		if !t.hasArg(who) {
			continue
		}
		o := t.object(who)
		element, d = o.expr, &object{expr: o.expr + "->context"}
	}
	if d == nil {
		for _, o := range t.made {
			if o.kind == command.KindDevice && !o.gone {
				d = o
			}
		}
	}
	if d == nil {
		panic(leftOut("no device was named"))
	}
	event := t.constant("event_type")
	t.condition(fmt.Sprintf("get_async_event(%s, %s, %s, %s)", d.expr, event, element, t.millis("timeout")),
		t.full.String("event_type")+" comes in time")
}
