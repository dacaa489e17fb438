package export

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/verbs"
)

// expanded translates the lines that a short form carried out instead of the form itself, if one of them failed: then
// the form alone would not tell which. It reports whether it did.
func expanded(t *line) bool {
	if t.step.failed() && len(t.step.Inner) > 0 {
		t.steps(t.step.Inner)
		return true
	}
	return false
}

// CreateEP translates rdma_create_ep.
func CreateEP(t *line) {
	if expanded(t) {
		return
	}
	res := t.object("res")
	pd, uses := "NULL", []*object(nil)
	if t.hasArg("pd") {
		o := t.object("pd")
		pd, uses = o.expr, append(uses, o)
	}
	var attr ccall.Source
	if t.full.Bool("qp_init_attr") {
		attr = t.source(nil).Named()
		for _, arg := range []string{"send_cq", "recv_cq", "srq"} {
			if t.hasArg(arg) {
				uses = append(uses, t.object(arg))
			}
		}
	}
	o := t.make(command.KindID, t.newName(command.KindID), uses...)
	o.sync, o.endpoint = true, true
	t.statusCall(ccall.CreateEP(o.expr, res.expr, pd, attr).Long(), label("rdma_create_ep", res.expr))
	t.settleNew(o)
	enterParts(t, o)
}

// enterParts enters the objects that librdmacm creates with an identifier, by the lines that created them in the
// session.
func enterParts(t *line, id *object) {
	channels := map[string]string{} // by queue
	for _, s := range t.step.Inner {
		name := s.text("name")
		switch s.Cmd.Spec {
		case command.RDMACreateID:
			id.datagram = s.Full.PortSpace("ps").IsDatagram()
		case command.AllocPD:
			enterPart(t, command.KindPD, name, id, "pd")
		case command.CreateCQ:
			channels[name] = s.text("channel")
		case command.RDMACreateQP:
			for _, member := range []string{"send_cq", "recv_cq"} {
				if cq := s.text(member); channels[cq] != "" {
					enterPart(t, command.KindChannel, channels[cq], id, member+"_channel")
					enterPart(t, command.KindCQ, cq, id, member)
				}
			}
			enterQP(t, name, id, s)
		}
	}
}

// enterPart enters an object that librdmacm destroys with an identifier.
func enterPart(t *line, kind command.ObjectKind, name string, id *object, member string) *object {
	o := &object{kind: kind, name: name, expr: id.expr + "->" + member, uses: []*object{id}, part: true}
	t.enter(o)
	return o
}

// enterQP enters an identifier's queue pair. Its protection domain may be that of earlier endpoints.
func enterQP(t *line, name string, id *object, made *Step) {
	pd := t.named(made.text("pd"))
	if pd.part && !slices.Contains(pd.uses, id) {
		pd.uses = append(pd.uses, id)
	}
	o := enterPart(t, command.KindQP, name, id, "qp")
	o.pd, o.id, o.qpType, o.maxRecv = pd, id, made.Full.QPType("qp_type"), made.Full.Int("max_recv_wr")
}

// DestroyEP translates rdma_destroy_ep.
func DestroyEP(t *line) {
	if expanded(t) {
		return
	}
	id := t.object("id")
	destroyEndpoint(t, id)
	id.gone = true
	for _, o := range t.made {
		switch {
		case o.id == id:
			o.gone = true
		case o.part && slices.Contains(o.uses, id):
			o.leaves(id)
		}
	}
}

// leaves ends a part's use by an identifier. The protection domain that endpoints share is then another's.
func (o *object) leaves(id *object) {
	o.uses = slices.DeleteFunc(slices.Clone(o.uses), func(u *object) bool { return u == id })
	if o.gone = len(o.uses) == 0; !o.gone {
		o.expr = o.uses[0].expr + "->pd"
	}
}

// destroyEndpoint writes rdma_destroy_ep. ibv_destroy_cq in it would wait for events that are not acknowledged.
func destroyEndpoint(t *line, id *object) {
	for _, o := range t.made {
		switch {
		case o.gone:
		case o.id == id:
			t.leaveGroups(o)
		case o.part && o.unacked > 0 && slices.Contains(o.uses, id):
			t.put("ibv_ack_cq_events(%s, %d);", o.expr, o.unacked)
			o.unacked = 0
		}
	}
	t.put("rdma_destroy_ep(%s);", id.expr)
	t.forget(id)
	t.leaveChannel(id)
}

