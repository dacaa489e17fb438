package export

import (
	"fmt"

	"rdmatui/session/command"
)

// AllocDM translates alloc_dm.
func AllocDM(t *line) {
	d := t.deviceOf()
	o := t.make(command.KindDM, t.newName(command.KindDM), d)
	t.creates(o, fmt.Sprintf("alloc_dm(%s, %s, %s)", d.expr, t.uint("length"), t.uint("log_align_req")),
		label("ibv_alloc_dm", d.expr))
}

// regDM registers device memory.
func regDM(t *line, o, pd *object, length, access string) {
	dm := t.object("dm")
	o.uses, o.overDM = append(o.uses, dm), true
	call := fmt.Sprintf("ibv_reg_dm_mr(%s, %s, %s, %s, %s)", pd.expr, dm.expr, t.uint("offset"), length, access)
	t.creates(o, call, label("ibv_reg_dm_mr", pd.expr))
}

// MemcpyDM translates memcpy_to_dm and memcpy_from_dm.
func MemcpyDM(t *line) {
	dm, mr := t.object("dm"), t.object("mr")
	own := map[string]string{"mr": at(mr, t.uint("offset"))}
	if !t.hasArg("length") {
		own["length"] = room(mr, t.uint("offset")) // in a line that was never carried out
	}
	t.errorCall(t.callText(own), label(t.cmd.Spec.Verb, dm.expr))
}
