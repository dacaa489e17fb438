package post

import (
	"fmt"
	"slices"

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
	r.checkState(&c, q)
	r.checkPieces(&c, q)
	if t := r.traits(); r.op != recv {
		peer := findQP(r.snap, far(r.snap, q))
		r.checkPeer(&c, q, peer, t)
		if t.Remote {
			r.checkRemote(&c, q, peer)
		}
		if t.Invalid {
			c.unsure("a region that reg_mr made cannot be invalidated: the peer's RECV is likely to fail")
		}
		r.checkFlags(&c, q)
	}
	slices.SortStableFunc(c, func(a, b check) int { return int(a.answer) - int(b.answer) })
	return c
}

func (r *request) checkState(c *report, q *session.QPView) {
	name := q.Name + " is " + q.State.String()
	if srq := findSRQ(r.snap, q.SRQ); r.op == recv && srq != nil {
		c.add(srq.RecvPosted < int(srq.MaxWR), fmt.Sprintf("%s takes from %s: %d of %d RECVs are posted there", q.Name, srq.Name, srq.RecvPosted, srq.MaxWR),
			fmt.Sprintf("%s is full: max_wr is %d", srq.Name, srq.MaxWR))
		return
	}
	if r.op == recv {
		c.add(q.State != verbs.QPReset && q.State != verbs.QPErr, name+": RECVs can be posted", name+": a RECV needs INIT or later; 2 goes to Bring-up")
		c.add(q.RecvPosted < int(q.Cap.MaxRecvWR), fmt.Sprintf("%d of %d RECVs are posted", q.RecvPosted, q.Cap.MaxRecvWR),
			fmt.Sprintf("the receive queue is full: max_recv_wr is %d", q.Cap.MaxRecvWR))
		return
	}
	c.add(q.State == verbs.QPRTS, name+": SENDs can be posted", name+": it must be RTS; 2 goes to Bring-up")
	c.add(q.SendOutstanding < int(q.Cap.MaxSendWR), fmt.Sprintf("%d of %d requests are under way", q.SendOutstanding, q.Cap.MaxSendWR),
		fmt.Sprintf("the send queue is full: max_send_wr is %d", q.Cap.MaxSendWR))
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
		if m == nil {
			c.unsure(text + ": not a region of this session, or not readable")
			continue
		}
		c.add(p.end(m.Length) <= m.Length, fmt.Sprintf("%s has bytes %d to %d", m.Name, p.off, p.end(m.Length)),
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
	}
}

// rightFor is what the far end must grant for an opcode.
func (r *request) rightFor() verbs.Access {
	switch t := r.traits(); {
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
	case t.byKey == nil && peer == nil:
		c.unsure("rkey and remote_addr are the far end's: not seen here")
	case t.byKey == nil:
		c.add(false, "", "no live region has this rkey")
	default:
		m := t.byKey
		c.add(m.Access&right != 0, m.Name+" grants "+right.String(), m.Name+" does not grant "+right.String())
		c.add(t.byAddr == m && t.off+r.total() <= m.Length, fmt.Sprintf("%d bytes at %d are inside %s", r.total(), t.off, m.Name),
			fmt.Sprintf("%d bytes at remote_addr are not inside %s", r.total(), m.Name))
	}
	if r.traits().Atomic {
		r.checkAtomic(c, t)
	}
	if peer == nil {
		return
	}
	if a := &peer.Attr; a.Mask&verbs.AttrAccessFlags != 0 {
		c.add(a.QPAccessFlags&right != 0, peer.Name+" allows "+right.String(), peer.Name+" has no "+right.String()+" in its qp_access_flags")
	}
	if a := &q.Attr; r.traits().Receives && a.Mask&verbs.AttrMaxQPRDAtomic != 0 {
		what := "READ"
		if r.traits().Atomic {
			what = "atomic"
		}
		c.add(a.MaxRDAtomic > 0, "max_rd_atomic lets "+what+"s out", q.Name+" has max_rd_atomic 0: no "+what)
	}
}

// checkAtomic looks at what an atomic changes and fetches.
func (r *request) checkAtomic(c *report, t remote) {
	c.add(r.total() == atomicLength, fmt.Sprintf("an atomic fetches %d bytes", atomicLength),
		fmt.Sprintf("an atomic fetches %d bytes, the SGEs have %d", atomicLength, r.total()))
	if t.byAddr != nil {
		c.add(t.off%atomicLength == 0, fmt.Sprintf("%d divides remote_addr", atomicLength),
			fmt.Sprintf("%d does not divide remote_addr", atomicLength))
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
	if flags&verbs.SendInline != 0 {
		c.add(r.total() <= uint64(q.Cap.MaxInlineData), "the data fits max_inline_data",
			fmt.Sprintf("INLINE: %d bytes, max_inline_data is %d", r.total(), q.Cap.MaxInlineData))
	}
	if q.Type == verbs.UC && r.traits().Receives || q.Type == verbs.UD && r.traits().Remote {
		c.add(false, "", r.op+" is not for "+q.Type.String()+" queue pairs")
	}
}
