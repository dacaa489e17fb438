package export

import (
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// newQP returns the queues of a new queue pair in C, by argument, and as objects.
func (t *line) newQP() (own map[string]string, uses []*object) {
	own = map[string]string{}
	for _, arg := range []string{"send_cq", "recv_cq", "srq"} {
		if arg == "send_cq" || t.hasArg(arg) {
			o := t.object(arg)
			own[arg], uses = o.expr, append(uses, o)
		}
	}
	if own["recv_cq"] == "" {
		own["recv_cq"] = own["send_cq"]
	}
	return own, uses
}

// CreateQP translates create_qp.
func CreateQP(t *line) {
	pd := t.object("pd")
	own, uses := t.newQP()
	o := t.make(command.KindQP, t.newName(command.KindQP), append(uses, pd)...)
	o.pd, o.qpType, o.maxRecv = pd, t.full.QPType("qp_type"), t.full.Int("max_recv_wr")
	o.sendOps = t.full.SendOps("send_ops_flags")
	call := ccall.CreateQP(pd.expr+"->context", pd.expr, t.source(own).Named())
	t.creates(o, call.Long(), label(call.Func, pd.expr))
}

// pathValue returns the value of a member of an address vector; port is the argument
// with its port.
func (t *line) pathValue(member, port string) ccall.Node {
	name := member[strings.LastIndexByte(member, '.')+1:]
	switch {
	case name == "port_num" && (t.hasArg(port) || t.cmd.Spec == command.CreateAH):
		return t.value(port)
	case name == "port_num", !t.hasArg(name), name != "sgid_index" && !t.cmd.Given(name) && t.full.String(name) == "0":
		return nil
	}
	return t.value(name)
}

// qpAttr returns a source with the fields of struct ibv_qp_attr that a line names,
// and their mask.
func (t *line) qpAttr() (ccall.Source, verbs.AttrMask) {
	full, err := t.full.QPAttr()
	if err != nil {
		panic(leftOut(err.Error()))
	}
	return func(member string) ccall.Node {
		if strings.HasPrefix(member, "ah_attr.") {
			return t.pathValue(member, "ah_port_num")
		}
		f := fields.QPNamed(strings.Replace(member, "alt_ah_attr.grh.", "alt_", 1))
		if !t.hasArg(f.Name) {
			return nil
		}
		if f.Bit == verbs.AttrAccessFlags {
			return ccall.Text(flags(t, f.Name))
		}
		return t.value(f.Name)
	}, full.Mask
}

// ModifyQP translates modify_qp.
func ModifyQP(t *line) {
	o := t.object("qp")
	attr, mask := t.qpAttr()
	call := ccall.ModifyQP(o.expr, attr, mask).Long()
	if t.hasArg("port_num") {
		o.port = t.portNumber("port_num")
	}
	if t.hasArg("sq_psn") {
		o.psnSet = t.uint("sq_psn")
	}
	args := []string{o.expr}
	if t.hasArg("qp_state") {
		args = append(args, t.full.String("qp_state"))
	}
	t.errorCall(call, label("ibv_modify_qp", args...))
}

// ConnectQPs translates connect_qps into the modify_qp calls that it made.
func ConnectQPs(t *line) {
	if len(t.step.Inner) == 0 {
		panic(leftOut("there was nothing left to do"))
	}
	t.steps(t.step.Inner)
}

// Undo translates undo, into the line that made the object again.
func Undo(t *line) { ConnectQPs(t) }

// CreateAH translates create_ah.
func CreateAH(t *line) {
	pd := t.object("pd")
	var call string
	if t.hasArg("id") {
		id := t.object("id")
		t.await(id)
		call = fmt.Sprintf("ibv_create_ah(%s, &told_by_peer(%s)->ah_attr)", pd.expr, id.expr)
	} else {
		call = ccall.CreateAH(pd.expr, func(member string) ccall.Node { return t.pathValue(member, "port_num") }).Long()
	}
	o := t.make(command.KindAH, t.newName(command.KindAH), pd)
	t.creates(o, call, label("ibv_create_ah", pd.expr))
}

// CreateAHFromWC translates create_ah_from_wc.
func CreateAHFromWC(t *line) {
	pd := t.object("pd")
	cq := t.object("cq")
	mr := t.object("mr")
	o := t.make(command.KindAH, t.newName(command.KindAH), pd)
	grh := "(struct ibv_grh *)" + mr.expr + "->addr"
	if offset := t.uint("offset"); offset != "0" {
		grh = fmt.Sprintf("(struct ibv_grh *)((char *)%s->addr + %s)", mr.expr, offset)
	}
	call := fmt.Sprintf("ibv_create_ah_from_wc(%s, last_wc(%s), %s, %s)", pd.expr, cq.expr, grh,
		t.portNumber("port_num"))
	t.creates(o, call, label("ibv_create_ah_from_wc", pd.expr))
}

// Multicast translates attach_mcast and detach_mcast.
func Multicast(t *line) {
	o := t.object("qp")
	group := [2]string{t.gidValue("gid"), t.uint("lid")}
	call := t.callText(map[string]string{"gid": "&gid"})
	t.open("{")
	t.put("union ibv_gid gid = %s;\n", group[0])
	t.errorCall(call, label(t.cmd.Spec.Verb, o.expr))
	t.close()
	t.attach(o, group, t.cmd.Spec == command.AttachMcast)
}

// attach records the groups that a queue pair is in.
func (t *line) attach(o *object, group [2]string, in bool) {
	if t.outcome == fails {
		return
	}
	kept := o.groups[:0:0]
	for _, g := range o.groups {
		if g != group {
			kept = append(kept, g)
		}
	}
	if in {
		kept = append(kept, group)
	}
	o.groups = kept
}

// leaveGroups detaches a queue pair that is about to be destroyed: an attached one
// cannot be.
func (t *line) leaveGroups(o *object) {
	for _, g := range o.groups {
		t.open("{")
		t.put("union ibv_gid gid = %s;\n", g[0])
		t.errorCall(fmt.Sprintf("ibv_detach_mcast(%s, &gid, %s)", o.expr, g[1]), label("ibv_detach_mcast", o.expr))
		t.close()
	}
}
