package post

import (
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
)

// failed lists what a report has against a request.
func failed(c report) (texts []string) {
	for _, one := range c {
		if one.answer == no {
			texts = append(texts, one.text)
		}
	}
	return texts
}

// ofBytes is a request of a list of one piece.
func ofBytes(qp, op, piece string) *request {
	snap := &session.Snapshot{MRs: []session.MRView{{Name: "mr", PD: "pd", Addr: 0x1000, Length: 4096, Access: verbs.LocalWrite}},
		QPs: []session.QPView{{Name: qp, PD: "pd", Type: verbs.UD}}}
	return &request{qp: qp, op: op, typed: map[slot]string{{qp, op, "sge"}: piece}, snap: snap}
}

// TestRoomForADatagram: a RECV of a datagram has the GRH before the message, other RECVs do not.
func TestRoomForADatagram(t *testing.T) {
	r := ofBytes("u", "SEND", "mr:0:100")
	for typ, want := range map[verbs.QPType]uint64{verbs.UD: 140, verbs.RC: 100, verbs.UC: 100} {
		if got := r.received(&session.QPView{Name: "u", Type: typ}); got != want {
			t.Errorf("%s: a RECV needs %d bytes, want %d", typ, got, want)
		}
	}
}

// TestWindowBounds: all bytes at remote_addr must be inside the window.
func TestWindowBounds(t *testing.T) {
	w := &session.MWView{Name: "w", MR: "mr", Addr: 0x1100, Length: 0x200, Access: verbs.RemoteWrite}
	r := ofBytes("a", "RDMA_WRITE", "mr:0:256")
	for addr, ok := range map[uint64]bool{0x10ff: false, 0x1000: false, 0: false, 0x1100: true, 0x1200: true, 0x1201: false, 0x1300: false, ^uint64(0): false} {
		var c report
		r.checkWindow(&c, remote{window: w, addr: addr}, verbs.RemoteWrite)
		if bad := failed(c); (len(bad) == 0) != ok {
			t.Errorf("256 bytes at %#x: %q", addr, bad)
		}
	}
}
