package export

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// qpInit is a struct ibv_qp_init_attr of what the line says.
func (t *translator) qpInit(o *object) (*initialiser, error) {
	sendCQ, err := t.object("send_cq")
	if err != nil {
		return nil, err
	}
	recvCQ := sendCQ
	if t.hasArg("recv_cq") {
		if recvCQ, err = t.object("recv_cq"); err != nil {
			return nil, err
		}
	}
	var init, limits initialiser
	init.set("send_cq", sendCQ.expr)
	init.set("recv_cq", recvCQ.expr)
	o.uses = append(o.uses, sendCQ, recvCQ)
	o.sendCQ = sendCQ
	if t.hasArg("srq") {
		srq, err := t.object("srq")
		if err != nil {
			return nil, err
		}
		init.set("srq", srq.expr)
		o.uses = append(o.uses, srq)
	}
	for _, name := range []string{"max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge", "max_inline_data"} {
		if t.cmd.Given(name) || t.full.Uint(name) != 0 {
			limits.set(name, t.uint(name))
		}
	}
	init.set("cap", limits.String())
	init.set("qp_type", verbs.QPTypes.CName(o.qpType))
	if t.full.Bool("sq_sig_all") {
		init.set("sq_sig_all", "1")
	}
	return &init, nil
}

func createQP(t *translator) error {
	pd, err := t.object("pd")
	if err != nil {
		return err
	}
	o := t.make(command.KindQP, t.newName(command.KindQP), pd)
	o.pd, o.qpType, o.maxRecv = pd, t.full.QPType("qp_type"), t.full.Int("max_recv_wr")
	init, err := t.qpInit(o)
	if err != nil {
		o.gone = true
		return err
	}
	call, verb := fmt.Sprintf("ibv_create_qp(%s, %s)", pd.expr, init.pointer("struct ibv_qp_init_attr")), "ibv_create_qp"
	if o.sendOps = t.full.SendOps("send_ops_flags"); o.sendOps != 0 {
		call, verb = t.qpInitEx(pd, init), "ibv_create_qp_ex"
	}
	t.pointerCall(o.expr, call, label(verb, pd.expr))
	t.settleNew(o)
	return nil
}

// pathNames are the fields of an address vector that stand in its grh.
var pathNames = []string{"dgid", "flow_label", "sgid_index", "hop_limit", "traffic_class"}

// pathFlat are those beside it.
var pathFlat = []string{"dlid", "sl", "src_path_bits", "static_rate", "is_global"}

// path is an address vector of what a line says of one; port is the argument with
// its port.
func (t *translator) path(port string) *initialiser {
	var ah, grh initialiser
	for _, name := range pathNames {
		if !t.hasArg(name) || name != "sgid_index" && !t.cmd.Given(name) && t.full.String(name) == "0" {
			continue
		}
		switch name {
		case "dgid":
			grh.set(name, t.gidValue(name))
		case "sgid_index":
			grh.set(name, t.gidIndex(name))
		default:
			grh.set(name, t.uint(name))
		}
	}
	if len(grh.members) > 0 {
		ah.set("grh", grh.String())
	}
	for _, name := range pathFlat {
		if !t.hasArg(name) || !t.cmd.Given(name) && t.full.String(name) == "0" {
			continue
		}
		if name == "is_global" {
			ah.set(name, t.flag(name))
			continue
		}
		ah.set(name, t.uint(name))
	}
	if t.hasArg(port) || t.cmd.Spec.Name == "create_ah" {
		ah.set("port_num", t.portNumber(port))
	}
	return &ah
}

// qpAttr is a struct ibv_qp_attr of the fields that a line names, and their mask.
func (t *translator) qpAttr(o *object) (*initialiser, string, error) {
	full, err := t.full.QPAttr()
	if err != nil {
		if full, err = t.cmd.QPAttr(); err != nil {
			return nil, "", err
		}
	}
	var attr initialiser
	var done verbs.AttrMask
	for i := range fields.QP {
		f := &fields.QP[i]
		if full.Mask&f.Bit == 0 || !t.hasArg(f.Name) {
			continue
		}
		switch {
		case f.Bit == verbs.AttrAV:
			if done&f.Bit == 0 {
				attr.set("ah_attr", t.path("ah_port_num").String())
			}
		default:
			attr.set(f.CName, t.qpField(f))
		}
		if f.Bit == verbs.AttrPort {
			o.port = t.qpField(f)
		}
		done |= f.Bit
	}
	if t.hasArg("sq_psn") {
		o.psnSet = t.uint("sq_psn")
	}
	return &attr, maskText(full.Mask), nil
}

// maskText is a mask in C, broken where it is long.
func maskText(mask verbs.AttrMask) string {
	parts := strings.Split(verbs.AttrMasks.CName(mask), "|")
	text, width := parts[0], len(parts[0])
	for _, p := range parts[1:] {
		if width += len(p) + 3; width > commentWidth-8 {
			text, width = text+" |\n\t"+p, len(p)
			continue
		}
		text += " | " + p
	}
	return text
}

