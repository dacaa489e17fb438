package bringup

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
	"rdmatui/verbs/transition"
)

// trouble is something wrong with the queue pair shown. The zero value is nothing wrong.
type trouble struct {
	what    string
	mend    steps.Mend
	refused bool // the transition cannot be made
	forget  bool // the typed values are wrong, and those planned are not: the key Fix takes them back
}

// advice says what the key Fix does, or who must do what.
func (t *trouble) advice() string {
	if t.forget {
		return keymap.Bringup.Fix.Help().Key + " takes back what was typed"
	}
	return t.mend.Advice()
}

// red is the trouble as one line.
func (t *trouble) red() string {
	if a := t.advice(); a != "" {
		return t.what + "; " + a
	}
	return t.what
}

func (t *trouble) can() bool { return t.forget || t.mend.Can() }

// troubleOf finds the first thing wrong with the queue pair shown: a failed state at either end, attributes on which
// the ends disagree, or a transition that cannot be made.
func troubleOf(s *Screen) trouble {
	q := s.current()
	if q == nil {
		return trouble{}
	}
	if what, m := steps.FailedEnd(&s.snap, q); what != "" {
		return trouble{what: what, mend: m}
	}
	if t := apart(s, q); t.what != "" {
		return t
	}
	if i := slices.IndexFunc(s.attrs, func(a attribute) bool { return a.fit == clashes }); i >= 0 {
		return trouble{what: s.attrs[i].name + " " + s.attrs[i].note, mend: reconnection(s, q)}
	}
	if s.move.ready && s.move.check() != nil {
		return refused(s, q)
	}
	return trouble{}
}

// apart is the trouble that connect_qps has just refused the ends as they are, since one is connected with another peer
// or has sent to this one before.
func apart(s *Screen, q *session.QPView) trouble {
	c := &s.failed
	if !strings.HasPrefix(c.Line, "connect_qps ") || !strings.HasSuffix(c.Hint, " RESET first") {
		return trouble{}
	}
	return trouble{what: c.Err, mend: reconnection(s, q)}
}

// reconnection brings up both ends anew, or of a connection to a remote peer this one: it is here that the attributes
// differ from what the peer has told.
func reconnection(s *Screen, q *session.QPView) steps.Mend {
	peer := s.partner(q)
	if s.snap.Peer(peer) == nil || steps.IDOf(&s.snap, q.Name) != nil {
		return steps.Connection(&s.snap, q, true)
	}
	return steps.Mend{Does: "connects it anew", Lines: []string{"modify_qp " + steps.Word(q.Name) + " RESET",
		"connect_qps " + steps.Word(q.Name) + " " + steps.Word(peer)}}
}

// refused resolves a transition that the table rejects: by the planned values, or by all transitions up to RTS.
func refused(s *Screen, q *session.QPView) trouble {
	m := &s.move
	t := trouble{what: m.check().Error(), refused: true}
	planned := verbs.AttrState
	for i := range m.plan.Rows {
		if m.plan.Rows[i].Value != "" {
			planned |= m.plan.Rows[i].Field.Bit
		}
	}
	err := transition.Check(m.plan.Type, m.plan.From, verbs.QPAttr{Mask: planned, QPState: m.to})
	if t.forget = err == nil; err != nil {
		t.mend = steps.Connection(&s.snap, q, false)
	}
	return t
}

// fix resolves what is wrong.
func fix(s *Screen) tea.Cmd {
	t := troubleOf(s)
	switch {
	case t.forget:
		s.move.forget(s.move.qp, s.move.to)
		s.fill()
		return screen.Flash("took back what was typed for " + s.move.to.String())
	case t.mend.Can():
		delete(s.target, s.move.qp)
		return t.mend.Run(s.runner, nil)
	}
	return screen.Flash("nothing to fix here")
}

func canFix(s *Screen) bool { t := troubleOf(s); return t.can() }
