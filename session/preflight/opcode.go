package preflight

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// WhyNot says why a queue pair cannot execute an operation, "" if it can.
func WhyNot(s *core.Snapshot, q *core.QPView, op verbs.WROpcode) string {
	t := op.Traits()
	if !t.On(q.Type) {
		return op.String() + " is not for " + q.Type.String() + " queue pairs"
	}
	if q.SendOps.Lack(op) != nil {
		return op.String() + " needs a queue pair created with send_ops_flags=" + op.String()
	}
	d := s.Device(q.Device)
	if d != nil && t.Caps != 0 && !t.Placement() && verbs.DeviceCap(d.Attr.DeviceCapFlags)&t.Caps == 0 {
		return op.String() + ": device_cap_flags of " + q.Device + " lack " + verbs.DeviceCaps.Name(t.Caps)
	}
	return ""
}

// transport checks what the device and its transport support.
func (r *Request) transport(c *Report, q *core.QPView) {
	d, t := r.Snapshot.Device(q.Device), r.WR.Opcode.Traits()
	if d == nil {
		return
	}
	c.Add(!t.Atomic || d.Attr.AtomicCap != 0, "", d.Name+" has no atomics: its atomic_cap is NONE")
	if err := d.Info.Lack(verbs.ImmediateData); err != nil && t.Imm {
		c.Missing("%v", err)
	}
}
