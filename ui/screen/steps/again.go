package steps

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/preflight"
	"rdmatui/verbs"
)

// Again resolves what made a request fail with a status, and posts it again. line is the command that posted it, with
// its references resolved. It is the zero Mend if nothing is wrong any more, and for a request of a command that is not
// known.
func Again(s *session.Snapshot, line string, status verbs.WCStatus) Mend {
	cmd, err := command.Parse(line)
	if err != nil {
		return Mend{}
	}
	a := again{s: s, cmd: cmd.Without("wr_id"), q: s.QP(cmd.String("qp"))}
	if a.q == nil {
		return Mend{}
	}
	a.peer, _ = s.LikelyPeer(a.q)
	switch cmd.Spec {
	case command.PostSend:
		return a.send(status)
	case command.PostRecv:
		return a.settled(a.request().Recv(a.q, s.SRQ(a.q.SRQ)))
	}
	return Mend{}
}

// again is a request that is to be posted again.
type again struct {
	s     *session.Snapshot
	cmd   command.Command
	q     *session.QPView
	peer  string
	lines []string // that make its requirements true, without those that connect
	does  []string
	anew  bool // both ends must be brought up from RESET
	begin bool // both ends must be connected
	recv  bool // the peer needs a RECV
}

// request reads the request. A piece of a region that is gone stays out of the list, and the check says so.
func (a *again) request() *preflight.Request {
	c := &a.cmd
	r := &preflight.Request{Snapshot: a.s, Times: max(1, c.Uint("count")), Peer: a.s.QP(a.peer),
		WR: verbs.SendWR{RemoteAddr: c.Uint("remote_addr"), RKey: uint32(c.Uint("rkey"))}}
	if c.Has("outstanding") {
		r.Times = 1
	}
	if c.Spec == command.PostSend {
		r.WR.Opcode, r.WR.SendFlags = c.Opcode("opcode"), c.SendFlags("send_flags")
		r.AnyRemote, r.AnyKey = !c.IsResolved("remote_addr") || !c.IsResolved("rkey"), true
	}
	for _, t := range c.SGEs("sge") {
		e := verbs.SGE{Addr: t.Addr, Length: t.Length, LKey: t.LKey}
		if m := a.s.MR(t.Object); m != nil {
			e.Addr = m.Addr + t.Offset
			if !t.HasLKey {
				e.LKey = m.LKey
			}
			if t.ToEnd {
				e.Length = uint32(m.Length - min(t.Offset, m.Length))
			}
		}
		r.WR.SGList = append(r.WR.SGList, e)
	}
	return r
}

// send resolves the findings of a send request.
func (a *again) send(status verbs.WCStatus) Mend {
	r := a.request()
	t := r.WR.Opcode.Traits()
	if t.Flush || t.Bind || t.Invalid { // what these need is not read here
		return a.settled(preflight.Report{})
	}
	if status == verbs.WCRetryExcErr {
		a.stopFaults()
	}
	if status == verbs.WCRNRRetryExcErr || status == verbs.WCRemInvReqErr || status == verbs.WCRemOpErr {
		a.recv = t.NeedRecv
	}
	return a.settled(r.Send(a.q))
}

// stopFaults ends the faults of the devices that carry the packets.
func (a *again) stopFaults() {
	for _, q := range Ends(a.s, a.q) {
		line := "fault " + Word(q.Device) + " off"
		if d := a.s.Device(q.Device); d != nil && d.Faults.Active() && !slices.Contains(a.lines, line) {
			a.add("stops the faults", line)
		}
	}
}

func (a *again) add(does string, lines ...string) {
	a.lines = append(a.lines, lines...)
	if !slices.Contains(a.does, does) {
		a.does = append(a.does, does)
	}
}

// settled makes the lines that resolve all findings, or says what none can resolve.
func (a *again) settled(report preflight.Report) Mend {
	report.Sort()
	for i := range report {
		f := &report[i]
		if f.Verdict != preflight.Missing {
			continue
		}
		if other := a.settle(f); other != "" {
			return Mend{Else: other}
		}
	}
	return a.mend()
}

