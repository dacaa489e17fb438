package completions

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen"
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

// mendOf is how to resolve the first thing wrong, and the queue pair that has it: the failed completion under the
// cursor, or else what a request waits for; the zero value if nothing is.
func mendOf(s *Screen) (m steps.Mend, of string) {
	if c := s.selected(); c != nil && c.WC.Failed() {
		return s.detail.mend, c.QP
	}
	snap := s.detail.session
	for i := range snap.QPs {
		if wait, m := steps.UnstallQP(snap, &snap.QPs[i]); wait != "" {
			return m, snap.QPs[i].Name
		}
	}
	return m, ""
}

// takeMend finds how to resolve the failure shown.
func (d *detail) takeMend() {
	if d.mend = (steps.Mend{}); d.some && d.event.WC.WC.Failed() {
		d.mend = steps.Again(d.session, d.posts.of(&d.event.WC).line, d.event.WC.WC.Status)
		d.stale = true
	}
}

// fix runs the lines that resolve it. A queue pair that the title does not name is first taken in hand.
func fix(s *Screen) tea.Cmd {
	m, of := mendOf(s)
	if !m.Can() {
		return screen.Flash("nothing to fix here")
	}
	hand, snap := s.env.Hand.In(s.detail.session), s.detail.session
	if q := snap.QP(hand); q != nil && hand != of && snap.QP(of) != nil {
		if peer, _ := snap.LikelyPeer(q); peer != of {
			s.env.Hand.Take(of)
			s.followHand()
			return screen.Flash(of + " is now in hand: press f again")
		}
	}
	s.table.SetCursor(s.list().Len() - 1) // to follow what comes
	return m.Run(s.runner, nil)
}

func canFix(s *Screen) bool { m, _ := mendOf(s); return m.Can() }
