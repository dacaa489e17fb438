package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/verbs/format"
)

// lookEvery is how often the devices are asked what outstanding requests wait for.
const lookEvery = 500 * time.Millisecond

// looking is the state of these questions.
type looking struct {
	at   time.Time // when the last began
	busy bool
}

// looked is the message that the devices have answered; the next snapshot has what they said.
type looked struct{}

// lookAtSends asks the devices, if requests are outstanding: no event reports that a request waits.
func lookAtSends(a *App) tea.Cmd {
	l, now := &a.looks, a.now()
	if l.busy || now.Sub(l.at) < lookEvery || !slices.ContainsFunc(a.state.Session.QPs, func(q session.QPView) bool {
		return q.SendOutstanding > 0
	}) {
		return nil
	}
	l.busy, l.at = true, now
	sess := a.env.Session
	return func() tea.Msg { sess.LookAtSends(); return looked{} }
}

// stalled says how many queue pairs have a request that waits, and what the first waits for, as in "1 waiting: RNR";
// "" if there is none.
func stalled(snap *session.Snapshot) string {
	n, why := uint64(0), ""
	for i := range snap.QPs {
		q := &snap.QPs[i]
		if _, waits := preflight.Stalled(snap, q); !waits {
			continue
		}
		if n++; n > 1 {
			continue
		}
		switch t := q.Flight().Tries; {
		case t.RNRNAKs > 0:
			why = ": RNR"
		case t.SequenceNAKs+t.Resends+t.Timeouts > 0:
			why = ": retransmitting"
		}
	}
	if n == 0 {
		return ""
	}
	return format.Count(n) + " waiting" + why
}
