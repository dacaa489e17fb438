package post

import (
	"fmt"
	"math"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/preflight"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// checks lists what must be true for the request to work, problems first: what is
// missing in the form, and what the session rejects.
func (r *request) checks() preflight.Report {
	q := r.queue()
	if q == nil {
		return nil
	}
	var c preflight.Report
	req := preflight.Request{
		Snapshot: r.snap, Times: r.times(), Ahead: r.chained(r.qp, r.op == recv), Peer: queueOf(r.snap, far(r.snap, q)),
	}
	if r.value("outstanding") != "" {
		req.Times = 1 // later ones wait
	}
	if r.traits().HasList() {
		r.fillList(&c, &req)
	}
	for _, text := range r.wrongs() {
		c.Missing("%s", text)
	}
	r.checkPayload(&c)
	r.checkRegion(&c)
	srq := r.snap.SRQ(q.SRQ)
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
		r.checkInUse(&c)
	}
	c.Sort()
	return c
}

// wrongs says what is wrong with the fields whose text cannot be read.
func (r *request) wrongs() (out []string) {
	for _, fd := range r.fields() {
		if text := wrong(&fd); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func wrong(fd *widget.Field) string {
	if fd.Read == nil || fd.Value == "" {
		return ""
	}
	if _, err := fd.Read(fd.Value); err != nil {
		return err.Error()
	}
	return ""
}

// reads reports whether a field's text can be read.
func (r *request) reads(name string) bool {
	arg := command.PostSend.Arg(strings.Fields(name)[0]) // "sge 2"
	if _, err := arg.Read(r.value(name)); err != nil {
		return false
	}
	return true
}

// nowhere says that the payload has no memory to be in, "" if it has.
func (r *request) nowhere() string {
	if !r.sends() || r.value(payload) == "" || r.sgeList() != "" {
		return ""
	}
	if r.own(r.qp) == nil {
		return "no memory region for the payload"
	}
	return "sge is empty: the payload has no memory region"
}

// checkRegion checks that there is memory for the data.
func (r *request) checkRegion(c *preflight.Report) {
	if why := r.nowhere(); why != "" {
		*c = append(*c, preflight.Finding{Verdict: preflight.Missing, Text: why, Fix: preflight.FixRegion})
		return
	}
	if r.traits().HasList() && !r.sends() && r.own(r.qp) == nil && r.sgeList() == "" {
		*c = append(*c, preflight.Finding{
			Verdict: preflight.Missing, Text: "no memory region to receive in", Fix: preflight.FixRegion,
		})
	}
}

// checkInUse checks whether a request under way still uses the bytes that the payload overwrites.
func (r *request) checkInUse(c *preflight.Report) {
	p := parsePiece(r.value("sge"))
	if m := r.snap.MR(p.region); m != nil && r.writeLine() != "" {
		if text, ok := preflight.InUse(r.snap, m, p.off, r.payloadLength()); ok {
			c.Missing("%s: the payload overwrites them", text)
		}
	}
}

// fillList reads the SGEs. It omits those that name no region of this session.
func (r *request) fillList(c *preflight.Report, req *preflight.Request) {
	for _, name := range r.sgeNames() {
		text := r.value(name)
		if text == "" {
			continue
		}
		p := parsePiece(text)
		m := r.snap.MR(p.region)
		switch n := uint64(0); {
		case !r.reads(name):
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
		wr.SendFlags = verbs.SendSignaled
	}
	if t.Remote {
		r.fillRemote(c, req)
	}
	if t.Flush {
		wr.Flush.Type, _ = verbs.FlushTypes.Parse(r.value("type"))
		wr.Flush.Level, _ = verbs.FlushLevels.Parse(r.value("level"))
		wr.Flush.Length = uint32(min(r.reach(), math.MaxUint32))
		req.AnyList = !r.knowsReach(c)
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
		req.Bind = r.binding(c)
	}
	if q.Type == verbs.UD {
		r.fillDatagram(c, req)
	}
}

func (r *request) fillRemote(c *preflight.Report, req *preflight.Request) {
	if r.value("remote_addr") == "" || r.value("rkey") == "" {
		c.Missing("remote_addr and rkey are missing: get them from the peer")
		req.AnyRemote = true
		return
	}
	addr, key := r.knows(c, "remote_addr"), r.knows(c, "rkey")
	req.WR.RemoteAddr, _ = known(r.snap, r.value("remote_addr"))
	n, _ := known(r.snap, r.value("rkey"))
	req.WR.RKey, req.AnyRemote = uint32(n), !addr || !key || n > math.MaxUint32
}

// knows reports whether the value of a field is known, and adds a finding if not.
func (r *request) knows(c *preflight.Report, name string) bool {
	_, ok := known(r.snap, r.value(name))
	if !ok && r.reads(name) {
		c.Unsure("%s %s: not a value of a region or window of this session", name, r.value(name))
	}
	return ok
}

// knowsReach reports whether the length of a FLUSH is known.
func (r *request) knowsReach(c *preflight.Report) bool {
	switch {
	case r.value("level") == verbs.FlushMR.String():
		return true
	case r.value("length") == "":
		c.Missing("length is missing: how many bytes from remote_addr on, or level=MR")
		return false
	}
	c.Add(r.reach() <= math.MaxUint32 || !r.reads("length"), "",
		fmt.Sprintf("a FLUSH has at most %d bytes", uint32(math.MaxUint32)))
	return r.knows(c, "length")
}

// binding returns the binding that BIND_MW requests.
func (r *request) binding(c *preflight.Report) *preflight.Binding {
	b := &preflight.Binding{Window: r.value("mw"), Region: r.value("mr")}
	b.Access, _ = verbs.AccessFlags.Parse(r.value("mw_access_flags"))
	m := r.snap.MR(b.Region)
	if m == nil {
		return b
	}
	b.First = m.Addr
	if r.value("addr") != "" {
		b.First, _ = known(r.snap, r.value("addr"))
		b.AnyRange = !r.knows(c, "addr")
	}
	b.Length = m.Length - min(b.First-m.Addr, m.Length)
	if r.value("length") != "" {
		b.Length, _ = known(r.snap, r.value("length"))
		b.AnyRange = !r.knows(c, "length") || b.AnyRange
	}
	return b
}

// fillDatagram reads the fields that only datagrams have.
func (r *request) fillDatagram(c *preflight.Report, req *preflight.Request) {
	c.Add(r.value("ah") != "", r.value("ah")+" addresses the peer", "ah is missing: create_ah makes one")
	c.Add(r.value("remote_qpn") != "", "remote_qpn is given", "remote_qpn is missing: get it from the peer")
	qkey, err := verbs.ParseUint(r.value("remote_qkey"), 32)
	c.Add(r.value("remote_qkey") != "", "", "remote_qkey is missing: set it to the peer's qkey")
	if req.WR.RemoteQKey = uint32(qkey); err != nil && req.Peer != nil {
		req.WR.RemoteQKey = req.Peer.Attr.QKey // a reference, resolved by the session
	}
}

// windowByKey returns the window of a key, or of a reference such as w.rkey.
func windowByKey(s *session.Snapshot, key string) *session.MWView {
	if name, ok := strings.CutSuffix(key, ".rkey"); ok {
		return s.MW(name)
	}
	n, err := verbs.ParseUint(key, 32)
	for i := range s.MWs {
		if w := &s.MWs[i]; err == nil && uint64(w.RKey) == n {
			return w
		}
	}
	return nil
}
