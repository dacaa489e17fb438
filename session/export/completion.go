package export

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

func createChannel(t *translator) error {
	d, err := t.deviceOf()
	if err != nil {
		return err
	}
	o := t.make(command.KindChannel, t.newName(command.KindChannel), d)
	o.device = d
	t.pointerCall(o.expr, fmt.Sprintf("ibv_create_comp_channel(%s)", d.expr), label("ibv_create_comp_channel", d.expr))
	t.settleNew(o)
	return nil
}

func createCQ(t *translator) error {
	var uses []*object
	channel := "NULL"
	var d *object
	if t.hasArg("channel") {
		ch, err := t.object("channel")
		if err != nil {
			return err
		}
		uses, channel, d = append(uses, ch), ch.expr, ch.device
	}
	if d == nil || t.cmd.Has("device") || t.cmd.Has("id") {
		var err error
		if d, err = t.deviceOf(); err != nil {
			return err
		}
	}
	o := t.make(command.KindCQ, t.newName(command.KindCQ), append(uses, d)...)
	o.device = d
	call := fmt.Sprintf("ibv_create_cq(%s, %s, NULL, %s, %s)", d.expr, t.uint("cqe"), channel, t.uint("comp_vector"))
	verb := "ibv_create_cq"
	if t.full.CQWCFlags("wc_flags") != 0 {
		call, verb = t.createCQEx(d, channel), "ibv_create_cq_ex"
	}
	t.pointerCall(o.expr, call, label(verb, d.expr))
	t.settleNew(o)
	return nil
}

func resizeCQ(t *translator) error {
	cq, err := t.object("cq")
	if err != nil {
		return err
	}
	t.errorCall(fmt.Sprintf("ibv_resize_cq(%s, %s)", cq.expr, t.uint("cqe")), label("ibv_resize_cq", cq.expr))
	return nil
}

func pollCQ(t *translator) error {
	cq, err := t.object("cq")
	if err != nil {
		return err
	}
	t.awaitAll()
	n := t.intOf("n")
	if asked := t.full.Uint("n"); t.early[cq.name] > 0 && t.outcome == works {
		if n = number(t.early.claim(cq.name, asked)); n == "0" {
			return t.errorf("what it asks for was taken above")
		}
	}
	if t.hasArg("while") {
		id, err := t.object("while")
		if err != nil {
			return err
		}
		t.await(id)
		t.condition(fmt.Sprintf("poll_cq_while(%s, %s, %s, %s)", cq.expr, n, t.millis("timeout"), id.expr),
			fmt.Sprintf("%s completions come in time, or the connection ends", t.full.String("n")))
		return nil
	}
	if t.full.Duration("timeout") == 0 && t.outcome == works {
		t.put("poll_cq(%s, %s, 0);", cq.expr, n)
		return nil
	}
	holds := fmt.Sprintf("poll_cq(%s, %s, %s) == %s", cq.expr, n, t.millis("timeout"), n)
	if t.full.Duration("timeout") == 0 { // taking none is no failure
		holds = fmt.Sprintf("poll_cq(%s, %s, 0) >= 0", cq.expr, n)
	}
	t.condition(holds, fmt.Sprintf("%s completions within %s", t.full.String("n"), t.full.String("timeout")))
	return nil
}

func reqNotifyCQ(t *translator) error {
	cq, err := t.object("cq")
	if err != nil {
		return err
	}
	t.errorCall(fmt.Sprintf("ibv_req_notify_cq(%s, %s)", cq.expr, t.flag("solicited_only")), label("ibv_req_notify_cq", cq.expr))
	return nil
}

func getCQEvent(t *translator) error {
	ch, err := t.object("channel")
	if err != nil {
		return err
	}
	t.condition(fmt.Sprintf("get_cq_event(%s, %s)", ch.expr, t.millis("timeout")), "a completion event within "+t.full.String("timeout"))
	if t.outcome == fails {
		return nil
	}
	for _, o := range t.objects { // which queue it is of the session told
		if o.kind == command.KindCQ && !o.gone && t.step.Done.EventOf == o.name {
			o.unacked++
		}
	}
	return nil
}

