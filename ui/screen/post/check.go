package post

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session"
	"rdmatui/verbs"
)

// answer says whether something that a request needs is there.
type answer uint8

const (
	no answer = iota
	unsure
	yes
)

// check is one thing that must be true for a request to work.
type check struct {
	answer answer
	text   string
}

// report collects checks.
type report []check

func (c *report) add(ok bool, good, bad string) {
	if ok {
		*c = append(*c, check{yes, good})
	} else {
		*c = append(*c, check{no, bad})
	}
}

func (c *report) unsure(text string) { *c = append(*c, check{unsure, text}) }

// checks tells what must be true for the request to work, what is not first. It
// knows this session only; the provider may still see it otherwise.
func (r *request) checks() []check {
	q := findQP(r.snap, r.qp)
	if q == nil {
		return nil
	}
	var c report
	if why := whyNot(r.snap, q, r.op); why != "" {
		c.add(false, "", why)
	}
	r.checkState(&c, q)
	if r.hasList() {
		r.checkPieces(&c, q)
	}
	r.checkPayload(&c)
	if r.op != recv {
		r.checkSend(&c, q)
	}
	slices.SortStableFunc(c, func(a, b check) int { return int(a.answer) - int(b.answer) })
	return c
}

// checkSend looks at what a request of the send queue needs.
func (r *request) checkSend(c *report, q *session.QPView) {
	t := r.traits()
	peer := findQP(r.snap, far(r.snap, q))
	if r.opcode() != verbs.WRLocalInv && !t.Bind {
		r.checkPeer(c, q, peer, t)
	}
	if t.Remote {
		r.checkRemote(c, q, peer)
	}
	if t.Invalid {
		r.checkInvalidate(c, q, peer)
	}
	if t.Bind {
		r.checkBind(c, q)
	}
	if q.Type == verbs.UD {
		r.checkDatagram(c, q, peer)
	}
	r.checkFlags(c, q)
}

