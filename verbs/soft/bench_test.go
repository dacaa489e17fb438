package soft

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

const benchBatch = 32

// stream keeps a's send queue and b's receive queue filled until n requests are complete.
func stream(b *testing.B, from, to *side, wr verbs.SendWR, recv verbs.RecvWR, n int) {
	depth := int(from.QP.Cap().MaxSendWR)
	needRecv := wr.Opcode.Traits().NeedRecv
	sends := make([]verbs.SendWR, benchBatch)
	recvs := make([]verbs.RecvWR, benchBatch)
	for i := range sends {
		sends[i], recvs[i] = wr, recv
	}
	wcs := make([]verbs.WC, 64)
	post := to.Recv
	if to.SRQ != nil {
		post = to.Share
	}
	posted, done, ready, received := 0, 0, 0, 0
	for done < n || needRecv && received < n {
		moved := 0
		for needRecv && ready < n && ready-received <= depth-benchBatch {
			k := min(benchBatch, n-ready)
			post(recvs[:k]...)
			ready += k
		}
		for posted < n && posted-done <= depth-benchBatch && (!needRecv || posted+benchBatch <= ready || ready == n) {
			k := min(benchBatch, n-posted)
			from.Send(sends[:k]...)
			posted += k
			moved += k
		}
		moved += count(b, from.CQ, wcs, &done)
		if needRecv {
			moved += count(b, to.CQ, wcs, &received)
		}
		if moved == 0 {
			runtime.Gosched()
		}
	}
}

// count takes completions and fails on a bad one.
func count(b *testing.B, cq verbs.CQ, wcs []verbs.WC, total *int) int {
	n, err := cq.Poll(wcs)
	if err != nil {
		b.Fatal(err)
	}
	for i := range wcs[:n] {
		if wcs[i].Failed() {
			b.Fatalf("%+v", wcs[i])
		}
	}
	*total += n
	return n
}

func benchmarkStream(b *testing.B, op verbs.WROpcode, size int, to string) {
	p := New(Options{})
	from, peer := connect(b, p, "soft0", to, pairOptions{MTU: verbs.MTU4096, Depth: 1024, RDAtomic: 16, Timeout: 20})
	src, dst := from.NewMR(size, everything), peer.NewMR(size, everything)
	wr := verbs.SendWR{
		Opcode: op, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, uint32(size)),
		RemoteAddr: dst.Addr(), RKey: dst.RKey(),
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	stream(b, from, peer, wr, verbs.RecvWR{SGList: sge(dst, 0, uint32(size))}, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
	reportLosses(b, p)
}

// BenchmarkStream measures one-way traffic with many requests outstanding, including making and checking the ICRC.
func BenchmarkStream(b *testing.B) {
	for _, bm := range []struct {
		op   verbs.WROpcode
		size int
	}{{verbs.WRSend, 64}, {verbs.WRRDMAWrite, 64}, {verbs.WRSend, 4096}, {verbs.WRRDMAWrite, 1 << 20},
		{verbs.WRRDMARead, 1 << 20}, {verbs.WRSend, 1 << 20}} {
		for _, to := range []string{"soft1", "soft0"} {
			b.Run(fmt.Sprintf("%s/%dB/soft0-%s", bm.op, bm.size, to), func(b *testing.B) {
				benchmarkStream(b, bm.op, bm.size, to)
			})
		}
	}
}

// BenchmarkSharedQueue is BenchmarkStream with the RECVs in a shared queue.
func BenchmarkSharedQueue(b *testing.B) {
	p := New(Options{})
	from, to := connect(b, p, "soft0", "soft1", pairOptions{MTU: verbs.MTU4096, Depth: 1024, Timeout: 20, Shared: 1024})
	src, dst := from.NewMR(64, 0), to.NewMR(64, verbs.LocalWrite)
	b.ReportAllocs()
	b.ResetTimer()
	stream(b, from, to, verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 64)},
		verbs.RecvWR{SGList: sge(dst, 0, 64)}, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
}

// BenchmarkPingPong sends one message each way, with polling.
func BenchmarkPingPong(b *testing.B) {
	for _, to := range []string{"soft1", "soft0"} {
		b.Run("64B/soft0-"+to, func(b *testing.B) {
			x, y := connect(b, New(Options{}), "soft0", to, pairOptions{})
			mx, my := x.NewMR(64, verbs.LocalWrite), y.NewMR(64, verbs.LocalWrite)
			wcs := make([]verbs.WC, 4)
			turn := func(from, to *side, src, dst verbs.MR) {
				to.Recv(verbs.RecvWR{SGList: sge(dst, 0, 64)})
				from.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 64)})
				for got := 0; got == 0; runtime.Gosched() {
					count(b, to.CQ, wcs, &got)
				}
			}
			b.ResetTimer()
			for range b.N {
				turn(x, y, mx, my)
				turn(y, x, my, mx)
			}
		})
	}
}

// reportLosses reports retransmissions, which should be zero: a benchmark that waits for them measures the timers.
func reportLosses(b *testing.B, p *Provider) {
	for _, device := range []string{"soft0", "soft1"} {
		for _, name := range []string{"retransmits", "rcvd_rnr_err", "timeouts", "queue_full"} {
			if n := counterOf(b, p, device, name); n > 0 {
				b.ReportMetric(float64(n), device+"-"+name)
			}
		}
	}
}

// BenchmarkBytesAlone measures the lower bound of what a 1 MiB message costs one core: each packet copied in, sealed,
// checked and copied out. The streams share this work between two engines; the load of the machine shows in both.
func BenchmarkBytesAlone(b *testing.B) {
	const size, mtu = 1 << 20, 4096
	src, dst, packet := make([]byte, size), make([]byte, size), make([]byte, 0, wire.MaxLen)
	way := must(wire.NewICRC(wire.Path{Src: netip.MustParseAddrPort("127.0.0.1:50000"),
		Dst: netip.MustParseAddrPort("127.0.0.2:4791")}))(b)
	b.SetBytes(size)
	for b.Loop() {
		for off := 0; off < size; off += mtu {
			packet = way.Append(0, append(packet[:0], src[off:off+mtu]...))
			if !way.Verify(0, packet) {
				b.Fatal("refused")
			}
			copy(dst[off:], packet[:mtu])
		}
	}
}