// RegisterShort translates rdma_reg_msgs, rdma_reg_read and rdma_reg_write.
func RegisterShort(t *line) {
	if expanded(t) {
		return
	}
	id := t.object("id")
	t.await(id)
	enterParts(t, id)
	o := t.make(command.KindMR, t.newName(command.KindMR), id)
	for _, s := range t.step.Inner {
		if s.is(command.RegMR) {
			o.pd = t.named(s.text("pd"))
			o.uses = []*object{o.pd}
			access, _ := verbs.AccessFlags.Parse(s.text("access")) // the line was carried out
			o.setAccess(access, ccall.Flags(verbs.AccessFlags.CName(access)).Long())
		}
	}
	call := t.callText(map[string]string{"addr": "new_memory(" + t.uint("length") + ")"})
	t.creates(o, call, label(t.cmd.Spec.Verb, id.expr))
}

// DeregShort translates rdma_dereg_mr.
func DeregShort(t *line) {
	if expanded(t) {
		return
	}
	o := t.object("object")
	if t.outcome != works || o.overDM {
		t.statusCall(t.callText(nil), label("rdma_dereg_mr", o.expr))
	} else {
		t.open("{")
		t.put("void *memory = %s->addr;\nsize_t length = %s->length;\n", o.expr, o.expr)
		t.statusCall(t.callText(nil), label("rdma_dereg_mr", o.expr))
		t.put("munmap(memory, length);")
		t.close()
	}
	if t.outcome != fails {
		t.forget(o)
		o.gone = true
	}
}

// PostShort translates the short forms that post a request.
func PostShort(t *line) {
	if expanded(t) {
		return
	}
	id := t.object("id")
	t.await(id)
	own := map[string]string{"context": "(void *)(uintptr_t)" + operand(t.uint("wr_id"))}
	if t.cmd.Spec.Arg("send_flags") != nil {
		own["send_flags"] = flags(t, "send_flags")
	}
	if ccall.TakesOneSGE(t.cmd.Spec) {
		typed, _ := t.cmd.Get("sge")
		full, _ := t.full.Get("sge")
		p := t.place(strings.Split(typed.Text, ":"), strings.Split(full.Text, ":"))
		own["addr"], own["length"], own["mr"] = at(p.mr, p.offset), p.length, p.mr.expr
	} else {
		pieces := t.pieces()
		own["sgl"], own["nsge"] = pieces.Long(), fmt.Sprint(len(pieces))
	}
	t.statusCall(t.callText(own), label(t.cmd.Spec.Verb, id.expr))
}

// operand encloses an expression in parentheses if a cast would apply only to a part of it.
func operand(expr string) string {
	if strings.Contains(placeholder().ReplaceAllString(expr, ""), " ") {
		return "(" + expr + ")"
	}
	return expr
}

// GetComp translates rdma_get_send_comp and rdma_get_recv_comp.
func GetComp(t *line) {
	if expanded(t) {
		return
	}
	id := t.object("id")
	t.awaitAll()
	if cq, n := t.step.polls(); t.outcome == works && t.early[cq] > 0 && t.early.claim(cq, n) == 0 {
		panic(leftOut("what it asks for was taken above"))
	}
	if t.outcome == fails {
		panic(leftOut("it would wait forever, as no completion came"))
	}
	t.put("%s(%s);", strings.TrimPrefix(t.cmd.Spec.Verb, "rdma_"), id.expr)
	if t.outcome == ends {
		t.put("break;")
	}
}

// polls returns the queue that a line polled, and how many completions it asked for; "" for other lines.
func (s *Step) polls() (cq string, n uint64) {
	switch s.Cmd.Spec {
	case command.PollCQ:
		return s.Full.String("cq"), s.Full.Uint("n")
	case command.RDMAGetSendComp, command.RDMAGetRecvComp:
		if len(s.Inner) > 0 {
			return s.Inner[0].text("cq"), 1
		}
	}
	return "", 0
}

// text returns the text of an argument of a line that another line carried out.
func (s *Step) text(name string) string { return s.Full.String(name) }