func (r *request) checkState(c *report, q *session.QPView) {
	name := q.Name + " is " + q.State.String()
	ahead, with := r.chained(r.qp, r.op == recv), ""
	if ahead > 0 {
		with = fmt.Sprintf(", %d in the chain", ahead)
	}
	full := func(posted int, limit uint32, what, done, field string) {
		n := posted + ahead + int(max(min(r.times(), 1<<31), 1))
		if r.value("outstanding") != "" {
			n = posted + ahead + 1 // the rest waits
		}
		text := fmt.Sprintf("%d of %d %s %s %s%s", posted, limit, what, isOrAre(posted), done, with)
		c.add(n <= int(limit), text, fmt.Sprintf("no room: %s (%s)", text, field))
	}
	if srq := findSRQ(r.snap, q.SRQ); r.op == recv && srq != nil {
		if q.Name != srq.Name {
			c.add(true, q.Name+" takes its RECVs from "+srq.Name, "")
		}
		full(srq.RecvPosted, srq.MaxWR, "RECVs", "posted to "+srq.Name, "max_wr")
		return
	}
	if r.op == recv {
		c.add(q.State != verbs.QPReset && q.State != verbs.QPErr, name+": RECVs can be posted", name+": a RECV needs INIT or later; 2 goes to Bring-up")
		full(q.RecvPosted, q.Cap.MaxRecvWR, "RECVs", "posted", "max_recv_wr")
		return
	}
	c.add(q.State == verbs.QPRTS, name+": SENDs can be posted", name+": it must be RTS; 2 goes to Bring-up")
	full(q.SendOutstanding, q.Cap.MaxSendWR, "requests", "under way", "max_send_wr")
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// checkPieces looks at the list of SGEs.
func (r *request) checkPieces(c *report, q *session.QPView) {
	limit := q.Cap.MaxSendSGE
	if srq := findSRQ(r.snap, q.SRQ); r.op == recv && srq != nil {
		limit = srq.MaxSGE
	} else if r.op == recv {
		limit = q.Cap.MaxRecvSGE
	}
	if n := r.count(); n > 1 {
		c.add(n <= int(limit), fmt.Sprintf("%d SGEs of %d", n, limit), fmt.Sprintf("%d SGEs: the queue pair was made for %d", n, limit))
	}
	for _, name := range r.sgeNames() {
		text := r.value(name)
		if text == "" {
			continue
		}
		p := parsePiece(text)
		m := findMR(r.snap, p.region)
		why := unreadable(text)
		switch {
		case why != "":
			c.add(false, "", why)
			continue
		case m == nil:
			c.unsure(text + ": not a region of this session, or not readable")
			continue
		}
		c.add(inside(p.off, p.size(m.Length), m.Length), fmt.Sprintf("%s has bytes %d to %d", m.Name, p.off, p.end(m.Length)),
			fmt.Sprintf("%s ends at %d: %s is beyond", m.Name, m.Length, text))
		if m.PD != q.PD {
			c.add(false, "", fmt.Sprintf("%s is of domain %s, %s of %s", m.Name, m.PD, q.Name, q.PD))
		}
		if r.traits().Receives {
			c.add(m.Access&verbs.LocalWrite != 0, m.Name+" allows LOCAL_WRITE", m.Name+" must allow LOCAL_WRITE to receive")
		}
	}
}

// checkPeer looks at the far end, where it is here.
func (r *request) checkPeer(c *report, q, peer *session.QPView, t verbs.WROpcodeTraits) {
	if peer == nil {
		if t.NeedRecv {
			c.unsure("the far end is not here: it must have a RECV posted")
		}
		return
	}
	ready := peer.State == verbs.QPRTR || peer.State == verbs.QPRTS || peer.State == verbs.QPSQD
	c.add(ready, peer.Name+" is "+peer.State.String()+": it takes packets", peer.Name+" is "+peer.State.String()+": it drops packets")
	if t.NeedRecv {
		c.add(peer.RecvPosted > 0, fmt.Sprintf("%s has %d RECV posted", peer.Name, peer.RecvPosted),
			peer.Name+" has no RECV posted: R posts one")
		if need := r.received(q); peer.RecvPosted > 0 && !t.Remote {
			c.add(need <= peer.RecvRoom, fmt.Sprintf("the next RECV of %s has room for %d bytes", peer.Name, peer.RecvRoom),
				fmt.Sprintf("the next RECV of %s has room for %d bytes, the message has %d", peer.Name, peer.RecvRoom, need))
		}
	}
}

// received is the bytes that a RECV needs for the message.
func (r *request) received(q *session.QPView) uint64 {
	if q.Type == verbs.UD {
		return add(r.total(), verbs.GRHLen)
	}
	return r.total()
}

// rightFor is what the far end must grant for an opcode.
func (r *request) rightFor() verbs.Access {
	switch t := r.traits(); {
	case t.Flush:
		typ, _ := verbs.FlushTypes.Parse(r.value("type"))
		return typ.Access()
	case t.Atomic:
		return verbs.RemoteAtomic
	case t.Receives:
		return verbs.RemoteRead
	}
	return verbs.RemoteWrite
}

func (r *request) checkRemote(c *report, q, peer *session.QPView) {
	if r.value("remote_addr") == "" || r.value("rkey") == "" {
		c.add(false, "", "remote_addr and rkey are missing: the peer has to tell them")
		return
	}
	t, right := r.remote(), r.rightFor()
	switch {
	case t.window != nil:
		r.checkWindow(c, t, right)
	case t.byKey == nil && peer == nil:
		c.unsure("rkey and remote_addr are the far end's: not seen here")
	case t.byKey == nil:
		c.add(false, "", "no live region or window has this rkey")
	default:
		m := t.byKey
		c.add(m.Access&right == right, m.Name+" grants "+right.String(), m.Name+" does not grant "+right.String())
		c.add(t.byAddr == m && inside(t.off, r.reach(), m.Length), fmt.Sprintf("%d bytes at %d are inside %s", r.reach(), t.off, m.Name),
			fmt.Sprintf("%d bytes at remote_addr are not inside %s", r.reach(), m.Name))
	}
	if r.traits().Atomic || r.traits().Copied {
		r.checkAtomic(c, t)
	}
	if peer == nil {
		return
	}
	if a := &peer.Attr; a.Mask&verbs.AttrAccessFlags != 0 {
		c.add(a.QPAccessFlags&right == right, peer.Name+" allows "+right.String(), peer.Name+" has no "+right.String()+" in its qp_access_flags")
	}
	if a := &q.Attr; r.traits().Receives && a.Mask&verbs.AttrMaxQPRDAtomic != 0 {
		what := "READ"
		if r.traits().Atomic {
			what = "atomic"
		}
		c.add(a.MaxRDAtomic > 0, "max_rd_atomic lets "+what+"s out", q.Name+" has max_rd_atomic 0: no "+what)
	}
}

// checkWindow looks at what a window shows to the peer.
func (r *request) checkWindow(c *report, t remote, right verbs.Access) {
	w := t.window
	c.add(w.MR != "", w.Name+" shows a piece of "+w.MR, w.Name+" is bound to nothing")
	c.add(w.Access&right == right, w.Name+" grants "+right.String(), w.Name+" does not grant "+right.String())
	start := windowStart(w)
	// Below the start the difference wraps around, and is beyond any length.
	c.add(inside(t.addr-start, r.total(), w.Length), fmt.Sprintf("%d bytes at remote_addr are inside %s", r.total(), w.Name),
		fmt.Sprintf("%d bytes at remote_addr are not inside %s", r.total(), w.Name))
}

// checkInvalidate looks at the key that is to be made void.
func (r *request) checkInvalidate(c *report, q, peer *session.QPView) {
	owner := peer
	if r.opcode() == verbs.WRLocalInv {
		owner = q
	}
	key, name := r.value("invalidate_rkey"), ""
	name, _ = strings.CutSuffix(key, ".rkey")
	n, err := verbs.ParseUint(key, 32)
	for i := range r.snap.MWs {
		w := &r.snap.MWs[i]
		if w.Name != name && (err != nil || uint64(w.RKey) != n) {
			continue
		}
		c.add(w.Type == verbs.MWType2, w.Name+" is a window of TYPE_2", w.Name+" is a window of TYPE_1: only those of TYPE_2 can be invalidated")
		c.add(w.MR != "", w.Name+" is bound", w.Name+" is bound to nothing")
		if owner != nil && w.QP != "" {
			c.add(w.QP == owner.Name, w.Name+" belongs to "+w.QP, w.Name+" belongs to "+w.QP+", not to "+owner.Name)
		}
		return
	}
	text := "a region that reg_mr made cannot be invalidated: only a window of TYPE_2 can"
	if r.opcode() != verbs.WRLocalInv {
		text = "a region that reg_mr made cannot be invalidated: the peer's RECV is likely to fail"
	}
	c.unsure(text)
}

// checkBind looks at the window, and at what it is to show.
func (r *request) checkBind(c *report, q *session.QPView) {
	w, m := findMW(r.snap, r.value("mw")), findMR(r.snap, r.value("mr"))
	c.add(w != nil, r.value("mw")+" is a window", "there is no such window: alloc_mw w type=TYPE_2 makes one")
	c.add(m != nil, r.value("mr")+" is a region", "there is no region with MW_BIND: n registers one, t changes one")
	if w == nil || m == nil {
		return
	}
	c.add(w.Type == verbs.MWType2, w.Name+" is of TYPE_2", w.Name+" is of TYPE_1: bind_mw binds it")
	c.add(w.PD == q.PD && m.PD == q.PD, "window, region and queue pair are of "+q.PD, "window, region and queue pair are not of one domain")
	c.add(m.Access&verbs.MWBind != 0, m.Name+" has MW_BIND", m.Name+" has no MW_BIND: t changes its rights")
	if access, err := verbs.AccessFlags.Parse(r.value("mw_access_flags")); err == nil && access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 {
		c.add(m.Access&verbs.LocalWrite != 0, m.Name+" has LOCAL_WRITE", m.Name+" has no LOCAL_WRITE, which a window that can be written needs")
	}
}

// qkeyOfQP is the bit by which a datagram takes the sender's own Q_Key; IBA 10.2.5.
const qkeyOfQP = 1 << 31

// checkDatagram looks at what only datagrams have.
func (r *request) checkDatagram(c *report, q, peer *session.QPView) {
	c.add(r.value("ah") != "", r.value("ah")+" says where it goes", "ah is missing: create_ah makes one")
	c.add(r.value("remote_qpn") != "", "remote_qpn is given", "remote_qpn is missing: the peer has to tell it")
	qkey, err := verbs.ParseUint(r.value("remote_qkey"), 32)
	switch {
	case r.value("remote_qkey") == "":
		c.add(false, "", "remote_qkey is missing: it must be the peer's qkey")
	case err == nil && qkey < qkeyOfQP && peer != nil && peer.Attr.Mask&verbs.AttrQKey != 0:
		c.add(uint64(peer.Attr.QKey) == qkey, "remote_qkey is the qkey of "+peer.Name,
			fmt.Sprintf("the qkey of %s is 0x%x: it drops the datagram", peer.Name, peer.Attr.QKey))
	}
	if mtu := r.mtu(q); mtu > 0 {
		c.add(r.total() <= uint64(mtu), fmt.Sprintf("one packet: the port's MTU is %d", mtu),
			fmt.Sprintf("%d bytes: a datagram is one packet, and the port's MTU is %d", r.total(), mtu))
	}
}

// mtu is the active MTU of a queue pair's port in bytes, 0 where it is not known.
func (r *request) mtu(q *session.QPView) int {
	for i := range r.snap.Devices {
		d := &r.snap.Devices[i]
		if port, ok := d.PortAttr(q.Port); ok && d.Name == q.Device {
			return port.ActiveMTU.Bytes()
		}
	}
	return 0
}

// checkAtomic looks at what an atomic changes and fetches.
func (r *request) checkAtomic(c *report, t remote) {
	what := "an atomic fetches"
	if r.traits().Copied {
		what = r.op + " writes"
	}
	c.add(r.total() == verbs.AtomicLen, fmt.Sprintf("%s %d bytes", what, verbs.AtomicLen),
		fmt.Sprintf("%s %d bytes, the SGEs have %d", what, verbs.AtomicLen, r.total()))
	if t.byAddr != nil {
		c.add(t.off%verbs.AtomicLen == 0, fmt.Sprintf("%d divides remote_addr", verbs.AtomicLen),
			fmt.Sprintf("%d does not divide remote_addr", verbs.AtomicLen))
	}
}

func (r *request) checkFlags(c *report, q *session.QPView) {
	flags, err := verbs.SendFlagNames.Parse(r.value("send_flags"))
	if err != nil {
		c.add(false, "", err.Error())
		return
	}
	if flags&verbs.SendSignaled == 0 && !q.SQSigAll {
		c.unsure("not SIGNALED: no completion if it succeeds")
	}
	if flags&verbs.SendInline != 0 && r.traits().Receives {
		c.add(false, "", "INLINE is for data that is sent, and "+r.op+" receives")
	} else if flags&verbs.SendInline != 0 {
		c.add(r.total() <= uint64(q.Cap.MaxInlineData), "the data fits max_inline_data",
			fmt.Sprintf("INLINE: %d bytes, max_inline_data is %d", r.total(), q.Cap.MaxInlineData))
	}
}
