package session

import (
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/transition"
)

// The checks below hold a command against what the session knows. What they
// find is told beside the provider's answer; the call is made all the same.

// checkModify holds a modify against the transition table and the device.
func checkModify(c *core.Call, q *QP, a *verbs.QPAttr) {
	if err := transition.Check(q.spec.QPType, q.stateNow(), *a); err != nil {
		c.Warn("%v", err)
	}
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	d := q.pd.dev
	port := q.port()
	if a.Mask&verbs.AttrPort != 0 {
		port = a.PortNum
		checkPort(c, d, port)
	}
	if p := d.port(port); a.Mask&verbs.AttrPathMTU != 0 && p.ActiveMTU != 0 && a.PathMTU > p.ActiveMTU {
		c.Warn("path_mtu %s is above the port's active_mtu %s", a.PathMTU, p.ActiveMTU)
	}
	if limit := d.attr.MaxQPRDAtom; a.Mask&verbs.AttrMaxDestRDAtomic != 0 && int32(a.MaxDestRDAtomic) > limit {
		c.Warn("max_dest_rd_atomic %d is above the device's max_qp_rd_atom %d", a.MaxDestRDAtomic, limit)
	}
	if limit := d.attr.MaxQPInitRDAtom; a.Mask&verbs.AttrMaxQPRDAtomic != 0 && int32(a.MaxRDAtomic) > limit {
		c.Warn("max_rd_atomic %d is above the device's max_qp_init_rd_atom %d", a.MaxRDAtomic, limit)
	}
	if a.Mask&verbs.AttrAV != 0 {
		checkPath(c, d, &a.AH)
	}
}

// checkPath holds an address vector against the GID table. Session.mu is held.
func checkPath(c *core.Call, d *device, ah *verbs.AHAttr) {
	if !ah.IsGlobal {
		if d.needsGRH(ah.PortNum) {
			c.Warn("is_global is 0: on this port every path needs a GRH")
		}
		checkLID(c, d, ah)
		return
	}
	e, ok := d.gidAt(ah.PortNum, int(ah.GRH.SGIDIndex))
	switch {
	case !ok:
		c.Warn("sgid_index %d: that row of the GID table of port %d is not in use", ah.GRH.SGIDIndex, ah.PortNum)
	case e.GID.IsIPv4() != ah.GRH.DGID.IsIPv4() && e.Type == verbs.GIDTypeRoCEv2:
		c.Warn("sgid_index %d is %s and dgid %s: IPv4 and IPv6 do not mix", ah.GRH.SGIDIndex, e.GID, ah.GRH.DGID)
	}
	if ah.GRH.DGID.IsZero() {
		c.Warn("dgid is zero")
	}
	if other, ok := d.gids.network.OnOtherPort(d.gids.rows, ah.PortNum, ah.GRH.DGID); ok {
		c.Warn("%s, which is on port %d: the path is on port %d", other.Why, other.PortNum, ah.PortNum)
	}
	checkLID(c, d, ah)
}

// checkLID warns of a path that leads to no LID where ports have them.
func checkLID(c *core.Call, d *device, ah *verbs.AHAttr) {
	if d.port(ah.PortNum).LinkLayer == verbs.LinkInfiniBand && ah.DLID == 0 {
		c.Warn("dlid is 0: InfiniBand addresses a peer by its LID")
	}
}

// checkSGEs holds pieces of memory against the regions that their keys open.
func checkSGEs(c *core.Call, pd *PD, list []verbs.SGE, limit uint32, limitName string, need verbs.Access) {
	if len(list) > int(limit) {
		c.Warn("%d SGEs are more than %s %d", len(list), limitName, limit)
	}
	for i := range list {
		e := &list[i]
		r := regionByLKey(c.S, pd.dev, e.LKey)
		if r == nil {
			c.Warn("lkey 0x%x opens no region of this session", e.LKey)
			continue
		}
		if r.pd != pd {
			c.Warn("%s is of %s, the queue pair of %s", r.Name, r.pd.Name, pd.Name)
		}
		if !inside(r, e.Addr, uint64(e.Length)) {
			c.Warn("%d bytes at 0x%x are not inside %s", e.Length, e.Addr, r.Name)
		}
		if missing := need &^ r.mr.Spec().Access; missing != 0 {
			c.Warn("%s lacks %s", r.Name, missing)
		}
	}
}

// inside reports whether a piece lies in a region; addresses may be hostile.
func inside(r *MR, addr, length uint64) bool {
	base, size := r.mr.Addr(), r.mr.Spec().Length
	return addr >= base && addr-base <= size && length <= size-(addr-base)
}

