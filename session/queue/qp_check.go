package queue

import (
	"fmt"
	"slices"
	"strconv"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/transition"
)

// checkModify checks a modify against the transition table and the device.
func checkModify(c *core.Call, q *QP, a *verbs.QPAttr) {
	if err := transition.Check(q.Spec.QPType, q.StateNow(), *a); err != nil {
		c.Warn("%v", err)
	}
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	checkSwapped(c, q, a)
	d := q.PD.Device
	port := q.Port()
	if a.Mask&verbs.AttrPort != 0 {
		port = a.PortNum
		device.CheckPort(c, d, port)
	}
	if p := d.Port(port); a.Mask&verbs.AttrPathMTU != 0 && p.ActiveMTU != 0 && a.PathMTU > p.ActiveMTU {
		c.Warn("path_mtu %s is above the port's active_mtu %s", a.PathMTU, p.ActiveMTU)
	}
	if n := d.Port(port).PKeyTblLen; a.Mask&verbs.AttrPKeyIndex != 0 && n > 0 && a.PKeyIndex >= n {
		c.Warn("pkey_index %d is beyond the port's P_Key table, which has %s", a.PKeyIndex, format.Counted(n, "row"))
	}
	if limit := d.Attr.MaxQPRDAtom; a.Mask&verbs.AttrMaxDestRDAtomic != 0 && int32(a.MaxDestRDAtomic) > limit {
		c.Warn("max_dest_rd_atomic %d is above the device's max_qp_rd_atom %d", a.MaxDestRDAtomic, limit)
	}
	if limit := d.Attr.MaxQPInitRDAtom; a.Mask&verbs.AttrMaxQPRDAtomic != 0 && int32(a.MaxRDAtomic) > limit {
		c.Warn("max_rd_atomic %d is above the device's max_qp_init_rd_atom %d", a.MaxRDAtomic, limit)
	}
	if a.Mask&verbs.AttrAV != 0 {
		device.CheckPath(c, d, &a.AH)
	}
}

// checkSwapped warns of a peer's number in the wrong byte order; Session.mu is held.
func checkSwapped(c *core.Call, q *QP, a *verbs.QPAttr) {
	for _, n := range c.S.Graph.Nodes {
		if n.Kind != command.KindQP && n.Kind != command.KindPeer {
			continue
		}
		for _, of := range []struct {
			bit         verbs.AttrMask
			name, field string
			given       uint64
		}{
			{verbs.AttrDestQPN, "dest_qp_num", "qp_num", uint64(a.DestQPNum)},
			{verbs.AttrRQPSN, "rq_psn", "psn", uint64(a.RQPSN)},
		} {
			if a.Mask&of.bit == 0 || n == q.Node {
				continue
			}
			text, err := n.Field(of.field)
			right, bad := strconv.ParseUint(text, 0, 32)
			if err == nil && bad == nil && core.Swapped(of.given, right) {
				c.WarnOf(nil, fmt.Sprintf("%s 0x%06x is the %s of %s, 0x%06x, %s", of.name, of.given, of.field, n.Name,
					right, core.SwappedText))
			}
		}
	}
}

// Transitions that a transport lacks are refused before the call: the provider would
// accept the steps and leave the queue pair unconnected, or return an errno that
// explains nothing.

// Lack returns an error if the device's transport does not support the queue pair's
// type.
func (q *QP) Lack() error {
	switch q.Spec.QPType {
	case verbs.UD:
		return q.PD.Device.Info.Lack(verbs.Datagrams)
	case verbs.UC:
		return q.PD.Device.Info.Lack(verbs.UnreliableConn)
	}
	return nil
}

// lackOfModify returns an error for a transition towards RTS that only the connection
// manager can make.
func lackOfModify(q *QP, attr *verbs.QPAttr) error {
	if q.ID == nil && attr.Mask&verbs.AttrState != 0 && slices.Contains(BringUp, attr.QPState) {
		return q.PD.Device.Info.Lack(verbs.ByHand)
	}
	return nil
}

// BringUp lists the states from a new queue pair to one that can send.
var BringUp = []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS}

// checkSendOps warns of operations that the device does not support.
func checkSendOps(c *core.Call, q *QP) {
	d := q.PD.Device
	for _, op := range verbs.WROpcodes.Values() {
		if t := op.Traits(); t.Placement() && q.Spec.SendOps.Has(op) && d.Caps&t.Caps == 0 {
			c.Warn("device_cap_flags_ex of %s lacks %s", d.Name, verbs.DeviceCaps.Name(t.Caps))
		}
	}
}