// settle takes a finding into account; other says who must do what if no line resolves it.
func (a *again) settle(f *preflight.Finding) (other string) {
	switch {
	case f.Fix == preflight.FixState || f.Fix == preflight.FixPeerState || f.Fix == preflight.FixAgain:
		a.begin = true
		a.anew = a.anew || f.Fix == preflight.FixAgain
	case f.Fix == preflight.FixRecv || f.Fix == preflight.FixLargerRecv:
		a.recv = true
		a.begin = a.begin || f.Fix == preflight.FixLargerRecv
		a.anew = a.anew || f.Fix == preflight.FixLargerRecv
	case f.Fix == preflight.FixRoom: // the requests ahead have failed too, or their completions make room
	case f.Fix == preflight.FixAccess:
		m := grant(a.s, f)
		a.add("grants "+f.Rights.String(), m.Lines...)
		if mr := a.s.MR(f.Object); uint64(mr.RKey) == a.cmd.Uint("rkey") {
			a.cmd = a.cmd.With("rkey", mr.Name+".rkey") // the new rights come with a new key
		}
	case f.Fix == preflight.FixTarget:
		return a.retarget(f)
	case f.Fix == preflight.FixMemory:
		return a.useOwn(f)
	case f.Rights != 0 && a.s.QP(f.Object) != nil: // connecting grants them
		a.begin, a.anew = true, true
	default:
		return f.Text + ": change the request on Post (3)"
	}
	return ""
}

// retarget names a region of the peer that has the bytes and the right, if there is one.
func (a *again) retarget(f *preflight.Finding) (other string) {
	r := a.request()
	right := r.WR.RemoteRight()
	n := length(r)
	if peer := a.s.QP(a.peer); peer != nil {
		for i := range a.s.MRs {
			if m := &a.s.MRs[i]; m.PD == peer.PD && m.Access&right == right && n <= m.Length {
				a.target(m.Name)
				return ""
			}
		}
	} else if p := a.s.Peer(a.peer); p != nil {
		for i := range p.Regions {
			if m := &p.Regions[i]; (m.Access == 0 || m.Access&right == right) && (m.Length == 0 || n <= m.Length) {
				a.target(p.Name + "." + m.Name)
				return ""
			}
		}
	}
	return f.Text + ": no known region of the peer has these bytes and the right"
}

func (a *again) target(region string) {
	a.cmd = a.cmd.With("remote_addr", region+".addr").With("rkey", region+".rkey")
	a.does = append(a.does, "names "+region)
}

// useOwn names a region of the queue pair's domain that has the bytes, if there is one.
func (a *again) useOwn(f *preflight.Finding) (other string) {
	n := length(a.request())
	m := regionFor(a.s, a.q.PD, n, f.Rights, nil)
	if m == nil {
		return f.Text + ": no region of its domain has these bytes"
	}
	a.cmd = a.cmd.With("sge", fmt.Sprintf("%s:0:%d", m.Name, n))
	a.does = append(a.does, "names "+m.Name)
	return ""
}

// length returns the bytes of a request's message.
func length(r *preflight.Request) (n uint64) {
	for i := range r.WR.SGList {
		n += uint64(r.WR.SGList[i].Length)
	}
	return n
}

// regionFor returns a region of a domain with at least n bytes and the rights, one that is not among avoid if there is
// one; nil for none.
func regionFor(s *session.Snapshot, pd string, n uint64, rights verbs.Access, avoid []string) (found *session.MRView) {
	for i := range s.MRs {
		m := &s.MRs[i]
		if m.PD == pd && m.Length >= n && m.Access&rights == rights &&
			(found == nil || slices.Contains(avoid, found.Name)) {
			found = m
		}
	}
	return found
}

// mend puts the lines together: rights first, then the connection, the RECV, and the request.
func (a *again) mend() Mend {
	if a.begin {
		m := Connection(a.s, a.q, a.anew)
		if len(m.Lines) == 0 {
			return m
		}
		last := len(m.Lines) - 1
		m.Lines[last] += a.flags()
		a.add(m.Does, m.Lines...)
	}
	if peer := a.s.QP(a.peer); a.recv || a.begin && a.cmd.Spec == command.PostSend {
		if a.cmd.Opcode("opcode").Traits().NeedRecv && peer != nil {
			a.add("posts a RECV", recvAt(a.s, peer, length(a.request()), a.sources())...)
		}
	}
	if len(a.does) == 0 {
		return Mend{}
	}
	return Mend{Lines: append(a.lines, a.cmd.Full()), Does: strings.Join(append(a.does, "posts it again"), ", ")}
}