func checkPostSend(c *core.Call, q *QP, wr *verbs.SendWR) {
	notePortDown(c.S, q)
	if st := q.stateNow(); st != verbs.QPRTS && st != verbs.QPSQD && st != verbs.QPErr && st != verbs.QPSQE {
		c.Warn("%s is in %s: SENDs can be posted in RTS", q.Name, st)
	}
	var need verbs.Access
	if wr.Opcode.Traits().Receives {
		need = verbs.LocalWrite
	}
	if wr.SendFlags&verbs.SendInline == 0 {
		checkSGEs(c, q.pd, wr.SGList, q.limits.MaxSendSGE, "max_send_sge", need)
	} else if n := totalLength(wr.SGList); n > uint64(q.limits.MaxInlineData) {
		c.Warn("INLINE: %d bytes are more than max_inline_data %d", n, q.limits.MaxInlineData)
	}
	if n := q.sends.len(); n >= int(q.limits.MaxSendWR) {
		c.Warn("%d requests are outstanding, max_send_wr is %d", n, q.limits.MaxSendWR)
	}
	checkTransport(c, q.pd.dev, wr.Opcode)
	if wr.Opcode.Traits().Atomic {
		checkAtomic(c, wr)
	}
	checkPlacement(c, wr)
	if wr.Opcode.Traits().Remote {
		checkRemote(c, q, wr)
	}
	if wr.Opcode.Traits().Invalid {
		checkInvalidate(c, q, wr)
	}
}

func checkAtomic(c *core.Call, wr *verbs.SendWR) {
	if wr.RemoteAddr%verbs.AtomicLen != 0 {
		c.Warn("remote_addr 0x%x is no multiple of %d", wr.RemoteAddr, verbs.AtomicLen)
	}
	if n := totalLength(wr.SGList); n != verbs.AtomicLen {
		c.Warn("an atomic fetches %d bytes, the SGEs have %d", verbs.AtomicLen, n)
	}
}

// remoteRights is what an operation needs of the peer's region and queue pair.
var remoteRights = map[verbs.WROpcode]verbs.Access{
	verbs.WRRDMAWrite: verbs.RemoteWrite, verbs.WRRDMAWriteWithImm: verbs.RemoteWrite, verbs.WRRDMARead: verbs.RemoteRead,
	verbs.WRAtomicCmpAndSwp: verbs.RemoteAtomic, verbs.WRAtomicFetchAndAdd: verbs.RemoteAtomic, verbs.WRAtomicWrite: verbs.RemoteWrite,
}

func rightsFor(wr *verbs.SendWR) verbs.Access {
	if wr.Opcode.Traits().Flush {
		return wr.Flush.Type.Access()
	}
	return remoteRights[wr.Opcode]
}

// checkRemote holds a one-sided operation against the peer's memory, where that
// is the session's own.
func checkRemote(c *core.Call, q *QP, wr *verbs.SendWR) {
	other, ours := localPeer(c.S, q)
	if !ours {
		return
	}
	need := rightsFor(wr)
	if missing := need &^ other.attr.QPAccessFlags; missing != 0 && other.attr.Mask&verbs.AttrAccessFlags != 0 {
		c.Warn("the qp_access_flags of %s lack %s", other.Name, missing)
	}
	r := regionWhere(c.S, other.pd.dev, func(r *MR) bool { return r.mr.RKey() == wr.RKey })
	if r == nil {
		w := windowWhere(c.S, other.pd.dev, func(w *MW) bool { return w.mw.RKey() == wr.RKey })
		if w != nil {
			checkThroughWindow(c, w, other, wr)
			return
		}
		c.Warn("rkey 0x%x opens no region at %s", wr.RKey, other.Name)
		return
	}
	if r.pd != other.pd {
		c.Warn("%s is of %s, the peer's queue pair of %s", r.Name, r.pd.Name, other.pd.Name)
	}
	if missing := need &^ r.mr.Spec().Access; missing != 0 {
		c.Warn("%s lacks %s", r.Name, missing)
	}
	if n, counts := remoteLength(wr); counts && !inside(r, wr.RemoteAddr, n) {
		c.Warn("%d bytes at 0x%x are not inside %s", n, wr.RemoteAddr, r.Name)
	}
}

// localPeer returns the queue pair at the other end if the session owns it.
func localPeer(s *core.Session, q *QP) (*QP, bool) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if q.attr.Mask&verbs.AttrDestQPN == 0 {
		return nil, false
	}
	for _, name := range s.Graph.Names(command.KindQP) {
		other := s.Graph.ByName[name].Body.(*QP)
		if other.num != q.attr.DestQPNum {
			continue
		}
		for _, e := range other.pd.dev.gids.rows {
			if e.GID == q.attr.AH.GRH.DGID {
				return other, true
			}
		}
	}
	return nil, false
}

func totalLength(list []verbs.SGE) (n uint64) {
	for i := range list {
		n += uint64(list[i].Length)
	}
	return n
}

func checkPostRecv(c *core.Call, q *QP, list []verbs.SGE, count int) {
	if q.srq != nil {
		c.Warn("%s takes its RECVs from %s: post_srq_recv %s", q.Name, q.srq.Name, q.srq.Name)
		return
	}
	if q.stateNow() == verbs.QPReset {
		c.Warn("%s is in RESET: RECVs can be posted from INIT on", q.Name)
	}
	checkSGEs(c, q.pd, list, q.limits.MaxRecvSGE, "max_recv_sge", verbs.LocalWrite)
	if n := q.recvs.len(); n+count > int(q.limits.MaxRecvWR) {
		c.Warn("%d requests are outstanding, max_recv_wr is %d", n, q.limits.MaxRecvWR)
	}
}
