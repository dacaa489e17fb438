package post

import (
	"math"
	"strings"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/verbs"
)

// checks says what must be true for the request to work, what is not first: what
// the form lacks, and what the session has against the request.
func (r *request) checks() preflight.Report {
	q := findQP(r.snap, r.qp)
	if q == nil {
		return nil
	}
	var c preflight.Report
	req := preflight.Request{Snapshot: r.snap, Times: r.times(), Ahead: r.chained(r.qp, r.op == recv), Peer: findQP(r.snap, far(r.snap, q))}
	if r.value("outstanding") != "" {
		req.Times = 1 // the rest waits
	}
	if r.hasList() {
		r.fillList(&c, &req)
	}
	r.checkPayload(&c)
	srq := findSRQ(r.snap, q.SRQ)
	switch {
	case r.op == recv:
		if srq != nil && q.Name != srq.Name {
			c.Add(true, q.Name+" takes its RECVs from "+srq.Name, "")
		}
		c = append(c, req.Recv(q, srq)...)
	case srq != nil && q.Name == srq.Name:
		c.Missing("%s", whyNot(r.snap, q, r.op))
	default:
		r.fill(&c, &req, q)
		c = append(c, req.Send(q)...)
	}
	c.Sort()
	return c
}

// fillList reads the SGEs. What names no region of this session is left out.
func (r *request) fillList(c *preflight.Report, req *preflight.Request) {
	for _, name := range r.sgeNames() {
		text := r.value(name)
		if text == "" {
			continue
		}
		p := parsePiece(text)
		m, why := findMR(r.snap, p.region), unreadable(text)
		switch n := uint64(0); {
		case why != "":
			c.Missing("%s", why)
			req.AnyList = true
		case m == nil:
			c.Unsure("%s: not a region of this session, or not readable", text)
			req.AnyList = true
		default:
			n = min(p.size(m.Length), math.MaxUint32)
			req.WR.SGList = append(req.WR.SGList, verbs.SGE{Addr: m.Addr + p.off, Length: uint32(n), LKey: m.LKey})
		}
	}
}

// fill reads the fields of a request for the send queue.
func (r *request) fill(c *preflight.Report, req *preflight.Request, q *session.QPView) {
	wr, t := &req.WR, r.traits()
	wr.Opcode = r.opcode()
	flags, err := verbs.SendFlagNames.Parse(r.value("send_flags"))
	if wr.SendFlags = flags; err != nil {
		c.Missing("%v", err)
		wr.SendFlags = verbs.SendSignaled
	}
	if t.Remote {
		r.fillRemote(c, req)
	}
	if t.Flush {
		wr.Flush.Type, _ = verbs.FlushTypes.Parse(r.value("type"))
		wr.Flush.Level, _ = verbs.FlushLevels.Parse(r.value("level"))
		wr.Flush.Length = uint32(r.reach())
	}
	if t.Invalid {
		w := windowByKey(r.snap, r.value("invalidate_rkey"))
		if req.AnyKey = w == nil; w != nil {
			wr.InvalidateKey = w.RKey
		} else {
			c.Unsure("invalidate_rkey is of no window of this session: only a window of TYPE_2 can be invalidated")
		}
	}
	if t.Bind {
		req.Bind = r.binding()
	}
	if q.Type == verbs.UD {
		r.fillDatagram(c, req)
	}
}

func (r *request) fillRemote(c *preflight.Report, req *preflight.Request) {
	t := r.remote()
	req.WR.RemoteAddr = t.addr
	switch {
	case r.value("remote_addr") == "" || r.value("rkey") == "":
		c.Missing("remote_addr and rkey are missing: the peer has to tell them")
		req.AnyRemote = true
	case t.window != nil:
		req.WR.RKey = t.window.RKey
	case t.byKey != nil:
		req.WR.RKey = t.byKey.RKey
	default:
		n, err := verbs.ParseUint(r.value("rkey"), 64)
		req.WR.RKey, req.AnyRemote = uint32(n), err != nil || n > math.MaxUint32
		c.Add(n <= math.MaxUint32, "", "rkey has 32 bits: "+r.value("rkey")+" is of no region or window")
	}
}

// binding is what BIND_MW is to make a window show.
func (r *request) binding() *preflight.Binding {
	b := &preflight.Binding{Window: r.value("mw"), Region: r.value("mr")}
	b.Access, _ = verbs.AccessFlags.Parse(r.value("mw_access_flags"))
	if m := findMR(r.snap, b.Region); m != nil {
		b.First, b.Length = m.Addr, m.Length
	}
	return b
}

// fillDatagram reads what only datagrams have.
func (r *request) fillDatagram(c *preflight.Report, req *preflight.Request) {
	c.Add(r.value("ah") != "", r.value("ah")+" says where it goes", "ah is missing: create_ah makes one")
	c.Add(r.value("remote_qpn") != "", "remote_qpn is given", "remote_qpn is missing: the peer has to tell it")
	qkey, err := verbs.ParseUint(r.value("remote_qkey"), 32)
	c.Add(r.value("remote_qkey") != "", "", "remote_qkey is missing: it must be the peer's qkey")
	if req.WR.RemoteQKey = uint32(qkey); err != nil && req.Peer != nil {
		req.WR.RemoteQKey = req.Peer.Attr.QKey // a reference, which the session reads
	}
}

// windowByKey is the window that a key, or a reference such as w.rkey, is of.
func windowByKey(s *session.Snapshot, key string) *session.MWView {
	if name, ok := strings.CutSuffix(key, ".rkey"); ok {
		return findMW(s, name)
	}
	n, err := verbs.ParseUint(key, 32)
	for i := range s.MWs {
		if w := &s.MWs[i]; err == nil && uint64(w.RKey) == n {
			return w
		}
	}
	return nil
}
