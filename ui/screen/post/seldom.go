package post

import tea "charm.land/bubbletea/v2"

// seldom are the fields that most requests leave as they are; they show if they have been set, or all are asked for.
var seldom = []string{"wr_id", "count", "addr"}

// wantsPieces and wantsChain say whether the keys of requests with several pieces, and of several requests, are shown:
// once there are some, or while the fields show that are seldom used too. They work at any time.
func wantsPieces(s *Screen) bool { return hasList(s) && (s.req.all || hasPieces(s)) }
func wantsChain(s *Screen) bool  { return hasQueue(s) && (s.req.all || hasChain(s)) }

// toggleAll shows what is seldom used, with the cursor there, since it may be below the others, or leaves it out.
func toggleAll(s *Screen) tea.Cmd {
	s.req.all = !s.req.all
	s.refill()
	if s.req.all {
		s.form.Select(seldom[0])
	}
	return nil
}