// usualFlags are the qp_access_flags that connect_qps gives.
const usualFlags = verbs.RemoteWrite | verbs.RemoteRead

// flags returns the argument of connect_qps that grants the right that the request needs, "" if it is granted anyway.
func (a *again) flags() string {
	if right := a.request().WR.RemoteRight(); a.cmd.Spec == command.PostSend && right&^usualFlags != 0 {
		return fmt.Sprintf(" qp_access_flags=%s", usualFlags|right)
	}
	return ""
}

// sources lists the regions that the request names.
func (a *again) sources() (names []string) {
	for _, t := range a.cmd.SGEs("sge") {
		names = append(names, t.Object)
	}
	return names
}

// recvAt returns the lines that post a RECV of at least n bytes at a queue pair, not in the regions to avoid if
// there is another one.
func recvAt(s *session.Snapshot, q *session.QPView, n uint64, avoid []string) (lines []string) {
	if q.Type == verbs.UD {
		n += verbs.GRHLen
	}
	name, size := FreeName(s, "recv"), max(n, 4096)
	if m := regionFor(s, q.PD, n, verbs.LocalWrite, avoid); m != nil {
		name, size = m.Name, m.Length
	} else {
		lines = append(lines, fmt.Sprintf("reg_mr %s pd=%s length=%d access=LOCAL_WRITE", name, Word(q.PD), size))
	}
	post := "post_recv " + Word(q.Name)
	if q.SRQ != "" {
		post = "post_srq_recv " + Word(q.SRQ)
	}
	return append(lines, fmt.Sprintf("%s sge=%s:0:%d", post, Word(name), size))
}

// Unstall resolves what the first send request that waits is known to wait for; wait says what that is, "" if none
// waits.
func Unstall(s *session.Snapshot) (wait string, m Mend) {
	for i := range s.QPs {
		if wait, m = UnstallQP(s, &s.QPs[i]); wait != "" {
			return wait, m
		}
	}
	return "", m
}

// UnstallQP is [Unstall] for the first send request of one queue pair.
func UnstallQP(s *session.Snapshot, q *session.QPView) (wait string, m Mend) {
	st, ok := preflight.Stalled(s, q)
	if !ok {
		return "", m
	}
	wait = fmt.Sprintf("wr %d of %s waits: %s", st.WRID, q.Name, st.Why)
	peer := s.Receiver(q)
	switch {
	case st.Fix == preflight.FixRecv && peer != nil:
		m = Mend{Lines: recvFor(s, q, peer), Does: "posts a RECV"}
	case st.Fix != preflight.NoFix:
		m, _ = MendFinding(s, q, &preflight.Finding{Fix: st.Fix})
	case peer == nil && q.Flight().Tries.RNRNAKs > 0:
		m.Else = "the peer must post a RECV"
	case q.Flight().Tries != (verbs.Tries{}):
		if m = unlost(s, q); !m.Can() && peer == nil {
			m.Else = "the peer must be up and connected to " + q.Name
		}
	}
	return wait, m
}

// recvFor returns the lines that post a RECV at the peer for the oldest request of a queue pair: large enough, and if
// there is another region not in one that requests still use.
func recvFor(s *session.Snapshot, q, peer *session.QPView) []string {
	n := uint64(0)
	if w := q.Waiting()[0]; !w.Opcode.Traits().Remote {
		for i := range w.List {
			n += uint64(w.List[i].Length)
		}
	}
	var used []string
	for i := range s.MRs {
		m := &s.MRs[i]
		if _, ok := preflight.InUse(s, m, 0, m.Length); ok {
			used = append(used, m.Name)
		}
	}
	return recvAt(s, peer, n, used)
}

// unlost stops the faults that delay the requests of a queue pair.
func unlost(s *session.Snapshot, q *session.QPView) (m Mend) {
	a := again{s: s, q: q}
	if a.stopFaults(); len(a.lines) > 0 {
		m = Mend{Lines: a.lines, Does: strings.Join(a.does, ", ")}
	}
	return m
}
