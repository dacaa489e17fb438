package post

import (
	"slices"

	"rdmatui/session"
	"rdmatui/ui/widget/form"
	"rdmatui/verbs"
)

var connected = []verbs.QPType{verbs.RC, verbs.UC}

// onlyFor names the types of queue pairs that an operation is for; what is not
// here is for all. ibv_post_send(3), IBA 10.7.2.2.
var onlyFor = map[verbs.WROpcode][]verbs.QPType{
	verbs.WRRDMAWrite: connected, verbs.WRRDMAWriteWithImm: connected, verbs.WRRDMARead: {verbs.RC},
	verbs.WRAtomicCmpAndSwp: {verbs.RC}, verbs.WRAtomicFetchAndAdd: {verbs.RC},
	verbs.WRSendWithInv: {verbs.RC}, verbs.WRLocalInv: connected, verbs.WRBindMW: connected,
	verbs.WRFlush: {verbs.RC}, verbs.WRAtomicWrite: {verbs.RC},
}

const capWindows2 = verbs.CapMemWindowType2A | verbs.CapMemWindowType2B

// needCaps is what a device must say of itself to have an operation: one of these.
var needCaps = map[verbs.WROpcode]verbs.DeviceCap{verbs.WRBindMW: capWindows2, verbs.WRLocalInv: capWindows2 | verbs.CapMemMgtExtensions}

// whyNot says why a queue cannot carry out an operation, "" if it can.
func whyNot(s *session.Snapshot, q *session.QPView, name string) string {
	if name == recv {
		return ""
	}
	if findSRQ(s, q.Name) != nil {
		return q.Name + " is a shared receive queue: it takes RECVs only"
	}
	op, err := verbs.WROpcodes.Parse(name)
	if err != nil {
		return name + " is not known"
	}
	if types := onlyFor[op]; types != nil && !slices.Contains(types, q.Type) {
		return name + " is not for " + q.Type.String() + " queue pairs"
	}
	if err := q.SendOps.Lack(op); err != nil {
		return name + " needs a queue pair made with send_ops_flags=" + name
	}
	caps := needCaps[op]
	at := slices.IndexFunc(s.Devices, func(d session.DeviceView) bool { return d.Name == q.Device })
	if caps != 0 && at >= 0 && verbs.DeviceCap(s.Devices[at].Attr.DeviceCapFlags)&caps == 0 {
		return name + ": device_cap_flags of " + q.Device + " lack " + verbs.DeviceCaps.Name(caps)
	}
	return ""
}

// offered are the operations that the queue at hand can carry out.
func (r *request) offered() []form.Option {
	q := findQP(r.snap, r.qp)
	if q == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(opcodes), func(o form.Option) bool { return whyNot(r.snap, q, o.Value) != "" })
}

// queues are all that requests can be posted to.
func (r *request) queues() []form.Option {
	var list []form.Option
	for i := range r.snap.QPs {
		o := &r.snap.QPs[i]
		list = append(list, form.Option{Value: o.Name, Help: o.Type.String() + " " + o.State.String()})
	}
	for i := range r.snap.SRQs {
		list = append(list, form.Option{Value: r.snap.SRQs[i].Name, Help: "shared receive queue"})
	}
	return list
}
