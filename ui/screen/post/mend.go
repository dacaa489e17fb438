package post

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/preflight"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
)

// mend is the action of the key Fix for a finding of this form, which lines alone do not resolve.
type mend struct {
	hint string
	do   func(*Screen) tea.Cmd
	// cannot says who must do what, if the key cannot resolve the finding; "" if it can. nil: it always can.
	cannot func(*request, *preflight.Finding) string
}

var mends = map[preflight.Fix]mend{
	preflight.FixRecv:   {"f posts one", (*Screen).postRecvAtPeer, nil},
	preflight.FixRegion: {"f registers one", registerOne, nil},
	preflight.FixTarget: {"f names the peer's region", retarget, noTarget},
	preflight.FixMemory: {"f names a region of its domain", useOwn, noMemory},
}

// advice says what resolves a finding: what the key does if it can, else who must do what; "" if neither is known.
func advice(s *Screen, f *preflight.Finding) (text string, can bool) {
	if f.Verdict != preflight.Missing {
		return "", false
	}
	if m, ok := steps.MendFinding(&s.snap, s.req.queue(), f); ok {
		return m.Advice(), m.Can()
	}
	m, known := mends[f.Fix]
	if known && m.cannot != nil {
		if text = m.cannot(&s.req, f); text != "" {
			return text, false
		}
	}
	return m.hint, known
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
		return screen.Flash("nothing to fix here")
	}
	f := &s.checks[at]
	if m, ok := steps.MendFinding(&s.snap, s.req.queue(), f); ok {
		return m.Run(s.runner, nil)
	}
	return mends[f.Fix].do(s)
}

// registerOne registers a region for the request.
func registerOne(s *Screen) tea.Cmd {
	q := s.req.queue()
	if q == nil {
		return screen.Warn("no queue pair yet")
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
	return screen.Flash("set " + strings.Join(set, ", "))
}
