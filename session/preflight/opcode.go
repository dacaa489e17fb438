package preflight

import (
	"slices"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

var connected = []verbs.QPType{verbs.RC, verbs.UC}

// onlyFor maps operations to the queue pair types that support them; others work on
// all types. ibv_post_send(3), IBA 10.7.2.2.
var onlyFor = map[verbs.WROpcode][]verbs.QPType{
	verbs.WRRDMAWrite: connected, verbs.WRRDMAWriteWithImm: connected, verbs.WRRDMARead: {verbs.RC},
	verbs.WRAtomicCmpAndSwp: {verbs.RC}, verbs.WRAtomicFetchAndAdd: {verbs.RC},
	verbs.WRSendWithInv: {verbs.RC}, verbs.WRLocalInv: connected, verbs.WRBindMW: connected,
	verbs.WRFlush: {verbs.RC}, verbs.WRAtomicWrite: {verbs.RC},
}

const capWindows2 = verbs.CapMemWindowType2A | verbs.CapMemWindowType2B

// needCaps maps operations to device capabilities, of which the device needs one.
var needCaps = map[verbs.WROpcode]verbs.DeviceCap{
	verbs.WRBindMW: capWindows2, verbs.WRLocalInv: capWindows2 | verbs.CapMemMgtExtensions,
}

// WhyNot says why a queue pair cannot execute an operation, "" if it can.
func WhyNot(s *core.Snapshot, q *core.QPView, op verbs.WROpcode) string {
	if types := onlyFor[op]; types != nil && !slices.Contains(types, q.Type) {
		return op.String() + " is not for " + q.Type.String() + " queue pairs"
	}
	if q.SendOps.Lack(op) != nil {
		return op.String() + " needs a queue pair created with send_ops_flags=" + op.String()
	}
	d := s.Device(q.Device)
	if caps := needCaps[op]; d != nil && caps != 0 && verbs.DeviceCap(d.Attr.DeviceCapFlags)&caps == 0 {
		return op.String() + ": device_cap_flags of " + q.Device + " lack " + verbs.DeviceCaps.Name(caps)
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
