package session

import (
	"slices"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// What a transport lacks is refused before the call: the provider would take the steps and leave the queue pair unconnected,
// or answer with an errno that says nothing of it.

// lack is the error of a queue pair of a type that its device's transport does not have.
func (q *QP) lack() error {
	switch q.spec.QPType {
	case verbs.UD:
		return q.pd.dev.info.Lack(verbs.Datagrams)
	case verbs.UC:
		return q.pd.dev.info.Lack(verbs.UnreliableConn)
	}
	return nil
}

// lackOfModify is the error of a move towards RTS where only the connection manager makes it.
func lackOfModify(q *QP, attr *verbs.QPAttr) error {
	if q.id == nil && attr.Mask&verbs.AttrState != 0 && slices.Contains(bringUp, attr.QPState) {
		return q.pd.dev.info.Lack(verbs.ByHand)
	}
	return nil
}

// checkTransport warns of an operation that the device, or its transport, does not have.
func checkTransport(c *core.Call, d *device, op verbs.WROpcode) {
	traits := op.Traits()
	if traits.Atomic && d.attr.AtomicCap == 0 {
		c.Warn("%s has no atomics: its atomic_cap is NONE", d.Name)
	}
	if traits.Imm {
		if err := d.info.Lack(verbs.ImmediateData); err != nil {
			c.Warn("%v", err)
		}
	}
}
