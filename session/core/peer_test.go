package core

import (
	"testing"

	"rdmatui/verbs"
)

func connectedTo(num verbs.QPN, gid verbs.GID) verbs.QPAttr {
	a := verbs.QPAttr{Mask: verbs.AttrDestQPN | verbs.AttrAV, DestQPNum: num}
	a.AH.GRH.DGID = gid
	return a
}

func TestReceiver(t *testing.T) {
	here, second, elsewhere := verbs.GID{1}, verbs.GID{2}, verbs.GID{3}
	s := Snapshot{
		Devices: []DeviceView{{Name: "soft0", GIDs: []verbs.GIDEntry{{GID: here}, {GID: second}}}},
		QPs:     []QPView{{Name: "a", Num: 16, Device: "soft0", GID: here}, {Name: "b", Num: 17, Device: "soft0", GID: here}},
	}
	for _, tt := range []struct {
		name string
		attr verbs.QPAttr
		want string
	}{
		{"the GID that peers are told", connectedTo(17, here), "b"},
		{"another GID of the device", connectedTo(17, second), "b"},
		{"the same number on another host", connectedTo(17, elsewhere), ""},
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
	one, two := []PeerView{{Name: "p"}}, []PeerView{{Name: "p"}, {Name: "q"}}
	for _, tt := range []struct {
		name  string
		of    QPView
		all   []QPView
		peers []PeerView
		want  string
		sure  bool
	}{
		{"what it was connected to", a, []QPView{a, b, c}, nil, "b", true},
		{"that before a peer", a, []QPView{a, b}, one, "b", true},
		{"one that is free before one that is not", c, []QPView{a, b, u, c, d}, nil, "d", false},
		{"one that is not free", c, []QPView{u, a, b, c}, nil, "a", false},
		{"the only other one", c, []QPView{c, d, u}, nil, "d", true},
		{"none of its type", u, []QPView{a, b, u}, nil, "", false},
		{"the only peer", c, []QPView{c, d}, one, "p", true},
		{"the other one before several peers", c, []QPView{c, d}, two, "d", false},
		{"the last of several peers", u, []QPView{u, c}, two, "q", false},
		{"its peer is gone", lost, []QPView{lost}, nil, "", false},
	} {
		s := Snapshot{QPs: tt.all, Peers: tt.peers}
		if got, sure := s.LikelyPeer(&tt.of); got != tt.want || sure != tt.sure {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got, sure, tt.want, tt.sure)
		}
	}
}
