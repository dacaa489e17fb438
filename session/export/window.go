package export

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

// bindInfo returns a source with the parameters of a binding, and records the window
// and its new key. The window is destroyed before its region and queue pair,
// whichever was made first.
func (t *line) bindInfo(mw, qp *object) ccall.Source {
	values := map[string]ccall.Node{"mw": ccall.Text(mw.expr), "rkey": ccall.Text(t.nextKey(mw))}
	if !t.hasArg("mr") && t.hasArg("length") && t.full.Uint("length") == 0 {
		if mw.region != nil {
			values["mr"] = ccall.Text(mw.region.expr) // some drivers dereference a NULL mr
		}
		values["length"] = ccall.Text("0") // unbinds
		return ccall.Table(values)
	}
	mr := t.object("mr")
	mw.uses, mw.region = append(mw.uses, mr, qp), mr
	addr, length := "(uintptr_t)"+mr.expr+"->addr", mr.expr+"->length"
	if t.cmd.Has("addr") {
		addr = t.uint("addr")
		length = fmt.Sprintf("(uintptr_t)%s->addr + %s->length - (%s)", mr.expr, mr.expr, addr)
	}
	if t.cmd.Has("length") {
		length = t.uint("length")
	}
	mw.shown = [2]string{addr, length}
	if t.full.Access("mw_access_flags")&verbs.ZeroBased != 0 {
		mw.shown[0] = "0"
	}
	values["mr"], values["addr"], values["length"] = ccall.Text(mr.expr), ccall.Text(addr), ccall.Text(length)
	values["mw_access_flags"] = ccall.Text(flags(t, "mw_access_flags"))
	return ccall.Table(values)
}

// BindMW translates bind_mw.
func BindMW(t *line) {
	qp := t.object("qp")
	mw := t.object("mw")
	info := t.bindInfo(mw, qp)
	plain := t.requestValues(nil, "")
	call := ccall.BindMW(qp.expr, mw.expr, func(member string) ccall.Node {
		if member == "wr_id" || member == "send_flags" {
			return plain(member)
		}
		return info(member)
	}).Long()
	t.errorCall(call, label("ibv_bind_mw", qp.expr, mw.expr))
}

// readMW returns the fields of a window, and of its region, that C knows.
func readMW(_ *line, o *object, field string) (string, bool) {
	switch field {
	case "rkey":
		return o.expr + "->rkey", true
	case "addr":
		return o.shown[0], o.shown[0] != ""
	case "length":
		return o.shown[1], o.shown[1] != ""
	}
	return "", false
}

// keepKey stores a window's new key after a posted binding, which the program must do
// itself.
func (t *line) keepKey() {
	mw := t.object("mw")
	t.put("%s->rkey = %s;", mw.expr, t.nextKey(mw))
}

func (t *line) nextKey(mw *object) string {
	if t.cmd.Has("rkey") {
		return t.uint("rkey")
	}
	return fmt.Sprintf("ibv_inc_rkey(%s->rkey)", mw.expr)
}

// ReregMR translates rereg_mr.
func ReregMR(t *line) {
	mr := t.object("mr")
	pd, length, access := "NULL", "0", "0"
	if t.hasArg("length") {
		length = t.uint("length")
	}
	if t.hasArg("pd") {
		domain := t.object("pd")
		pd = domain.expr
		if t.outcome == works {
			mr.uses, mr.pd = append(mr.uses, domain), domain
		}
	}
	if t.hasArg("access") {
		access = flags(t, "access")
		if t.outcome == works {
			mr.setAccess(t.full.Access("access"), access)
		}
	}
	mask := ccall.AttrMask(t.cmd.Spec, t.hasArg).Long()
	call := fmt.Sprintf("rereg_mr(%s, %s, %s, %s, %s)", mr.expr, mask, pd, length, access)
	t.errorCall(call, label("ibv_rereg_mr", mr.expr))
}
