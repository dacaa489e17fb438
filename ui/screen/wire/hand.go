package wire

import (
	"rdmatui/session"
	"rdmatui/session/conversation"
)

// ofHand reports whether a packet belongs to a conversation of the queue pair in hand.
func (l *list) ofHand(r *row) bool {
	return l.hand != "" && r != nil && r.Live && l.holds(l.source.TalkOf(r))
}

func (l *list) holds(t conversation.Talk) bool {
	return l.names[t.Ends[0]] == l.hand || l.names[t.Ends[1]] == l.hand
}

// handRows is how many of the newest rows are searched for a packet of the queue pair in hand.
const handRows = 1 << 10

// newestOfHand returns the index of the newest packet of the queue pair in hand, -1 if there is none.
func (l *list) newestOfHand() int {
	for i, last := l.Len()-1, max(l.Len()-handRows, 0); i >= last && l.hand != ""; i-- {
		if n, _ := l.number(i); l.ofHand(l.source.Trial(n)) {
			return i
		}
	}
	return -1
}

// followHand shows the conversation of the queue pair in hand, if another was put there.
func followHand(s *Screen, snap *session.Snapshot) {
	hand := s.env.Hand.In(snap)
	if s.traced != nil || hand == s.list.hand {
		return
	}
	s.list.hand = hand
	if s.list.talk != nil && !s.list.holds(*s.list.talk) {
		s.list.talk = nil
		s.list.refilter()
		if i := s.list.newestOfHand(); i >= 0 {
			t := s.list.source.TalkOf(s.list.at(i))
			s.list.talk = &t
		}
		s.refilter()
	}
	if i := s.list.newestOfHand(); i >= 0 && !s.table.Following() {
		s.table.SetCursor(i)
	}
}

// shown returns the packet whose conversation is drawn: that under the cursor. While the cursor follows the newest
// packet, the queue pair in hand says which.
func (s *Screen) shown() *row {
	r := s.list.at(s.table.Cursor())
	if r == nil || !s.table.Following() || s.list.ofHand(r) {
		return r
	}
	if i := s.list.newestOfHand(); i >= 0 {
		return s.list.at(i)
	}
	return r
}

// chose puts a queue pair in hand whose conversation the packet under the cursor belongs to.
func (s *Screen) chose() {
	if r := s.list.at(s.table.Cursor()); r != nil && r.Live && !s.list.ofHand(r) {
		snap := s.env.Session.Snapshot()
		for _, e := range s.list.source.TalkOf(r).Ends {
			if name := s.list.names[e]; snap.QP(name) != nil {
				s.env.Hand.Take(name)
				s.list.hand = name
				break
			}
		}
	}
	s.follow()
}

// pointed follows the mouse, which may have chosen another packet.
func (s *Screen) pointed() {
	if r := s.list.at(s.table.Cursor()); r != nil && (s.detail.row == nil || s.detail.row.N != r.N) {
		s.chose()
	}
	s.follow()
}
