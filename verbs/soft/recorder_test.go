package soft

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestRecorderAgreesWithTap: the recorder keeps what a tap shows, packet by packet, up to the end of the headers.
func TestRecorderAgreesWithTap(t *testing.T) {
	p := New(Options{})
	a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
	src, dst := a.NewMR(4096, everything), b.NewMR(4096, everything)
	round := func() {
		a.Send(verbs.SendWR{Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, 3001), RemoteAddr: dst.Addr(),
			RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
		a.Want(0, verbs.WCSuccess)
		a.Send(verbs.SendWR{Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(src, 0, 8), RemoteAddr: dst.Addr(),
			RKey: dst.RKey(), CompareAdd: 7, SendFlags: verbs.SendSignaled})
		a.Want(0, verbs.WCSuccess)
	}
	round()
	alone := must(p.RecordedPackets("soft0"))(t)
	w := tapBoth(t, p)
	round()
	both := must(p.RecordedPackets("soft0"))(t)[len(alone):]
	if len(alone) != len(both) || len(both) == 0 {
		t.Fatalf("%d packets recorded without a tap, and %d with a tap", len(alone), len(both))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := 0
	for k, s := range w.seen {
		if s.device != "soft0" {
			continue
		}
		h, raw := &both[i], w.raw[k]
		if i++; h.Outgoing != s.outgoing || h.Len != len(raw) || h.At.IsZero() || h.Src != w.path[k][0] ||
			h.Dst != w.path[k][1] || h.IP.HopLimit == 0 {
			t.Errorf("packet %d: %+v, want outgoing %v, %d bytes", i, h, s.outgoing, len(raw))
		}
		if n := min(len(raw)-wire.ICRCLen, len(h.Head)); !bytes.Equal(h.Head[:n], raw[:n]) {
			t.Errorf("packet %d begins with %x, want %x", i, h.Head, raw[:n])
		}
	}
	if i != len(both) {
		t.Errorf("the tap has shown %d packets of %d", i, len(both))
	}
	if _, err := p.RecordedPackets("soft9"); !errors.Is(err, syscall.ENODEV) {
		t.Error(err)
	}
}

// TestRecorderIsBounded: the newest packets are kept, and none of a closed device.
func TestRecorderIsBounded(t *testing.T) {
	p := New(Options{})
	d := must(p.Open("soft0"))(t)
	r := &p.adapter("soft0").recorder
	for i := range 3 * maxRecorded {
		r.record([]*link.Packet{{Path: &link.Path{}, Data: fmt.Appendf(nil, "%08d", i)}}, true)
	}
	all := must(p.RecordedPackets("soft0"))(t)
	if first, last := string(all[0].Head[:8]),
		string(all[len(all)-1].Head[:8]); len(all) != maxRecorded || first != "00008192" || last != "00012287" {
		t.Errorf("%d kept, from %s to %s", len(all), first, last)
	}
	r.record([]*link.Packet{{Path: &link.Path{}, Data: []byte("short")}}, true)
	all = must(p.RecordedPackets("soft0"))(t)
	// in the place of a longer one
	if last := all[len(all)-1]; string(bytes.TrimRight(last.Head[:], "\x00")) != "short" {
		t.Errorf("%q", last.Head)
	}
	ok(t, d.Close())
	if all := must(p.RecordedPackets("soft0"))(t); len(all) != 0 {
		t.Errorf("%d kept of a closed device", len(all))
	}
}

// TestHeadHoldsHeaders checks that the headers of each opcode fit.
func TestHeadHoldsHeaders(t *testing.T) {
	for op := range 256 {
		info, known := wire.Opcode(op).Info()
		if n := len((&wire.Packet{BTH: wire.BTH{Opcode: wire.Opcode(op)}}).Append(nil)); known &&
			n > verbs.PacketHeadLen {
			t.Errorf("%s: the headers have %d bytes", info.Name, n)
		}
	}
}

// BenchmarkRecorder measures the cost of recording one packet, sent alone and in a batch.
func BenchmarkRecorder(b *testing.B) {
	for _, n := range []int{1, 32} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := recorder{began: time.Now()}
			batch := slices.Repeat([]*link.Packet{{Data: make([]byte, 1024)}}, n)
			b.ReportAllocs()
			for b.Loop() {
				r.record(batch, true)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/packet")
		})
	}
}
