package completions

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/screen/steps"
)

// lookEvery is how often the progress of outstanding requests is read.
const lookEvery = 200 * time.Millisecond

// askForProgress requests a look at outstanding requests. A request that is retried
// without end has no completion, so nothing else on this screen would show it.
func (s *Screen) askForProgress(v *session.Snapshot) {
	now := time.Now()
	if s.reader.Busy() || now.Sub(s.lookedAt) < lookEvery || !slices.ContainsFunc(v.QPs, func(q session.QPView) bool {
		return q.SendOutstanding > 0
	}) {
		return
	}
	s.lookedAt = now
	s.reader.Ask(func() any { s.env.Session.LookAtSends(); return nil })
}

// mendOf is how to resolve the first thing wrong: the failed completion under the cursor, or else what a request waits
// for; the zero value if nothing is.
func mendOf(s *Screen) steps.Mend {
	if c := s.selected(); c != nil && c.WC.Failed() {
		return s.detail.mend
	}
	_, m := steps.Unstall(s.detail.session)
	return m
}

// takeMend finds how to resolve the failure shown.
func (d *detail) takeMend() {
	if d.mend = (steps.Mend{}); d.some && d.event.WC.WC.Failed() {
		d.mend = steps.Again(d.session, d.posts.of(&d.event.WC).line, d.event.WC.WC.Status)
		d.stale = true
	}
}

// fix runs the lines that resolve it.
func fix(s *Screen) tea.Cmd {
	m := mendOf(s)
	if !m.Can() {
		return page.Flash("nothing to fix here")
	}
	s.table.SetCursor(s.list().Len() - 1) // to follow what comes
	return s.runner.Start(m.Lines...)
}

func canFix(s *Screen) bool { m := mendOf(s); return m.Can() }