// qpField is the value of a field of struct ibv_qp_attr.
func (t *translator) qpField(f *fields.QPField) string {
	switch f.Name {
	case "qp_state", "cur_qp_state":
		return enum(t, f.Name, verbs.QPStates)
	case "path_mig_state":
		return enum(t, f.Name, verbs.MigStates)
	case "qp_access_flags":
		return flags(t, f.Name, verbs.AccessFlags)
	case "path_mtu":
		if expr, ok := t.reference(f.Name); ok {
			return expr
		}
		return t.full.MTU(f.Name).CName()
	case "alt_dgid":
		return t.gidValue(f.Name)
	case "port_num", "alt_port_num":
		return t.portNumber(f.Name)
	case "en_sqd_async_notify":
		return t.flag(f.Name)
	}
	return t.uint(f.Name)
}

func modifyQP(t *translator) error {
	o, err := t.object("qp")
	if err != nil {
		return err
	}
	attr, mask, err := t.qpAttr(o)
	if err != nil {
		return err
	}
	call := fmt.Sprintf("ibv_modify_qp(%s, %s, %s)", o.expr, attr.pointer("struct ibv_qp_attr"), mask)
	args := []string{o.expr}
	if t.hasArg("qp_state") {
		args = append(args, t.full.String("qp_state"))
	}
	t.errorCall(call, label("ibv_modify_qp", args...))
	return nil
}

func queryQP(t *translator) error {
	o, err := t.object("qp")
	if err != nil {
		return err
	}
	t.open("{")
	t.put("struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };\nstruct ibv_qp_init_attr init;\n")
	t.errorCall(fmt.Sprintf("ibv_query_qp(%s, &attr, (1 << 21) - 1, &init)", o.expr), label("ibv_query_qp", o.expr))
	t.put("%s", fmt.Sprintf(`printf("%s: state %%d, dest_qp_num 0x%%06x, sq_psn 0x%%06x, rq_psn 0x%%06x\n",`, o.expr)+
		"\n\tattr.qp_state, attr.dest_qp_num, attr.sq_psn, attr.rq_psn);")
	t.close()
	return nil
}

// connectQPs is the modify_qp that it has carried out.
func connectQPs(t *translator) error {
	if len(t.step.Inner) == 0 {
		return t.errorf("there was nothing left to do")
	}
	t.steps(t.step.Inner)
	return nil
}

func createAH(t *translator) error {
	pd, err := t.object("pd")
	if err != nil {
		return err
	}
	var attr string
	if t.hasArg("id") {
		id, err := t.object("id")
		if err != nil {
			return err
		}
		t.await(id)
		attr = fmt.Sprintf("&told_by_peer(%s)->ah_attr", id.expr)
	} else {
		attr = t.path("port_num").pointer("struct ibv_ah_attr")
	}
	o := t.make(command.KindAH, t.newName(command.KindAH), pd)
	o.pd = pd
	t.pointerCall(o.expr, fmt.Sprintf("ibv_create_ah(%s, %s)", pd.expr, attr), label("ibv_create_ah", pd.expr))
	t.settleNew(o)
	return nil
}

func createAHFromWC(t *translator) error {
	pd, err := t.object("pd")
	if err != nil {
		return err
	}
	cq, err := t.object("cq")
	if err != nil {
		return err
	}
	mr, err := t.object("mr")
	if err != nil {
		return err
	}
	o := t.make(command.KindAH, t.newName(command.KindAH), pd)
	o.pd = pd
	grh := "(struct ibv_grh *)" + mr.expr + "->addr"
	if offset := t.uint("offset"); offset != "0" {
		grh = fmt.Sprintf("(struct ibv_grh *)((char *)%s->addr + %s)", mr.expr, offset)
	}
	call := fmt.Sprintf("ibv_create_ah_from_wc(%s, last_wc(%s), %s, %s)", pd.expr, cq.expr, grh, t.portNumber("port_num"))
	t.pointerCall(o.expr, call, label("ibv_create_ah_from_wc", pd.expr))
	t.settleNew(o)
	return nil
}

func multicast(verb string) translation {
	return func(t *translator) error {
		o, err := t.object("qp")
		if err != nil {
			return err
		}
		group := [2]string{t.gidValue("gid"), t.uint("lid")}
		call := fmt.Sprintf("%s(%s, &gid, %s)", verb, o.expr, group[1])
		t.open("{")
		t.put("union ibv_gid gid = %s;\n", group[0])
		t.errorCall(call, label(verb, o.expr))
		t.close()
		t.attach(o, group, verb == "ibv_attach_mcast")
		return nil
	}
}

// attach takes note of the groups that a queue pair is in.
func (t *translator) attach(o *object, group [2]string, in bool) {
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

// leaveGroups detaches a queue pair that is about to go: one that is attached
// cannot be destroyed.
func (t *translator) leaveGroups(o *object) {
	for _, g := range o.groups {
		t.open("{")
		t.put("union ibv_gid gid = %s;\n", g[0])
		t.errorCall(fmt.Sprintf("ibv_detach_mcast(%s, &gid, %s)", o.expr, g[1]), label("ibv_detach_mcast", o.expr))
		t.close()
	}
	o.groups = nil
}
