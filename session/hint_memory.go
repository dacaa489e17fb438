package session

import (
	"cmp"
	"syscall"

	"rdmatui/assets/explain"
	"rdmatui/devices"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// hintRegMR shows the limit of locked memory, the most common cause of ENOMEM from a
// registration.
func hintRegMR(c *core.Call, no syscall.Errno) string {
	e, ok := explain.Find("verb_errno", "ibv_reg_mr "+verbs.ErrnoName(no))
	if !ok || cmp.Or(c.Verb, c.Cmd.Spec.Verb) != c.Cmd.Spec.Verb || no != syscall.ENOMEM {
		return ""
	}
	return e.Fill(explain.Values{"memlock": devices.LockedMemory()}).Hint
}
