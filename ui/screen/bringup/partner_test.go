package bringup

import (
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
)

// TestPartner: an unconnected queue pair is preferred to connected ones, and one of
// another type is never chosen.
func TestPartner(t *testing.T) {
	qp := func(name, peer string, typ verbs.QPType) session.QPView {
		return session.QPView{Name: name, PeerName: peer, Type: typ}
	}
	a, b := qp("a", "b", verbs.RC), qp("b", "a", verbs.RC)
	c, d, u := qp("c", "", verbs.RC), qp("d", "", verbs.RC), qp("u", "", verbs.UD)
	for _, tt := range []struct {
		of   session.QPView
		all  []session.QPView
		want string
	}{
		{a, []session.QPView{a, b, c}, "b"},
		{c, []session.QPView{a, b, u, c, d}, "d"},
		{c, []session.QPView{u, a, b, c}, "a"},
		{u, []session.QPView{a, b, u}, ""},
	} {
		s := &Screen{snap: session.Snapshot{QPs: tt.all}}
		if got := s.partner(&tt.of); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.of.Name, got, tt.want)
		}
	}
}