func ackCQEvents(t *translator) error {
	cq, err := t.object("cq")
	if err != nil {
		return err
	}
	t.put("ibv_ack_cq_events(%s, %s);", cq.expr, t.uint("n"))
	cq.unacked = max(0, cq.unacked-t.full.Int("n"))
	return nil
}

// onlyOnSuccess are fields of a completion that a failed one does not define.
func onlyOnSuccess(field string) bool {
	switch field {
	case "wr_id", "status", "vendor_err", "qp_num":
		return false
	}
	return true
}

func expectWC(t *translator) error {
	holds, err := t.matchesWC()
	if err != nil {
		return err
	}
	t.put("%s", "for (taken = next_taken(NULL); taken; taken = next_taken(taken))\n\tif ("+strings.ReplaceAll(holds, "\n", "\n\t")+")\n\t\tbreak;")
	if t.outcome == works && t.hasArg("while") {
		return t.expectWhile()
	}
	if t.outcome == works {
		t.put("expect(taken, %s);\ntaken->met = true;", quoted("the completion"+strings.TrimPrefix(t.cmd.Canonical(), "expect wc")))
		return nil
	}
	t.condition("taken", "the completion"+strings.TrimPrefix(t.cmd.Canonical(), "expect wc"))
	return nil
}

// expectWhile has the end of a connection excuse a completion that is not there.
func (t *translator) expectWhile() error {
	id, err := t.object("while")
	if err != nil {
		return err
	}
	t.await(id)
	t.put("expect(taken || last_cm_event(%s)->type == RDMA_CM_EVENT_DISCONNECTED, %s);\nif (taken)\n\ttaken->met = true;",
		id.expr, quoted("the completion"+strings.TrimPrefix(t.cmd.Canonical(), "expect wc")))
	return nil
}

// matchesWC is the condition that a completion has what the line says.
func (t *translator) matchesWC() (string, error) {
	var all []string
	for _, who := range []string{"cq", "qp"} {
		if !t.hasArg(who) {
			continue
		}
		o, err := t.object(who)
		if err != nil {
			return "", err
		}
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
			all = append(all, "taken->wc.wc_flags == ("+flags(t, name, verbs.WCFlagNames)+")")
		default:
			all = append(all, "taken->wc."+name+" == "+t.wcValue(name))
		}
	}
	if len(all) == 0 {
		return "", t.errorf("it compares nothing")
	}
	return strings.Join(all, " &&\n    "), nil
}

func (t *translator) wcValue(name string) string {
	switch name {
	case "status":
		return enum(t, name, verbs.WCStatuses)
	case "opcode":
		return enum(t, name, verbs.WCOpcodes)
	}
	return t.uint(name)
}

func expectState(t *translator) error {
	qp, err := t.object("qp")
	if err != nil {
		return err
	}
	t.condition(fmt.Sprintf("attr_of(%s).qp_state == %s", qp.expr, enum(t, "qp_state", verbs.QPStates)),
		qp.name+" is in "+t.full.String("qp_state"))
	return nil
}

func expectAsync(t *translator) error {
	element, d := "NULL", (*object)(nil)
	for _, who := range []string{"qp", "srq"} {
		if !t.hasArg(who) {
			continue
		}
		o, err := t.object(who)
		if err != nil {
			return err
		}
		element, d = o.expr, &object{expr: o.expr + "->context"}
	}
	if d == nil {
		for _, o := range t.objects {
			if o.kind == command.KindDevice && !o.gone {
				d = o
			}
		}
	}
	if d == nil {
		return t.errorf("no device was named")
	}
	event := enum(t, "event_type", verbs.EventTypes)
	t.condition(fmt.Sprintf("get_async_event(%s, %s, %s, %s)", d.expr, event, element, t.millis("timeout")),
		t.full.String("event_type")+" comes in time")
	return nil
}
