package post

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// mend is the action of the key Fix for a finding.
type mend struct {
	hint string
	do   func(*Screen) tea.Cmd
}

var mends = map[preflight.Fix]mend{
	preflight.FixState:     {"f connects it", connect},
	preflight.FixPeerState: {"f connects it", connect},
	preflight.FixRecv:      {"f posts one", (*Screen).postRecvAtPeer},
	preflight.FixAccess:    {"f change its access", grant},
	preflight.FixRegion:    {"f registers one", registerOne},
}

// mendable returns the first finding that the key Fix can resolve, -1 for none.
func mendable(s *Screen) int {
	return slices.IndexFunc(s.checks, func(f preflight.Finding) bool {
		return f.Verdict == preflight.Missing && mends[f.Fix].do != nil
	})
}

// fix resolves the first finding that can be resolved here.
func fix(s *Screen) tea.Cmd {
	at := mendable(s)
	if at < 0 {
		return page.Flash("nothing to fix here")
	}
	return mends[s.checks[at].Fix].do(s)
}

// connect brings the queue pair and its peer to RTS: from their states, or from RESET if one has failed or is out of
// step.
func connect(s *Screen) tea.Cmd {
	q := s.req.queue()
	if q == nil {
		return page.Warn("no queue pair yet")
	}
	if q.State == verbs.QPSQD {
		return s.runner.Start("modify_qp " + steps.Word(q.Name) + " RTS")
	}
	name := far(&s.snap, q)
	if name == "" {
		return tea.Batch(screen.Send(screen.GotoMsg{To: screen.BringUp}),
			page.Flash("no peer is known: exchange or paste one here"))
	}
	ends := []*session.QPView{q}
	if other := queueOf(&s.snap, name); other != nil {
		ends = append(ends, other)
	}
	var lines []string
	for _, e := range ends {
		if e.State != verbs.QPReset && slices.ContainsFunc(ends, func(o *session.QPView) bool {
			return outOfStep(e, o)
		}) {
			lines = append(lines, "modify_qp "+steps.Word(e.Name)+" RESET")
		}
	}
	return s.runner.Start(append(lines, "connect_qps "+steps.Word(q.Name)+" "+steps.Word(name))...)
}

// outOfStep reports whether a queue pair must start again because of one end: that has failed, or only one of them is
// connected.
func outOfStep(q, end *session.QPView) bool {
	failed := func(q *session.QPView) bool { return q.State == verbs.QPErr || q.State == verbs.QPSQE }
	begun := func(q *session.QPView) bool { return q.State >= verbs.QPRTR }
	return failed(q) || failed(end) || begun(q) != begun(end)
}

// grant opens the console with the region that lacks access rights.
func grant(s *Screen) tea.Cmd {
	if s.req.traits().Remote {
		s.Focus = paneFar
	}
	return s.edit("rereg_mr %s access=%s")
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
