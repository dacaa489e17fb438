package completions

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
)

// followHand selects a queue of the queue pair in hand, and shows only its completions if that was chosen.
func (s *Screen) followHand() {
	hand := s.env.Hand.In(s.detail.session)
	if hand == s.hand {
		return
	}
	s.hand = hand
	if q := s.detail.session.QP(hand); q != nil {
		if c := s.queues.selected(); c == nil || !completesIn(q, c.name) {
			s.queues.choose(q.SendCQ)
		}
	}
	if s.handOnly {
		s.refilter()
	}
}

// completesIn reports whether requests of a queue pair complete in a queue.
func completesIn(q *session.QPView, cq string) bool { return q.SendCQ == cq || q.RecvCQ == cq }

// chose puts the queue pair of the completion under the cursor in hand, if it still exists, and selects the
// completion's queue.
func (s *Screen) chose() {
	if c := s.selected(); c != nil && s.detail.session.QP(c.QP) != nil {
		s.env.Hand.Take(c.QP)
		s.hand = c.QP
		s.queues.choose(c.CQ)
	}
	s.follow()
}

// pointed follows the mouse, which may have chosen another completion.
func (s *Screen) pointed() {
	i := s.table.Cursor()
	if i >= 0 && (!s.detail.some || s.list().at(i).Seq != s.detail.event.Seq) {
		s.chose()
	}
	s.follow()
}

// chooseQueue selects another queue, and puts a queue pair in hand that completes there.
func (s *Screen) chooseQueue(by int) {
	s.queues.move(by)
	c, snap := s.queues.selected(), s.detail.session
	if q := snap.QP(s.hand); c == nil || q != nil && completesIn(q, c.name) {
		return
	}
	if i := slices.IndexFunc(snap.QPs, func(q session.QPView) bool { return completesIn(&q, c.name) }); i >= 0 {
		s.hand = snap.QPs[i].Name
		s.env.Hand.Take(s.hand)
	}
}

// toggleHand switches between the completions of the queue pair in hand and all.
func (s *Screen) toggleHand() tea.Cmd {
	s.handOnly = !s.handOnly
	s.refilter()
	return nil
}
