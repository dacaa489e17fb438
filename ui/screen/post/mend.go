package post

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// mend is the action of the key Fix for a finding.
type mend struct {
	hint string
	do   func(*Screen, *preflight.Finding) tea.Cmd
	// cannot says who must do what, if the key cannot resolve the finding; "" if it can. nil: it always can.
	cannot func(*request, *preflight.Finding) string
}

// mends resolve findings. One without do is for the user or the peer.
var mends = map[preflight.Fix]mend{
	preflight.FixState:      {"f connects it", anyway(connect), unconnectable},
	preflight.FixPeerState:  {"f connects it", anyway(connect), unconnectable},
	preflight.FixAgain:      {"f connects it anew", anyway(connectAnew), unconnectable},
	preflight.FixRecv:       {"f posts one", anyway((*Screen).postRecvAtPeer), nil},
	preflight.FixAccess:     {"f grants it", grant, nil},
	preflight.FixFlags:      {"f grants it", grantPeer, nil},
	preflight.FixRegion:     {"f registers one", anyway(registerOne), nil},
	preflight.FixTarget:     {"f names the peer's region", anyway(retarget), noTarget},
	preflight.FixMemory:     {"f names a region of its domain", anyway(useOwn), noMemory},
	preflight.FixRoom:       {cannot: tell("a completion makes room")},
	preflight.FixLargerRecv: {cannot: tell("shorten it, or reset the peer and post a larger RECV")},
}

// anyway is do for whatever finding.
func anyway(do func(*Screen) tea.Cmd) func(*Screen, *preflight.Finding) tea.Cmd {
	return func(s *Screen, _ *preflight.Finding) tea.Cmd { return do(s) }
}

func tell(text string) func(*request, *preflight.Finding) string {
	return func(*request, *preflight.Finding) string { return text }
}

// advice says what resolves a finding: what the key does if it can, else who must do what; "" if neither is known.
func advice(s *Screen, f *preflight.Finding) (text string, can bool) {
	m, known := mends[f.Fix]
	if f.Verdict != preflight.Missing || !known {
		return "", false
	}
	if m.cannot != nil {
		if text = m.cannot(&s.req, f); text != "" {
			return text, false
		}
	}
	return m.hint, true
}

// advised returns the texts of all checks, with what the key Fix does behind the first that
// it can resolve, and who must do what behind those that it cannot.
func advised(s *Screen) []string {
	if s.advised != nil {
		return s.advised
	}
	s.fixable = -1
	for n := range s.checks {
		text := s.checks[n].Text
		what, can := advice(s, &s.checks[n])
		if can && s.fixable < 0 {
			s.fixable = n
		}
		if what != "" && (!can || n == s.fixable) {
			text += "; " + what
		}
		s.advised = append(s.advised, text)
	}
	return s.advised
}

// mendable returns the first finding that the key Fix can resolve, -1 for none.
func mendable(s *Screen) int {
	advised(s)
	return s.fixable
}

// fix resolves the first finding that can be resolved here.
func fix(s *Screen) tea.Cmd {
	at := mendable(s)
	if at < 0 {
		return page.Flash("nothing to fix here")
	}
	return mends[s.checks[at].Fix].do(s, &s.checks[at])
}

// ends returns the queue pair of the request, and its peer if that is in the session.
func (r *request) ends() []*session.QPView {
	q := r.queue()
	if q == nil {
		return nil
	}
	if other := queueOf(r.snap, far(r.snap, q)); other != nil {
		return []*session.QPView{q, other}
	}
	return []*session.QPView{q}
}

// unconnectable says why connect cannot bring the queue pair to RTS, "" if it can.
func unconnectable(r *request, f *preflight.Finding) string {
	ends := r.ends()
	if len(ends) == 0 {
		return "no queue pair yet"
	}
	for _, e := range ends {
		if slices.ContainsFunc(r.snap.IDs, func(id session.IDView) bool { return id.QP == e.Name }) {
			return "rdma_cm manages it: connect both ends anew on Connections (5)"
		}
	}
	q, peer := ends[0], far(r.snap, ends[0])
	switch {
	case q.State == verbs.QPSQD:
		return ""
	case peer == "":
		return "no peer is known: enter its address with " + keymap.Bringup.Peer.Help().Key + " on Bring-up (2)"
	case len(ends) == 1 && (outOfStep(q, q) || f.Fix == preflight.FixAgain):
		return "the peer must reset its end too: connect both anew on Bring-up (2)"
	}
	return ""
}

// connect brings the queue pair and its peer to RTS: from their states, or from RESET if one has failed or is out of
// step.
func connect(s *Screen) tea.Cmd { return bringUp(s, false) }

