package post

import (
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
)

// TestDatagramPresets: a datagram's default destination is what was last reported of
// the peer.
func TestDatagramPresets(t *testing.T) {
	way := func(gid string) verbs.AHAttr {
		g, err := verbs.ParseGID(gid)
		if err != nil {
			t.Fatal(err)
		}
		return verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: g, HopLimit: 64}}
	}
	qp := func(name, pd, peer string, qkey uint32) session.QPView {
		return session.QPView{
			Name: name, PD: pd, PeerName: peer, Type: verbs.UD, Attr: verbs.QPAttr{Mask: verbs.AttrQKey, QKey: qkey},
		}
	}
	ahs := []session.AHView{{Name: "elsewhere", PD: "other", Attr: way("10.9.0.2")},
		{Name: "old", PD: "pd", Attr: way("10.9.0.9")},
		{Name: "ah", PD: "pd", Attr: way("10.9.0.2")}}
	told := session.IDView{Name: "id", QP: "u", UD: verbs.CMUDParam{AH: way("10.9.0.2"), QPNum: 0x77, QKey: 0x1234567}}
	silent := session.IDView{Name: "id", QP: "u"}
	peer := session.PeerView{Name: "peer", QPN: 0x77, GID: way("10.9.0.2").GRH.DGID}
	lid := session.PeerView{Name: "peer", QPN: 0x77, LID: 9}
	byLID := append(ahs, session.AHView{Name: "lid", PD: "pd", Attr: verbs.AHAttr{DLID: 9}})
	for name, c := range map[string]struct {
		snap          session.Snapshot
		ah, qpn, qkey string
	}{
		"ESTABLISHED": {session.Snapshot{IDs: []session.IDView{silent, told}, AHs: ahs,
			QPs: []session.QPView{qp("u", "pd", "", 5)}}, "ah", "id.remote_qpn", "id.remote_qkey"},
		"told, not the QP": {session.Snapshot{IDs: []session.IDView{{Name: "id", QP: "v", UD: told.UD}}, AHs: ahs,
			QPs: []session.QPView{qp("u", "pd", "", 5)}}, "old", "", ""},
		"nothing told": {session.Snapshot{IDs: []session.IDView{silent},
			QPs: []session.QPView{qp("u", "pd", "", 5)}}, "", "", ""},
		"an exchange": {session.Snapshot{AHs: ahs, Peers: []session.PeerView{peer},
			QPs: []session.QPView{qp("u", "pd", "peer", 0x11111111)}},
			"ah", "peer.qp_num", "0x11111111"},
		"an exchange of LIDs": {session.Snapshot{AHs: byLID, Peers: []session.PeerView{lid},
			QPs: []session.QPView{qp("u", "pd", "peer", 5)}},
			"lid", "peer.qp_num", "0x5"},
		"the other one here": {session.Snapshot{AHs: ahs,
			QPs: []session.QPView{qp("u", "pd", "", 5), qp("v", "pd", "", 6)}}, "old", "v.qp_num", "0x6"},
	} {
		r := &request{qp: "u", op: "SEND", typed: map[slot]string{}, snap: &c.snap}
		for field, want := range map[string]string{"ah": c.ah, "remote_qpn": c.qpn, "remote_qkey": c.qkey} {
			if got := r.value(field); got != want {
				t.Errorf("%s: %s is %q, want %q", name, field, got, want)
			}
		}
	}
}
