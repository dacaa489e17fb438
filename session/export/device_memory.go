package export

import (
	"fmt"

	"rdmatui/session/command"
)

// AllocDM translates alloc_dm.
func AllocDM(t *line) {
	d := t.deviceOf()
	o := t.make(command.KindDM, t.newName(command.KindDM), d)
	t.pointerCall(o.expr, fmt.Sprintf("alloc_dm(%s, %s, %s)", d.expr, t.uint("length"), t.uint("log_align_req")),
		label("ibv_alloc_dm", d.expr))
	t.settleNew(o)
}

// regDM registers device memory.
func regDM(t *line, o, pd *object, length, access string) {
	dm := t.object("dm")
	o.uses, o.overDM = append(o.uses, dm), true
	call := fmt.Sprintf("ibv_reg_dm_mr(%s, %s, %s, %s, %s)", pd.expr, dm.expr, t.uint("offset"), length, access)
	t.pointerCall(o.expr, call, label("ibv_reg_dm_mr", pd.expr))
	t.settleNew(o)
}

// MemcpyToDM translates memcpy_to_dm.
func MemcpyToDM(t *line) { memcpyDM(t, "%[1]s(%[2]s, %[3]s, %[4]s, %[5]s)") }

// MemcpyFromDM translates memcpy_from_dm.
func MemcpyFromDM(t *line) { memcpyDM(t, "%[1]s(%[4]s, %[2]s, %[3]s, %[5]s)") }

// memcpyDM copies between device memory and a region; form arranges the C arguments.
func memcpyDM(t *line, form string) {
	dm := t.object("dm")
	mr := t.object("mr")
	length := t.uint("length")
	if !t.hasArg("length") {
		length = room(mr, t.uint("offset")) // in a line that was never carried out
	}
	t.errorCall(fmt.Sprintf(form, t.cmd.Spec.Verb, dm.expr, t.uint("dm_offset"), at(mr, t.uint("offset")), length),
		label(t.cmd.Spec.Verb, dm.expr))
}
