package world

import (
	"net/netip"
	"slices"
	"time"

	"rdmatui/verbs"
)

// groups are the multicast groups, by the row of the GID table that a queue pair sends from: link-local, or IPv4.
var groups = [...]verbs.GID{verbs.GIDFromAddr(netip.MustParseAddr("ff12::77")),
	verbs.GIDFromAddr(netip.MustParseAddr("239.77.1.2"))}

// groupQKey is the Q_Key of all datagrams in a world with groups.
const groupQKey = 0x77

func (e *end) group() verbs.GID { return groups[e.gidIndex] }

// stepGroup lets a queue pair of datagrams join a group, or leave it.
func (w *world) stepGroup() {
	for range 4 {
		if e := w.anyEnd(); e != nil && e.typ == verbs.UD && !e.byManager {
			if e.member {
				e.leaveGroup()
			} else {
				e.joinGroup()
			}
			return
		}
	}
}

func (e *end) joinGroup() {
	w := e.w
	w.Tracef("QP %s of %s joins %s", e.num, e.dom.host.name, e.group())
	if w.Must("attach_mcast", e.qp.AttachMcast(e.group(), 0)) {
		e.member = true
		e.inbound = append(e.inbound, w.spread[e.gidIndex]...) // they may be in transit
	}
}

// leaveGroup removes a queue pair from its group, without which it cannot be closed.
func (e *end) leaveGroup() {
	w := e.w
	if !e.member {
		return
	}
	if e.qp.Close() == nil {
		w.Fail("QP %s of %s can be closed while it is in a multicast group", e.num, e.dom.host.name)
	}
	if w.Must("detach_mcast", e.qp.DetachMcast(e.group(), 0)) {
		e.member = false
	}
}

// toGroup addresses a datagram to the group of its sender.
func (e *end) toGroup(r *request, wr *verbs.SendWR) bool {
	ah := e.dom.groupHandle(e.gidIndex)
	if ah == nil {
		return false
	}
	r.toGroup = true
	wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, verbs.MaxQPN, groupQKey
	return true
}

// groupHandle returns an address handle of a group, created on first use.
func (d *domain) groupHandle(index int) verbs.AH {
	addr := groups[index].Addr()
	if ah := d.ahs[addr]; ah != nil {
		return ah
	}
	attr := verbs.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: groups[index], SGIDIndex: uint8(index), HopLimit: 1},
	}
	ah, err := d.pd.CreateAH(attr)
	if !d.w.Must("create_ah", err) {
		return nil
	}
	d.ahs[addr] = ah
	d.ahOrder = append(d.ahOrder, ah)
	return ah
}

// announce records a datagram to a group for every queue pair that may receive it.
func (w *world) announce(r *request) {
	index := r.end.gidIndex
	w.spread[index] = append(w.spread[index], r)
	for _, e := range w.ends {
		if e.member && e.gidIndex == index {
			e.inbound = append(e.inbound, r)
		}
	}
}

// checkGroups sends one more datagram to each group when no other work is pending and no packet is lost. Every member
// must receive it once.
func (w *world) checkGroups() {
	if !w.perfect || w.plan.mistakes > 0 || w.plan.groups == 0 {
		return
	}
	w.Run(w.Now()+10*time.Millisecond, func() bool { return false }) // datagrams in transit take RECVs
	for index := range groups {
		var from *end
		var members []*end
		for _, e := range w.ends {
			if e.typ != verbs.UD || e.byManager || e.gidIndex != index || e.state() != verbs.QPRTS || e.stopped {
				continue
			}
			from = e
			if !e.member && w.Chance(0.7) {
				e.joinGroup()
			}
			if e.member && e.srq == nil {
				e.feed(1)
			}
			if e.member && e.srq == nil && len(e.recvs) > 0 {
				members = append(members, e)
			}
		}
		if from == nil || len(from.sends) >= int(from.cap.MaxSendWR) {
			continue
		}
		w.lastID++
		r := &request{
			id: w.lastID, end: from, op: verbs.WRSend, signaled: true, verdict: may,
			farSlot: -1, reached: map[*end]int{},
		}
		from.gather(r, 16)
		wr := verbs.SendWR{WRID: r.id, Opcode: r.op, SendFlags: verbs.SendSignaled, SGList: r.local.sges()}
		if !from.toGroup(r, &wr) {
			return
		}
		from.post([]*request{r}, []verbs.SendWR{wr})
		w.Run(w.Now()+10*time.Millisecond, func() bool { return false })
		for _, e := range members {
			if r.reached[e] != 1 {
				w.Fail("a datagram to %s reached QP %s of %s %d times", groups[index], e.num, e.dom.host.name,
					r.reached[e])
			}
		}
		for e := range r.reached {
			if !slices.Contains(w.ends, e) || !e.member {
				w.Fail("a datagram to %s reached QP %s of %s, which is not a member", groups[index], e.num,
					e.dom.host.name)
			}
		}
	}
}
