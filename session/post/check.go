package post

import (
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// The checks below tell what the session knows against a request beside the
// provider's answer; the call is made in any case.

func checkPostSend(c *core.Call, q *queue.QP, wr *verbs.SendWR) {
	queue.NotePortDown(c.S, q)
	if st := q.StateNow(); st != verbs.QPRTS && st != verbs.QPSQD && st != verbs.QPErr && st != verbs.QPSQE {
		c.Warn("%s is in %s: SENDs can be posted in RTS", q.Name, st)
	}
	var need verbs.Access
	if wr.Opcode.Traits().Receives {
		need = verbs.LocalWrite
	}
	if wr.SendFlags&verbs.SendInline == 0 {
		region.CheckSGEs(c, q.PD, wr.SGList, q.Limits.MaxSendSGE, "max_send_sge", need)
	} else if n := region.TotalLength(wr.SGList); n > uint64(q.Limits.MaxInlineData) {
		c.Warn("INLINE: %d bytes are more than max_inline_data %d", n, q.Limits.MaxInlineData)
	}
	if n := q.Sends.Len(); n >= int(q.Limits.MaxSendWR) {
		c.Warn("%d requests are outstanding, max_send_wr is %d", n, q.Limits.MaxSendWR)
	}
	checkTransport(c, q.PD.Device, wr.Opcode)
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
	if n := region.TotalLength(wr.SGList); n != verbs.AtomicLen {
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
func checkRemote(c *core.Call, q *queue.QP, wr *verbs.SendWR) {
	other, ours := localPeer(c.S, q)
	if !ours {
		return
	}
	need := rightsFor(wr)
	if missing := need &^ other.Attr.QPAccessFlags; missing != 0 && other.Attr.Mask&verbs.AttrAccessFlags != 0 {
		c.Warn("the qp_access_flags of %s lack %s", other.Name, missing)
	}
	r := region.Where(c.S, other.PD.Device, func(r *region.MR) bool { return r.MR.RKey() == wr.RKey })
	if r == nil {
		w := region.WindowWhere(c.S, other.PD.Device, func(w *region.MW) bool { return w.MW.RKey() == wr.RKey })
		if w != nil {
			checkThroughWindow(c, w, other, wr)
			return
		}
		c.Warn("rkey 0x%x opens no region at %s", wr.RKey, other.Name)
		return
	}
	if r.PD != other.PD {
		c.Warn("%s is of %s, the peer's queue pair of %s", r.Name, r.PD.Name, other.PD.Name)
	}
	if missing := need &^ r.MR.Spec().Access; missing != 0 {
		c.Warn("%s lacks %s", r.Name, missing)
	}
	if n, counts := remoteLength(wr); counts && !region.Inside(r, wr.RemoteAddr, n) {
		c.Warn("%d bytes at 0x%x are not inside %s", n, wr.RemoteAddr, r.Name)
	}
}

// localPeer returns the queue pair at the other end if the session owns it.
func localPeer(s *core.Session, q *queue.QP) (*queue.QP, bool) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if q.Attr.Mask&verbs.AttrDestQPN == 0 {
		return nil, false
	}
	for _, name := range s.Graph.Names(command.KindQP) {
		other := s.Graph.ByName[name].Body.(*queue.QP)
		if other.Num != q.Attr.DestQPNum {
			continue
		}
		for _, e := range other.PD.Device.GIDs.Rows {
			if e.GID == q.Attr.AH.GRH.DGID {
				return other, true
			}
		}
	}
	return nil, false
}

func checkPostRecv(c *core.Call, q *queue.QP, list []verbs.SGE, count int) {
	if q.SRQ != nil {
		c.Warn("%s takes its RECVs from %s: post_srq_recv %s", q.Name, q.SRQ.Name, q.SRQ.Name)
		return
	}
	if q.StateNow() == verbs.QPReset {
		c.Warn("%s is in RESET: RECVs can be posted from INIT on", q.Name)
	}
	region.CheckSGEs(c, q.PD, list, q.Limits.MaxRecvSGE, "max_recv_sge", verbs.LocalWrite)
	if n := q.Recvs.Len(); n+count > int(q.Limits.MaxRecvWR) {
		c.Warn("%d requests are outstanding, max_recv_wr is %d", n, q.Limits.MaxRecvWR)
	}
}

// checkTransport warns of an operation that the device, or its transport, does not have.
func checkTransport(c *core.Call, d *device.Device, op verbs.WROpcode) {
	traits := op.Traits()
	if traits.Atomic && d.Attr.AtomicCap == 0 {
		c.Warn("%s has no atomics: its atomic_cap is NONE", d.Name)
	}
	if traits.Imm {
		if err := d.Info.Lack(verbs.ImmediateData); err != nil {
			c.Warn("%v", err)
		}
	}
}

// checkPlacement holds a FLUSH or an ATOMIC_WRITE against what it can be.
func checkPlacement(c *core.Call, wr *verbs.SendWR) {
	t := wr.Opcode.Traits()
	if t.Flush && wr.Flush.Type == 0 {
		c.Warn("type 0 flushes nothing: give GLOBAL or PERSISTENT")
	}
	if t.Copied && wr.RemoteAddr%verbs.AtomicLen != 0 {
		c.Warn("remote_addr 0x%x is no multiple of %d", wr.RemoteAddr, verbs.AtomicLen)
	}
	if n := region.TotalLength(wr.SGList); t.Copied && n != verbs.AtomicLen {
		c.Warn("an ATOMIC_WRITE writes %d bytes, the SGEs have %d", verbs.AtomicLen, n)
	}
}

// remoteLength is the bytes of the peer's that a request touches; ok is false where
// those are not counted.
func remoteLength(wr *verbs.SendWR) (n uint64, ok bool) {
	if wr.Opcode.Traits().Flush {
		return uint64(wr.Flush.Length), wr.Flush.Level != verbs.FlushMR
	}
	return region.TotalLength(wr.SGList), true
}
