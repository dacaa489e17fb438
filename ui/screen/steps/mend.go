package steps

import (
	"fmt"
	"slices"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/keymap"
	"rdmatui/verbs"
)

// Mend is how to resolve something wrong: lines that do, or without lines who must do what. The zero value is for
// what is not wrong.
type Mend struct {
	Lines []string
	Does  string // what the lines do: "connects it"
	Else  string // without lines: who must do what
	// Managed is an identifier of the connection manager whose connection is made anew, in place of lines: that takes
	// further lines after each event. "": none.
	Managed string
}

// Can reports whether the key of mends resolves it.
func (m *Mend) Can() bool { return len(m.Lines) > 0 || m.Managed != "" }

// Advice says what the key of mends does, or who must do what; "" for what is not wrong.
func (m *Mend) Advice() string {
	if m.Can() {
		return keymap.Verb.Fix.Help().Key + " " + m.Does
	}
	return m.Else
}

// MendFinding resolves a finding about a request of q that lines can resolve whatever the request is; ok is false for
// others.
func MendFinding(s *session.Snapshot, q *session.QPView, f *preflight.Finding) (m Mend, ok bool) {
	switch f.Fix {
	case preflight.FixState, preflight.FixPeerState:
		return Connection(s, q, false), true
	case preflight.FixAgain:
		return Connection(s, q, true), true
	case preflight.FixAccess:
		return grant(s, f), true
	case preflight.FixFlags:
		return grantQP(s, f), true
	case preflight.FixRoom:
		return Mend{Else: "a completion makes room"}, true
	case preflight.FixLargerRecv:
		return Mend{Else: "shorten it, or reset the peer and post a larger RECV"}, true
	}
	return m, false
}

// Ends returns a queue pair, and its peer if that is in the session.
func Ends(s *session.Snapshot, q *session.QPView) []*session.QPView {
	name, _ := s.LikelyPeer(q)
	if other := s.QP(name); other != nil && other != q {
		return []*session.QPView{q, other}
	}
	return []*session.QPView{q}
}

// FailedEnd says which end of a queue pair's connection has failed, as in "a is ERR", and resolves it; what is "" if
// neither has.
func FailedEnd(s *session.Snapshot, q *session.QPView) (what string, m Mend) {
	for _, e := range Ends(s, q) {
		if Failed(e) {
			return e.Name + " is " + e.State.String(), Connection(s, q, false)
		}
	}
	return "", m
}

// Connection brings a queue pair and its peer to RTS: from their states, or with anew, or if one has failed or is
// out of step, from RESET.
func Connection(s *session.Snapshot, q *session.QPView, anew bool) Mend {
	if q == nil {
		return Mend{Else: "no queue pair yet"}
	}
	ends := Ends(s, q)
	peer, _ := s.LikelyPeer(q)
	m, isManaged := managed(s, ends) // to be made anew on Connections
	begin := anew || slices.ContainsFunc(ends, func(e *session.QPView) bool { return outOfStep(q, e) })
	switch {
	case isManaged:
		return m
	case q.State == verbs.QPSQD && !anew:
		return Mend{Lines: []string{"modify_qp " + Word(q.Name) + " RTS"}, Does: "connects it"}
	case peer == "":
		return Mend{Else: "no peer is known: enter its address with " + keymap.Bringup.Peer.Help().Key +
			" on Bring-up (2)"}
	case len(ends) == 1 && begin:
		return Mend{Else: "the peer must reset its end too: connect both anew on Bring-up (2)"}
	}
	m = Mend{Does: "connects it"}
	if anew {
		m.Does = "connects it anew"
	}
	for _, e := range ends {
		if begin && e.State != verbs.QPReset {
			m.Lines = append(m.Lines, "modify_qp "+Word(e.Name)+" RESET")
		}
	}
	m.Lines = append(m.Lines, "connect_qps "+Word(q.Name)+" "+Word(peer))
	return m
}

// managed makes a connection anew that the connection manager manages at one of the ends; ok is false for none.
func managed(s *session.Snapshot, ends []*session.QPView) (m Mend, ok bool) {
	for _, e := range ends {
		id := IDOf(s, e.Name)
		if id == nil {
			continue
		}
		if _, m = ManagedOf(s, id); m.Can() {
			return m, true
		} else if ok = true; m.Else != "" {
			return Mend{Else: m.Else + "; then go on on Connections (5)"}, true
		}
	}
	return Mend{Else: "rdma_cm manages it: connect both ends anew on Connections (5)"}, ok
}

// IDOf returns the identifier of the connection manager that manages a queue pair; nil for none.
func IDOf(s *session.Snapshot, qp string) *session.IDView {
	for i := range s.IDs {
		if s.IDs[i].QP == qp && qp != "" {
			return &s.IDs[i]
		}
	}
	return nil
}

// outOfStep reports whether a queue pair must start again because of one end: that has failed, or only one of them is
// connected.
func outOfStep(q, end *session.QPView) bool {
	begun := func(q *session.QPView) bool { return q.State >= verbs.QPRTR }
	return Failed(q) || Failed(end) || begun(q) != begun(end)
}

// Failed reports whether a queue pair is in a state in which it carries out no requests until it is mended.
func Failed(q *session.QPView) bool { return q.State == verbs.QPErr || q.State == verbs.QPSQE }

// grant gives a region the access rights that it lacks.
func grant(s *session.Snapshot, f *preflight.Finding) (m Mend) {
	mr := s.MR(f.Object)
	if mr == nil {
		return m
	}
	access := mr.Access | f.Rights
	if access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 {
		access |= verbs.LocalWrite // a region needs it for these
	}
	return Mend{Lines: []string{fmt.Sprintf("rereg_mr %s access=%s", Word(mr.Name), access)}, Does: "grants it"}
}

// grantQP gives a queue pair the access rights that it lacks.
func grantQP(s *session.Snapshot, f *preflight.Finding) (m Mend) {
	q := s.QP(f.Object)
	if q == nil {
		return m
	}
	return Mend{Lines: []string{fmt.Sprintf("modify_qp %s %s qp_access_flags=%s", Word(q.Name), q.State,
		q.Attr.QPAccessFlags|f.Rights)}, Does: "grants it"}
}
