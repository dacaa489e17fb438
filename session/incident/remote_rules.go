package incident

import (
	"fmt"
	"math/bits"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// reach returns how many bytes of the peer's memory a request accesses.
func (x *facts) reach() uint64 {
	switch {
	case !x.wr.Opcode.Traits().Flush:
		return x.length()
	case x.wr.Flush.Level == verbs.FlushMR:
		return 0
	}
	return uint64(x.wr.Flush.Length)
}

func queuePairRight(x *facts) *finding {
	if x.wr == nil || x.peer == nil || x.peer.Attr.Mask&verbs.AttrAccessFlags == 0 {
		return nil
	}
	missing := x.wr.RemoteRight() &^ x.peer.Attr.QPAccessFlags
	if missing == 0 {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("%s needs %s, but qp_access_flags of %s are %s", x.wr.Opcode, x.wr.RemoteRight(), x.peer.Name,
			rights(x.peer.Attr.QPAccessFlags)),
		sure: true,
		advice: []string{fmt.Sprintf("modify_qp %s INIT port_num=%d pkey_index=%d qp_access_flags=%s, after RESET",
			x.peer.Name, x.peer.Port, x.peer.Attr.PKeyIndex, x.peer.Attr.QPAccessFlags|missing)},
	}
}

// rights formats access flags; "0" if there are none.
func rights(a verbs.Access) string {
	if a == 0 {
		return "0"
	}
	return a.String()
}

// target returns the peer's region with the request's rkey; nil if there is none.
func (x *facts) target() *core.MRView {
	if x.wr == nil || x.peer == nil {
		return nil
	}
	return x.region(x.peer.Device, x.peer.PD, func(m *core.MRView) bool { return m.RKey == x.wr.RKey })
}

// meant returns the region that the request was probably meant for: the peer's region at
// its address.
func (x *facts) meant() *core.MRView {
	return x.region(x.peer.Device, x.peer.PD, func(m *core.MRView) bool { return holds(m, x.wr.RemoteAddr) })
}

func rkeyGone(x *facts) *finding {
	if x.wr == nil || x.peer == nil || x.target() != nil || x.window() != nil {
		return nil
	}
	d := x.deregistered(x.peer.Device, func(m *core.MRView) bool { return m.RKey == x.wr.RKey })
	if d == nil {
		return nil
	}
	f := &finding{
		text: fmt.Sprintf("rkey 0x%x belonged to %s, which was deregistered at %s", x.wr.RKey, d.View.Name,
			seconds(d.At)), sure: true,
	}
	if now := x.region(x.peer.Device, x.peer.PD,
		func(m *core.MRView) bool { return m.Name == d.View.Name }); now != nil {
		f.text = fmt.Sprintf("rkey 0x%x belonged to %s until %s; its rkey is now 0x%x", x.wr.RKey, d.View.Name,
			seconds(d.At), now.RKey)
		f.advice = []string{x.postAgain("rkey", now.Name+".rkey")}
	}
	return f
}

func rkeyUnknown(x *facts) *finding {
	if x.wr == nil || x.peer == nil || x.target() != nil || x.window() != nil {
		return nil
	}
	f := &finding{text: fmt.Sprintf("rkey 0x%x belongs to no region of %s", x.wr.RKey, x.peer.Name), sure: true}
	if m := x.region(x.peer.Device, x.peer.PD, func(m *core.MRView) bool {
		return core.Swapped(uint64(x.wr.RKey), uint64(m.RKey))
	}); m != nil {
		f.text = fmt.Sprintf("rkey 0x%x is that of %s, 0x%08x, %s", x.wr.RKey, m.Name, m.RKey, core.SwappedText)
		f.advice = []string{x.postAgain("rkey", m.Name+".rkey")}
		return f
	}
	if m := x.meant(); m != nil {
		f.text += fmt.Sprintf("; %s's rkey is 0x%x", m.Name, m.RKey)
		f.advice = []string{x.postAgain("rkey", m.Name+".rkey")}
	}
	return f
}

// postAgain advises to post the request with another value.
func (x *facts) postAgain(name, value string) string {
	return fmt.Sprintf("post the request with %s=%s", name, value)
}

func remoteDomain(x *facts) *finding {
	m := x.target()
	if m == nil || m.PD == x.peer.PD {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("%s is in protection domain %s, but %s is in %s", m.Name, m.PD, x.peer.Name, x.peer.PD),
		sure: true,
		advice: []string{fmt.Sprintf("register the region with pd=%s, or create %s with pd=%s", x.peer.PD,
			x.peer.Name, m.PD)},
	}
}

func remoteRight(x *facts) *finding {
	m := x.target()
	if m == nil {
		return nil
	}
	missing := x.wr.RemoteRight() &^ m.Access
	if missing == 0 {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("%s needs %s, but the access of %s is %s", x.wr.Opcode, x.wr.RemoteRight(), m.Name,
			rights(m.Access)), sure: true,
		advice: []string{fmt.Sprintf("rereg_mr %s access=%s", m.Name, m.Access|missing|verbs.LocalWrite)},
	}
}

func remoteBounds(x *facts) *finding {
	m := x.target()
	if m == nil {
		return nil
	}
	start := m.Addr
	if m.Access&verbs.ZeroBased != 0 {
		start = 0
	}
	text := outside(m.Name, start, m.Length, x.wr.RemoteAddr, x.reach())
	if text == "" {
		return nil
	}
	if real := bits.ReverseBytes64(x.wr.RemoteAddr); outside(m.Name, start, m.Length, real, x.reach()) == "" {
		text = fmt.Sprintf("remote_addr 0x%x is 0x%x in %s, %s", x.wr.RemoteAddr, real, m.Name, core.SwappedText)
	}
	return &finding{text: text, sure: true, advice: []string{x.postAgain("remote_addr", m.Name+".addr")}}
}

// window returns the peer's window with the request's rkey; nil if there is none.
func (x *facts) window() *core.MWView {
	for i := range x.snap.MWs {
		if w := &x.snap.MWs[i]; w.Device == x.peer.Device && w.RKey == x.wr.RKey {
			return w
		}
	}
	return nil
}

func windowRefuses(x *facts) *finding {
	if x.wr == nil || x.peer == nil {
		return nil
	}
	w := x.window()
	if w == nil {
		return nil
	}
	text, start := "", w.Addr
	if w.Access&verbs.ZeroBased != 0 {
		start = 0
	}
	switch missing := x.wr.RemoteRight() &^ w.Access; {
	case w.MR == "":
		text = fmt.Sprintf("rkey 0x%x belongs to window %s, which is not bound", x.wr.RKey, w.Name)
	case w.QP != "" && w.QP != x.peer.Name:
		text = fmt.Sprintf("window %s is bound to %s, but the request arrived at %s", w.Name, w.QP, x.peer.Name)
	case w.PD != x.peer.PD:
		text = fmt.Sprintf("window %s is in protection domain %s, but %s is in %s", w.Name, w.PD,
			x.peer.Name, x.peer.PD)
	case missing != 0:
		text = fmt.Sprintf("%s needs %s, but the access of window %s is %s", x.wr.Opcode, x.wr.RemoteRight(),
			w.Name, rights(w.Access))
	default:
		text = outside(w.Name, start, w.Length, x.wr.RemoteAddr, x.reach())
	}
	if text == "" {
		return nil
	}
	return &finding{text: text, sure: true}
}

func keyElsewhere(x *facts) *finding {
	if x.wr == nil || x.peer != nil {
		return nil
	}
	advice := []string{
		"compare with the peer's region (rkey, addr, length, access) and its queue pair's qp_access_flags"}
	if op := x.wr.Opcode; op.Traits().Placement() {
		// rxe_req.c, req_retry: it knows the address of WRITE, READ and the atomic operations only
		advice = append(advice,
			fmt.Sprintf("if its packet was lost: Soft-RoCE repeats %s with address 0, as Wire shows", op))
	}
	return &finding{
		text: fmt.Sprintf("the peer refused rkey 0x%x for %s at 0x%x; this session does not know its regions",
			x.wr.RKey, bytes(x.reach()), x.wr.RemoteAddr),
		sure: true, open: true, advice: advice,
	}
}

func misaligned(x *facts) *finding {
	if x.wr == nil || x.wr.RemoteAddr%verbs.AtomicLen == 0 {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("remote_addr 0x%x of %s is not a multiple of %d", x.wr.RemoteAddr, x.wr.Opcode,
			verbs.AtomicLen), sure: true,
		advice: []string{x.postAgain("remote_addr", fmt.Sprintf("0x%x", x.wr.RemoteAddr&^(verbs.AtomicLen-1)))},
	}
}