// connectAnew brings both from RESET to RTS.
func connectAnew(s *Screen) tea.Cmd { return bringUp(s, true) }

func bringUp(s *Screen, anew bool) tea.Cmd {
	ends := s.req.ends()
	if len(ends) == 0 {
		return page.Warn("no queue pair yet")
	}
	q := ends[0]
	if q.State == verbs.QPSQD {
		return s.runner.Start("modify_qp " + steps.Word(q.Name) + " RTS")
	}
	var lines []string
	for _, e := range ends {
		if e.State != verbs.QPReset && (anew || slices.ContainsFunc(ends, func(o *session.QPView) bool {
			return outOfStep(e, o)
		})) {
			lines = append(lines, "modify_qp "+steps.Word(e.Name)+" RESET")
		}
	}
	return s.runner.Start(append(lines, "connect_qps "+steps.Word(q.Name)+" "+steps.Word(far(&s.snap, q)))...)
}

// outOfStep reports whether a queue pair must start again because of one end: that has failed, or only one of them is
// connected.
func outOfStep(q, end *session.QPView) bool {
	failed := func(q *session.QPView) bool { return q.State == verbs.QPErr || q.State == verbs.QPSQE }
	begun := func(q *session.QPView) bool { return q.State >= verbs.QPRTR }
	return failed(q) || failed(end) || begun(q) != begun(end)
}

// grant gives a region the access rights that it lacks.
func grant(s *Screen, f *preflight.Finding) tea.Cmd {
	m := s.snap.MR(f.Object)
	if m == nil {
		return page.Flash("nothing to fix here")
	}
	access := m.Access | f.Rights
	if access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 {
		access |= verbs.LocalWrite // a region needs it for these
	}
	return s.runner.Start(fmt.Sprintf("rereg_mr %s access=%s", steps.Word(m.Name), access))
}

// grantPeer gives the peer's queue pair the access rights that it lacks.
func grantPeer(s *Screen, f *preflight.Finding) tea.Cmd {
	q := s.snap.QP(f.Object)
	if q == nil {
		return page.Flash("nothing to fix here")
	}
	return s.runner.Start(fmt.Sprintf("modify_qp %s %s qp_access_flags=%s", steps.Word(q.Name), q.State,
		q.Attr.QPAccessFlags|f.Rights))
}

// registerOne registers a region for the request.
func registerOne(s *Screen) tea.Cmd {
	q := s.req.queue()
	if q == nil {
		return page.Warn("no queue pair yet")
	}
	return s.runner.Start("reg_mr " + steps.FreeName(&s.snap, "src") + " pd=" + steps.Word(q.PD) +
		" length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ")
}

// forget returns the names of the fields whose usual values resolve a finding.
func (r *request) forget(fix preflight.Fix) []string {
	if fix == preflight.FixTarget {
		return []string{"remote_addr", "rkey"}
	}
	return r.sgeNames()
}

// usual is the request with the usual values of some fields.
func (r *request) usual(names []string) request {
	u := *r
	u.typed, u.pieces = maps.Clone(r.typed), maps.Clone(r.pieces)
	for _, name := range names {
		delete(u.typed, slot{r.qp, r.op, name})
	}
	if slices.Contains(names, "sge") {
		delete(u.pieces, slot{r.qp, r.op, "sge"})
	}
	return u
}

// stays reports whether a finding is there with the usual values of its fields too.
func (r *request) stays(f *preflight.Finding) bool {
	u := r.usual(r.forget(f.Fix))
	return slices.ContainsFunc(u.checks(), func(o preflight.Finding) bool {
		return o.Verdict == f.Verdict && o.Fix == f.Fix
	})
}

func noTarget(r *request, f *preflight.Finding) string {
	if r.stays(f) {
		return "no known region of the peer has these bytes"
	}
	return ""
}

func noMemory(r *request, f *preflight.Finding) string {
	if r.stays(f) {
		return "no region of its domain has these bytes: n registers one"
	}
	return ""
}

// retarget names the peer's region.
func retarget(s *Screen) tea.Cmd { return takeUsual(s, preflight.FixTarget) }

// useOwn names a region of the queue pair's domain.
func useOwn(s *Screen) tea.Cmd { return takeUsual(s, preflight.FixMemory) }

// takeUsual sets the fields of a finding to their usual values, and tells them.
func takeUsual(s *Screen, fix preflight.Fix) tea.Cmd {
	names := s.req.forget(fix)
	s.req = s.req.usual(names)
	s.refill()
	var set []string
	for _, name := range names {
		if v := s.req.value(name); v != "" {
			set = append(set, name+" "+v)
		}
	}
	return page.Flash("set " + strings.Join(set, ", "))
}
