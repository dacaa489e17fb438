package capture

import (
	"testing"

	"rdmatui/session/timeline"
)

// maxPackets is how many packets a ring keeps unless told otherwise.
const maxPackets = keepBytes / meanBytes

// TestRingIsBounded exceeds the limit in bytes, then in packets: the newest stay, in order and numbered consecutively.
func TestRingIsBounded(t *testing.T) {
	var r Ring
	big := make([]byte, keepBytes/8)
	for range 20 {
		r.Add([]timeline.Packet{{Data: big}})
	}
	if kept := r.Since(0, 0, nil); len(kept) != 8 || kept[0].Seq != 13 || kept[7].Seq != 20 {
		t.Fatalf("%d packets kept", len(kept))
	}
	r.Add(make([]timeline.Packet, 3*maxPackets))
	kept := r.Since(0, 0, nil)
	if len(kept) != maxPackets || kept[len(kept)-1].Seq != 20+3*maxPackets {
		t.Fatalf("%d packets kept", len(kept))
	}
	for i, p := range kept {
		if p.Seq != kept[0].Seq+uint64(i) {
			t.Fatalf("packet %d follows %d", p.Seq, kept[i-1].Seq)
		}
	}
	if r.bytes != 0 {
		t.Errorf("an empty ring counts %d bytes", r.bytes)
	}
}

// TestRingLimit: a lower limit drops the oldest packets at once.
func TestRingLimit(t *testing.T) {
	var r Ring
	r.Add([]timeline.Packet{{Data: make([]byte, 3000)}, {Data: make([]byte, 3000)}, {Data: make([]byte, 3000)}})
	r.Limit(8 << 10)
	if got := r.Use(); got != (Use{Packets: 2, MaxPackets: 8, Bytes: 6000, MaxBytes: 8 << 10}) {
		t.Errorf("%+v", got)
	}
	r.Limit(1 << 10)
	if kept := r.Since(0, 0, nil); len(kept) != 0 || r.Last() != 3 {
		t.Errorf("%d kept of %d", len(kept), r.Last())
	}
}
