package core

import (
	"slices"
	"testing"

	"rdmatui/verbs"
)

func connectedTo(num verbs.QPN, gid verbs.GID) verbs.QPAttr {
	a := verbs.QPAttr{Mask: verbs.AttrDestQPN | verbs.AttrAV, DestQPNum: num}
	a.AH.GRH.DGID = gid
	return a
}

func byLID(num verbs.QPN, lid uint16) verbs.QPAttr {
	a := verbs.QPAttr{Mask: verbs.AttrDestQPN | verbs.AttrAV, DestQPNum: num}
	a.AH.DLID = lid
	return a
}

func TestReceiver(t *testing.T) {
	here, second, elsewhere := verbs.GID{1}, verbs.GID{2}, verbs.GID{3}
	s := Snapshot{
		Devices: []DeviceView{{Name: "soft0", GIDs: []verbs.GIDEntry{{GID: here}, {GID: second}},
			Ports: []verbs.PortAttr{{PortNum: 1, LID: 7}}}},
		QPs: []QPView{{Name: "a", Num: 16, Device: "soft0", GID: here, Port: 1},
			{Name: "b", Num: 17, Device: "soft0", GID: here, Port: 1}},
	}
	for _, tt := range []struct {
		name string
		attr verbs.QPAttr
		want string
	}{
		{"the GID that peers are told", connectedTo(17, here), "b"},
		{"another GID of the device", connectedTo(17, second), "b"},
		{"the same number on another host", connectedTo(17, elsewhere), ""},
		{"the LID of the port", byLID(17, 7), "b"},
		{"the LID of another port", byLID(17, 8), ""},
		{"no address", byLID(17, 0), ""},
		{"no such number", connectedTo(18, here), ""},
		{"itself", connectedTo(16, here), "a"},
		{"not connected", verbs.QPAttr{DestQPNum: 17}, ""},
	} {
		got := ""
		if o := s.Receiver(&QPView{Name: "a", Attr: tt.attr}); o != nil {
			got = o.Name
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLikelyPeer(t *testing.T) {
	qp := func(name, peer string, typ verbs.QPType) QPView { return QPView{Name: name, PeerName: peer, Type: typ} }
	a, b := qp("a", "b", verbs.RC), qp("b", "a", verbs.RC)
	c, d, u := qp("c", "", verbs.RC), qp("d", "", verbs.RC), qp("u", "", verbs.UD)
	lost := qp("l", "gone", verbs.RC)
	here, elsewhere := verbs.GID{1}, verbs.GID{3}
	by := func(q QPView, state verbs.QPState, attr verbs.QPAttr) QPView {
		q.State, q.Attr = state, attr
		return q
	}
	e := qp("e", "", verbs.RC)
	e.Num, e.GID = 17, here
	learned := []PeerView{{Name: "r", QPN: 17, GID: elsewhere}}
	lids := []PeerView{{Name: "p", QPN: 17, LID: 8}, {Name: "q", QPN: 17, LID: 9}}
	one, two := []PeerView{{Name: "p"}}, []PeerView{{Name: "p"}, {Name: "q"}}
	for _, tt := range []struct {
		name  string
		of    QPView
		all   []QPView
		peers []PeerView
		want  string
		sure  bool
	}{
		{"the one that it was connected to", a, []QPView{a, b, c}, nil, "b", true},
		{"the one that it was connected to, before a peer", a, []QPView{a, b}, one, "b", true},
		{"a free one before one in use", c, []QPView{a, b, u, c, d}, nil, "d", false},
		{"one in use", c, []QPView{u, a, b, c}, nil, "a", false},
		{"the only other one", c, []QPView{c, d, u}, nil, "d", true},
		{"none of its type", u, []QPView{a, b, u}, nil, "", false},
		{"the only peer", c, []QPView{c, d}, one, "p", true},
		{"the other one before several peers", c, []QPView{c, d}, two, "d", false},
		{"the last of several peers", u, []QPView{u, c}, two, "q", false},
		{"connected to one here", by(c, verbs.QPRTS, connectedTo(17, here)), []QPView{a, b, c, e}, one, "e", true},
		{"connected anew by hand, to another than before", by(a, verbs.QPRTS, connectedTo(17, here)),
			[]QPView{a, b, e}, nil, "e", true},
		{"a free one before one connected by hand", d, []QPView{by(c, verbs.QPRTS, connectedTo(17, here)), u, d, e},
			nil, "e", false},
		{"connected to another host", by(c, verbs.QPRTS, connectedTo(17, elsewhere)), []QPView{c, e}, nil, "", true},
		{"connected to another host, in RTR", by(c, verbs.QPRTR, connectedTo(17, elsewhere)),
			[]QPView{c, e}, nil, "", true},
		{"connected to another host, in ERR", by(c, verbs.QPErr, connectedTo(17, elsewhere)),
			[]QPView{c, e}, nil, "", true},
		{"connected to another than the only peer", by(c, verbs.QPSQD, connectedTo(18, elsewhere)), []QPView{c, e},
			learned, "", true},
		{"connected to a peer by hand", by(c, verbs.QPSQE, connectedTo(17, elsewhere)), []QPView{c, e},
			slices.Concat(two, learned), "r", true},
		{"connected to a peer by its LID", by(c, verbs.QPRTS, byLID(17, 9)), []QPView{c, e}, lids, "q", true},
		{"not connected yet", by(c, verbs.QPInit, connectedTo(17, elsewhere)), []QPView{c, e}, nil, "e", true},
		{"a UD queue pair has no destination", by(u, verbs.QPRTS, verbs.QPAttr{}), []QPView{u, c}, one, "p", true},
		{"its peer is gone", lost, []QPView{lost}, nil, "", false},
	} {
		s := Snapshot{QPs: tt.all, Peers: tt.peers}
		if got, sure := s.LikelyPeer(&tt.of); got != tt.want || sure != tt.sure {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got, sure, tt.want, tt.sure)
		}
	}
}
