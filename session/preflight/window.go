package preflight

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// window finds a window of a device by its key.
func window(s *core.Snapshot, device string, rkey uint32) *core.MWView {
	for i := range s.MWs {
		if w := &s.MWs[i]; w.Device == device && w.RKey == rkey {
			return w
		}
	}
	return nil
}

// invalidate checks the key that a request invalidates.
func (r *Request) invalidate(c *Report, q, peer *core.QPView) {
	owner := peer
	if r.WR.Opcode.Traits().Local() {
		owner = q
	}
	if owner == nil {
		return
	}
	w := window(r.Snapshot, owner.Device, r.WR.InvalidateKey)
	if w == nil {
		c.Missing("invalidate_rkey 0x%x belongs to no window: only a window of TYPE_2 can be invalidated",
			r.WR.InvalidateKey)
		return
	}
	c.Add(w.Type == verbs.MWType2, w.Name+" is a window of TYPE_2",
		w.Name+" is a window of TYPE_1: only those of TYPE_2 can be invalidated")
	c.Add(w.MR != "", w.Name+" is bound", w.Name+" is not bound")
	if w.QP != "" {
		c.Add(w.QP == owner.Name, w.Name+" is bound on "+w.QP,
			fmt.Sprintf("%s is bound on %s, not on %s", w.Name, w.QP, owner.Name))
	}
}

// Binding is what a window is to be bound to.
type Binding struct {
	Window        string
	Region        string // "": nothing
	First, Length uint64 // address of the first byte, and number of bytes
	Access        verbs.Access
	RKey          uint32 // the window's new key; 0: the next
	AnyRange      bool   // First and Length are unknown: skip their checks
}

// Check reports on a binding that is posted to q; IBA 10.6.7.2.
func (b *Binding) Check(s *core.Snapshot, q *core.QPView) Report {
	c := b.check(s, q)
	c.refuses(0, core.AnyErrno)
	return c
}

func (b *Binding) check(s *core.Snapshot, q *core.QPView) Report {
	var c Report
	w := s.MW(b.Window)
	if w == nil {
		c.Missing("there is no window %s: create one with alloc_mw", b.Window)
		return c
	}
	if w.Type == verbs.MWType2 && w.MR != "" {
		c.Missing("%s shows %s: a window of TYPE_2 is bound again only after LOCAL_INV, or SEND_WITH_INV from the peer",
			w.Name, w.MR)
	}
	if w.Type == verbs.MWType1 && b.Access&verbs.ZeroBased != 0 {
		c.Missing("only a window of TYPE_2 can be ZERO_BASED")
	}
	if b.RKey != 0 && b.RKey>>8 != w.RKey>>8 {
		c.Missing("only the low 8 bits of the rkey can be chosen: %s has 0x%x", w.Name, w.RKey)
	}
	c.Add(w.PD == q.PD, w.Name+" and "+q.Name+" are in "+q.PD,
		fmt.Sprintf("%s is in %s, %s in %s", w.Name, w.PD, q.Name, q.PD))
	if b.Region == "" {
		return c
	}
	m := s.MR(b.Region)
	if m == nil {
		c.Missing("there is no region %s", b.Region)
		return c
	}
	c.Add(m.PD == w.PD, "", fmt.Sprintf("%s is in %s, %s in %s", m.Name, m.PD, w.Name, w.PD))
	c.grants(FixAccess, m.Name, m.Access, verbs.MWBind, m.Name+" has MW_BIND", m.Name+" lacks MW_BIND")
	if b.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 {
		c.grants(FixAccess, m.Name, m.Access, verbs.LocalWrite, m.Name+" has LOCAL_WRITE",
			"REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, which "+m.Name+" lacks")
	}
	if !b.AnyRange {
		c.bytes(NoFix, b.First, b.Length, m.Name, m.Addr, m.Length)
	}
	return c
}
