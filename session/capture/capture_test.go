package capture

import (
	"net/netip"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

var (
	begin = time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.UTC)
	here  = netip.MustParseAddrPort("127.0.0.1:4791")
	there = netip.MustParseAddrPort("127.0.0.2:4791")
)

func outgoing(data []byte) verbs.Packet {
	return verbs.Packet{At: begin.Add(time.Second), Outgoing: true, Src: here, Dst: there, Data: data}
}

// TestIntakeNeverGrows exceeds the limits by number and by bytes: counts are exact,
// the number of missed packets comes with the next kept packet, and packets are
// copied.
func TestIntakeNeverGrows(t *testing.T) {
	for _, tt := range []struct {
		name       string
		size, puts int
		kept       int
	}{
		{"by number", 16, intakePackets + 10, intakePackets},
		{"by bytes", 4096, intakeBytes/4096 + 7, intakeBytes / 4096},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := NewIntake(begin)
			tap := in.NewTap("soft0")
			data := make([]byte, tt.size)
			for i := range tt.puts {
				data[0] = byte(i)
				tap.See(outgoing(data))
			}
			tap.See(verbs.Packet{Data: data[:0:0]}) // empty: it may still fit
			got := in.Take()
			full := 0
			for _, p := range got {
				if len(p.Data) > 0 {
					full++
				}
			}
			if full != tt.kept || got[1].Data[0] != 1 || got[1].T != time.Second || !got[1].Outgoing {
				t.Fatalf("%d packets kept, the second is %+v", len(got), got[1])
			}
			tap.See(outgoing(data))
			next := in.Take()
			var missed uint64
			for _, p := range append(got, next...) {
				missed += p.Missed
			}
			c := tap.Counts()
			if c.Sent != uint64(tt.puts+1) || c.Received != 1 || c.Missed != missed ||
				missed < uint64(tt.puts-tt.kept) ||
				c.SentBytes != uint64((tt.puts+1)*tt.size) || len(next) != 1 {
				t.Errorf("%+v, %d reported as missed", c, missed)
			}
		})
	}
}

func TestIntakeMarks(t *testing.T) {
	in := NewIntake(begin)
	tap := in.NewTap("soft0")
	for range 3 {
		tap.See(outgoing([]byte{1}))
		select {
		case <-in.Marked():
		default:
			t.Fatal("no mark although a packet arrived")
		}
		tap.See(outgoing([]byte{2}))
		if n := len(in.Take()); n != 2 {
			t.Errorf("%d packets", n)
		}
	}
	select {
	case <-in.Marked():
		t.Error("a mark without packets")
	default:
	}
	for range 2 {
		tap.See(outgoing([]byte{1}))
		if one, none := len(in.Take()), len(in.Take()); one != 1 || none != 0 {
			t.Errorf("%d packets, then %d", one, none)
		}
	}
	<-in.Marked()
	select {
	case <-in.Marked():
		t.Error("a second mark")
	default:
	}
	tap.See(outgoing([]byte{1}))
	tap.See(outgoing([]byte{1}))
	in.Take()
	if in.Take(); cap(in.batch) != 2 || cap(in.bytes) != 2 {
		t.Errorf("room for %d packets and %d bytes after nothing was taken", cap(in.batch), cap(in.bytes))
	}
}

func TestRing(t *testing.T) {
	var r Ring
	batch := func(n, size int) []timeline.Packet {
		b := make([]timeline.Packet, n)
		for i := range b {
			b[i].Data = make([]byte, size)
		}
		return b
	}
	first := func(ps []*timeline.Packet) uint64 { return ps[0].Seq }
	r.Add(batch(10, 1))
	if got := r.Since(3, 0, nil); len(got) != 7 || first(got) != 4 {
		t.Errorf("%d packets", len(got))
	}
	if got := r.Since(3, 2, nil); len(got) != 2 || first(got) != 9 {
		t.Errorf("%d packets of two", len(got))
	}
	if got := r.Since(10, 0, nil); len(got) != 0 {
		t.Errorf("%d packets after the last", len(got))
	}
	for range 5 {
		r.Add(batch(maxPackets/2, 1))
	}
	if got := r.Since(0, 0, nil); len(got) != maxPackets || first(got) != r.Last()-maxPackets+1 {
		t.Errorf("%d packets kept", len(got))
	}
	r.Add(batch(20, keepBytes/10))
	if got := r.Since(0, 0, nil); len(got) != 10 {
		t.Errorf("%d packets of a tenth each kept", len(got))
	}
}

// BenchmarkSee measures what a device spends on each packet, kept or not.
func BenchmarkSee(b *testing.B) {
	for _, bm := range []struct {
		name string
		take bool
	}{{"kept", true}, {"missed", false}} {
		b.Run(bm.name, func(b *testing.B) {
			in := NewIntake(begin)
			tap, data := in.NewTap("soft0"), make([]byte, 80)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tap.See(outgoing(data))
				if bm.take && i%intakePackets == 0 {
					in.Take()
				}
			}
		})
	}
}
