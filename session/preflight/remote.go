package preflight

import (
	"fmt"
	"math/bits"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// other returns the peer's queue pair, nil if it is not in the session.
func (r *Request) other(q *core.QPView) *core.QPView {
	switch {
	case r.Peer != nil:
		return r.Peer
	case q.Type != verbs.UD:
		return r.Snapshot.Receiver(q)
	case r.AH == nil:
		return nil
	}
	to := core.QPView{Attr: verbs.QPAttr{Mask: verbs.AttrDestQPN, DestQPNum: r.WR.RemoteQPN, AH: r.AH.Attr}}
	return r.Snapshot.Receiver(&to)
}

// receiver checks the peer's queue pair if it is in the session.
func (r *Request) receiver(c *Report, q, peer *core.QPView) {
	t := r.WR.Opcode.Traits()
	if peer == nil {
		if t.NeedRecv {
			c.Unsure("the peer is outside this session: it must have a RECV posted")
		}
		return
	}
	name := peer.Name + " is " + peer.State.String()
	c.add(receives(peer), FixPeerState, name+": it accepts packets", name+": it drops packets")
	if !t.NeedRecv || r.noRecv {
		return
	}
	has := fmt.Sprintf("%s has %d RECV posted", peer.Name, peer.RecvPosted)
	if n := taken(q); n > 0 && peer.RecvPosted > 0 {
		c.add(peer.RecvPosted > n, FixRecv, has,
			fmt.Sprintf("%s, and %s ahead in the queue", has, format.Counted(n, "SEND")))
	} else {
		c.add(peer.RecvPosted > 0, FixRecv, has, peer.Name+" has no RECV posted")
	}
	need := r.total()
	if q.Type == verbs.UD {
		need += verbs.GRHLen
	}
	if peer.RecvPosted == 0 || t.Remote || r.AnyList {
		return
	}
	room := fmt.Sprintf("the next RECV of %s has room for %s", peer.Name, format.Counted(peer.RecvRoom, "byte"))
	if need > peer.RecvRoom && (q.SendOutstanding > 0 || r.Ahead > 0) {
		c.Unsure("%s, unless a request ahead takes it; the message has %s", room, format.Count(need))
		return
	}
	c.add(need <= peer.RecvRoom, FixLargerRecv, room, fmt.Sprintf("%s, the message has %s", room, format.Count(need)))
}

// reach returns how many bytes of the peer's memory a request accesses; 0 for a whole
// region.
func (r *Request) reach() uint64 {
	switch {
	case !r.WR.Opcode.Traits().Flush:
		return r.total()
	case r.WR.Flush.Level == verbs.FlushMR:
		return 0
	}
	return uint64(r.WR.Flush.Length)
}

// remote checks the memory that a one-sided operation accesses.
func (r *Request) remote(c *Report, q, peer *core.QPView) {
	t, right := r.WR.Opcode.Traits(), r.WR.RemoteRight()
	r.operand(c)
	switch {
	case r.AnyRemote, r.empty():
	case peer != nil:
		r.target(c, peer, right)
	default:
		r.toldTarget(c, q, right)
	}
	if peer == nil {
		return
	}
	if a := &peer.Attr; a.Mask&verbs.AttrAccessFlags != 0 {
		fix := NoFix
		if peer.State == verbs.QPInit || peer.State == verbs.QPRTS { // others can change nothing
			fix = FixFlags
		}
		c.grants(fix, peer.Name, a.QPAccessFlags, right, peer.Name+" allows "+right.String(),
			fmt.Sprintf("the qp_access_flags of %s lack %s", peer.Name, right&^a.QPAccessFlags))
	}
	if a := &q.Attr; t.Receives && a.Mask&verbs.AttrMaxQPRDAtomic != 0 {
		what := "READ"
		if t.Atomic {
			what = "atomic"
		}
		c.add(a.MaxRDAtomic > 0, FixAgain, "max_rd_atomic lets "+what+"s out", q.Name+" has max_rd_atomic 0: no "+what)
	}
}

// empty reports whether a request accesses no byte: then neither its address nor its key counts; IBA C9-88.
func (r *Request) empty() bool {
	t := r.WR.Opcode.Traits()
	return !t.Flush && !t.Atomic && !t.Copied && !r.AnyList && r.total() == 0
}

// target checks the region or window of the rkey.
func (r *Request) target(c *Report, peer *core.QPView, right verbs.Access) {
	m := region(r.Snapshot, peer.PD, func(m *core.MRView) bool { return m.RKey == r.WR.RKey })
	name, pd, start, length, access := "", "", uint64(0), uint64(0), verbs.Access(0)
	fix := FixAccess
	if m != nil {
		name, pd, start, length, access = m.Name, m.PD, m.Addr, m.Length, m.Access
	} else if w := window(r.Snapshot, peer.Device, r.WR.RKey); w != nil {
		name, pd, start, length, access, fix = w.Name, w.PD, w.Start(), w.Length, w.Access, NoFix
		c.add(w.MR != "", FixTarget, w.Name+" shows bytes of "+w.MR, w.Name+" is not bound")
		c.add(w.QP == "" || w.QP == peer.Name, FixTarget, "",
			fmt.Sprintf("%s is bound on %s, but the peer is %s", w.Name, w.QP, peer.Name))
		if w.MR == "" {
			return
		}
	} else {
		text := fmt.Sprintf("rkey 0x%x belongs to no region or window of %s", r.WR.RKey, peer.Name)
		if m := region(r.Snapshot, peer.PD, func(m *core.MRView) bool {
			return core.Swapped(uint64(r.WR.RKey), uint64(m.RKey))
		}); m != nil {
			text = fmt.Sprintf("rkey 0x%x is that of %s, 0x%08x, %s", r.WR.RKey, m.Name, m.RKey, core.SwappedText)
		}
		c.add(false, FixTarget, "", text)
		return
	}
	c.add(pd == peer.PD, FixTarget, "", fmt.Sprintf("%s is in %s, %s in %s", name, pd, peer.Name, peer.PD))
	c.grants(fix, name, access, right, name+" grants "+right.String(), fmt.Sprintf("%s lacks %s", name, right&^access))
	if !r.AnyList {
		c.remoteBytes(r.WR.RemoteAddr, r.reach(), name, start, length)
	}
}

// remoteBytes is bytes for an address that may have come from a peer in the wrong byte order.
func (c *Report) remoteBytes(addr, n uint64, name string, start, length uint64) {
	real := bits.ReverseBytes64(addr)
	if !inside(addr-start, n, length) && inside(real-start, n, length) {
		c.add(false, FixTarget, "",
			fmt.Sprintf("remote_addr 0x%x is 0x%x in %s, %s", addr, real, name, core.SwappedText))
		return
	}
	c.bytes(FixTarget, addr, n, name, start, length)
}

// toldTarget checks a remote peer's region, as far as the peer has sent it.
func (r *Request) toldTarget(c *Report, q *core.QPView, right verbs.Access) {
	name, _ := r.Snapshot.LikelyPeer(q)
	p := r.Snapshot.Peer(name)
	if p == nil || len(p.Regions) == 0 {
		c.Unsure("remote_addr and rkey are of the other end: not known here")
		return
	}
	m := p.Region(r.WR.RKey)
	if m == nil {
		for i := range p.Regions {
			if o := &p.Regions[i]; core.Swapped(uint64(r.WR.RKey), uint64(o.RKey)) {
				c.add(false, FixTarget, "", fmt.Sprintf("rkey 0x%x is that of %s.%s, 0x%08x, %s", r.WR.RKey, p.Name,
					o.Name, o.RKey, core.SwappedText))
				return
			}
		}
		c.Unsure("rkey 0x%x is of no region that %s has told", r.WR.RKey, p.Name)
		return
	}
	name = p.Name + "." + m.Name
	if m.Access != 0 {
		c.Add(m.Access&right == right, name+" grants "+right.String(),
			fmt.Sprintf("%s lacks %s", name, right&^m.Access))
	}
	if m.Length != 0 && !r.AnyList {
		c.remoteBytes(r.WR.RemoteAddr, r.reach(), name, m.Addr, m.Length)
	}
}

// operand checks the operand of an atomic or an ATOMIC_WRITE.
func (r *Request) operand(c *Report) {
	t := r.WR.Opcode.Traits()
	if t.Flush {
		from := len(*c)
		c.Add(r.WR.Flush.Type != 0, "", "type 0 flushes nothing: set GLOBAL or PERSISTENT")
		c.refuses(from, whenInvalid)
	}
	if !t.Atomic && !t.Copied {
		return
	}
	what := "an atomic fetches"
	if t.Copied {
		what = r.WR.Opcode.String() + " writes"
	}
	if !r.AnyList {
		from := len(*c)
		c.Add(r.total() == verbs.AtomicLen, fmt.Sprintf("%s %d bytes", what, verbs.AtomicLen),
			fmt.Sprintf("%s %d bytes, the SGEs have %d", what, verbs.AtomicLen, r.total()))
		c.refuses(from, whenInvalid)
	}
	if !r.AnyRemote {
		from := len(*c)
		c.Add(r.WR.RemoteAddr%verbs.AtomicLen == 0, fmt.Sprintf("remote_addr is a multiple of %d", verbs.AtomicLen),
			fmt.Sprintf("remote_addr 0x%x is not a multiple of %d", r.WR.RemoteAddr, verbs.AtomicLen))
		c.refuses(from, whenInvalid) // rxe's library checks it
	}
}

// qkeyOfQP is the bit that selects the sender's own Q_Key; IBA 10.2.5.
const qkeyOfQP = 1 << 31

// datagram checks what only datagrams need.
func (r *Request) datagram(c *Report, q, peer *core.QPView) {
	if r.AH != nil && r.AH.PD != "" {
		c.Add(r.AH.PD == q.PD, "", fmt.Sprintf("%s is in %s, %s in %s", r.AH.Name, r.AH.PD, q.Name, q.PD))
	}
	if qkey := r.WR.RemoteQKey; qkey&qkeyOfQP == 0 && peer != nil && peer.Attr.Mask&verbs.AttrQKey != 0 {
		c.Add(peer.Attr.QKey == qkey, "remote_qkey is the qkey of "+peer.Name,
			fmt.Sprintf("the qkey of %s is 0x%x, so it drops the datagram", peer.Name, peer.Attr.QKey))
	}
	port, ok := r.Snapshot.PortAttr(q.Device, q.Port)
	if mtu := port.ActiveMTU.Bytes(); ok && mtu > 0 && !r.AnyList {
		from := len(*c)
		c.Add(r.total() <= uint64(mtu), fmt.Sprintf("one packet: the port's MTU is %d", mtu),
			fmt.Sprintf("%d bytes: a datagram is one packet, and the port's MTU is %d", r.total(), mtu))
		c.refuses(from, whenInvalid)
	}
}
