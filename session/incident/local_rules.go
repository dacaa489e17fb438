package incident

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// pieces calls find with each SGE of the request and the region of its lkey (nil if there
// is none) until find returns a finding.
func (x *facts) pieces(find func(e *verbs.SGE, m *core.MRView) *finding) *finding {
	if x.own == nil || x.wr != nil && x.wr.SendFlags&verbs.SendInline != 0 {
		return nil
	}
	for i := range x.request.List {
		e := &x.request.List[i]
		m := x.region(x.own.Device, x.pd(), func(m *core.MRView) bool { return m.LKey == e.LKey })
		if f := find(e, m); f != nil {
			return f
		}
	}
	return nil
}

// pd is the protection domain that a request's memory must be in.
func (x *facts) pd() string {
	if q := x.snap.SRQ(x.own.SRQ); q != nil && x.wr == nil {
		return q.PD
	}
	return x.own.PD
}

func localKey(x *facts) *finding {
	return x.pieces(func(e *verbs.SGE, m *core.MRView) *finding {
		if m != nil || e.Length == 0 {
			return nil
		}
		if d := x.deregistered(x.own.Device, func(m *core.MRView) bool { return m.LKey == e.LKey }); d != nil {
			return &finding{text: fmt.Sprintf("lkey 0x%x belonged to %s, which was deregistered at %s", e.LKey,
				d.View.Name, seconds(d.At)), sure: true,
				advice: []string{"deregister a region only after the requests that use it have completed"}}
		}
		f := &finding{text: fmt.Sprintf("lkey 0x%x belongs to no region of this session", e.LKey), sure: true}
		if m := x.region(x.own.Device, x.pd(), func(m *core.MRView) bool { return holds(m, e.Addr) }); m != nil {
			f.text = fmt.Sprintf("lkey 0x%x belongs to no region; %s's lkey is 0x%x", e.LKey, m.Name, m.LKey)
		}
		return f
	})
}

func localDomain(x *facts) *finding {
	return x.pieces(func(_ *verbs.SGE, m *core.MRView) *finding {
		if m == nil || m.PD == x.pd() {
			return nil
		}
		user := x.own.Name
		if x.wr == nil && x.own.SRQ != "" {
			user = x.own.SRQ
		}
		return &finding{text: fmt.Sprintf("%s is in protection domain %s, but %s is in %s", m.Name, m.PD, user,
			x.pd()), sure: true,
			advice: []string{fmt.Sprintf("register the region with pd=%s", x.pd())}}
	})
}

func localBounds(x *facts) *finding {
	return x.pieces(func(e *verbs.SGE, m *core.MRView) *finding {
		if m == nil {
			return nil
		}
		start := m.Addr
		if m.Access&verbs.ZeroBased != 0 && e.Addr < m.Length {
			start = 0
		}
		text := outside(m.Name, start, m.Length, e.Addr, uint64(e.Length))
		if text == "" {
			return nil
		}
		return &finding{text: text, sure: true}
	})
}

func localWrite(x *facts) *finding {
	what := "a RECV"
	if x.wr != nil {
		if what = x.wr.Opcode.String(); !x.wr.Opcode.Traits().Receives {
			return nil
		}
	} else if !x.c.Recv && x.own != nil && x.own.Name == x.c.QP {
		return nil // what the request does is unknown
	}
	return x.pieces(func(_ *verbs.SGE, m *core.MRView) *finding {
		if m == nil || m.Access&verbs.LocalWrite != 0 {
			return nil
		}
		return &finding{text: fmt.Sprintf("%s needs LOCAL_WRITE, but the access of %s is %s", what, m.Name,
			rights(m.Access)), sure: true,
			advice: []string{fmt.Sprintf("rereg_mr %s access=%s", m.Name, m.Access|verbs.LocalWrite)}}
	})
}

func readDepthZero(x *facts) *finding {
	if x.own == nil || x.own.Attr.Mask&verbs.AttrMaxQPRDAtomic == 0 || x.own.Attr.MaxRDAtomic > 0 {
		return nil
	}
	return &finding{text: fmt.Sprintf("max_rd_atomic of %s is 0, so it can send no %s", x.own.Name, x.c.Opcode),
		sure:   true,
		advice: []string{fmt.Sprintf("bring %s up again with max_rd_atomic=1 or more", x.own.Name)}}
}

func handleDomain(x *facts) *finding {
	if x.own == nil || x.wr == nil {
		return nil
	}
	a := x.snap.AH(x.request.Posted.AH)
	if a == nil || a.PD == "" || a.PD == x.pd() {
		return nil
	}
	return &finding{text: fmt.Sprintf("%s is in protection domain %s, but %s is in %s", a.Name, a.PD, x.own.Name,
		x.pd()), sure: true,
		advice: []string{fmt.Sprintf("create the address handle with pd=%s", x.pd())}}
}

func messageTooLong(x *facts) *finding {
	c := x.c
	if c.Room == 0 { // no RECV, or it failed of something else
		return nil
	}
	f := &finding{text: fmt.Sprintf("the message is longer than the %d bytes of RECV %d", c.Room, c.WC.WRID),
		sure:   true,
		advice: []string{"post RECVs at least as long as the longest message"}}
	if x.peer == nil {
		return f
	}
	length := uint64(0)
	if in := x.failure(x.peer.Name); in != nil && !in.Completion.Recv && in.T >= x.posted() {
		length = in.length
	} else if r, ok := x.oldest(x.peer.Name, false); ok {
		length = verbs.TotalLength(r.List)
	}
	if length > c.Room {
		f.text = fmt.Sprintf("the message from %s has %s, but RECV %d has room for %d", x.peer.Name, bytes(length),
			c.WC.WRID, c.Room)
		f.advice[0] = fmt.Sprintf("post RECVs of at least %s on %s", bytes(length), x.own.Name)
	}
	return f
}
