package queue

import (
	"net/netip"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// TestLocate: a peer that is found out later belongs to the messages of that queue pair alone, and no message changes
// its peer.
func TestLocate(t *testing.T) {
	var all messages
	q := &QP{Node: &core.Node{Name: "a"}, Num: 17}
	known, found := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	rows := []struct {
		given Message
		peer  netip.Addr
		num   verbs.QPN
	}{
		{Message{QP: "a", Num: 17}, found, 99},
		{Message{QP: "a", Num: 17, Peer: known, PeerNum: 5}, known, 5},
		{Message{QP: "a", Num: 16}, netip.Addr{}, 0}, // an earlier one of that name
		{Message{QP: "b", Num: 17}, netip.Addr{}, 0},
	}
	for _, r := range rows {
		*all.kept.Keep(KeptMessages) = r.given
	}
	all.locate(q,
		&verbs.QPAttr{DestQPNum: 99, AH: verbs.AHAttr{GRH: verbs.GlobalRoute{DGID: verbs.GIDFromAddr(found)}}})
	for i, r := range rows {
		if m := all.kept.At(i); m.Peer != r.peer || m.PeerNum != r.num {
			t.Errorf("%+v: peer %s, %s", r.given, m.Peer, m.PeerNum)
		}
	}
}
