package conversation

import (
	"net/netip"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

const (
	crossingLen  = 4    // bytes of a fuzzed input that make a packet of one capture
	maxCrossings = 1024 // packets of an input
)

// FuzzJoin joins captures that need not fit: each packet of each capture is counted once.
func FuzzJoin(f *testing.F) {
	f.Add([]byte{0, 1, 0, 5, 1, 1, 0, 6, 2, 2, 0, 9, 3, 2, 0, 7})
	f.Add([]byte{0, 1, 0, 5, 0, 1, 0, 50, 1, 1, 0, 60, 1, 1, 0, 61, 1, 1, 0, 62, 3, 1, 255, 200})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), maxCrossings*crossingLen)]
		j := NewJoin()
		var added, cut [2]uint64
		for ; len(b) >= crossingLen; b = b[crossingLen:] {
			end, back := int(b[0]&1), b[0]&2 != 0
			src, dst := aliceEnd, bobEnd
			if back {
				src, dst = bobEnd, aliceEnd
			}
			p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: uint32(b[0] >> 4), PSN: wire.PSN(b[1])}}
			x := &capture.Frame{}
			x.Src, x.Dst, x.Data = src, netip.AddrPortFrom(dst.Addr(), 4791), append(p.Append(nil), 0, 0, 0, 0)
			x.Len, x.At = len(x.Data), begin.Add(time.Duration(int16(uint16(b[2])<<8|uint16(b[3])))*time.Millisecond)
			x.Decode()
			if added[end]++; b[0]&4 != 0 {
				x.Data = x.Data[:int(b[1])%len(x.Data)]
				cut[end]++
			}
			x.Seq = added[end]
			j.Add(end, x)
		}
		if j.Skipped != cut[0]+cut[1] {
			t.Fatalf("%d skipped, want %v", j.Skipped, cut)
		}
		left := added[0] + added[1] - j.Skipped
		for _, r := range j.Reports() {
			if r.Sent != r.Arrived+uint64(len(r.Lost))+r.Outside || uint64(len(r.Delays)) != r.Arrived ||
				r.Late > r.Arrived || r.From&^1 != 0 {
				t.Fatalf("%+v", r)
			}
			left -= r.Sent + r.Arrived + r.Copied + r.Unsent
			for i, p := range r.Lost {
				if i > 0 && p.Seq <= r.Lost[i-1].Seq {
					t.Fatalf("not in order: %+v", r.Lost)
				}
			}
		}
		if left != 0 {
			t.Fatalf("%d packets are in no report", int64(left))
		}
	})
}
