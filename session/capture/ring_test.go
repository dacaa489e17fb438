package capture

import (
	"testing"

	"rdmatui/session/timeline"
)

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
	r.Add(make([]timeline.Packet, 3*keepPackets))
	kept := r.Since(0, 0, nil)
	if len(kept) != keepPackets || kept[len(kept)-1].Seq != 20+3*keepPackets {
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
