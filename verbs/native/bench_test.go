package native_test

import (
	"testing"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// BenchmarkPostPoll measures what a WRITE of 8 bytes to oneself costs, from post
// to completion; with rxe nearly all of it is the kernel's. BenchmarkEmptyPoll is
// a call of C and what surrounds it.
func BenchmarkPostPoll(b *testing.B) {
	for _, batch := range []int{1, 8, 32} {
		b.Run(map[int]string{1: "batch=1", 8: "batch=8", 32: "batch=32"}[batch], func(b *testing.B) {
			vmtest.Need(b)
			r := openRig(b)
			qp, _ := r.pair(verbs.RC)
			mr := r.mr(4096, verbs.LocalWrite|verbs.RemoteWrite)
			wrs := make([]verbs.SendWR, batch)
			for i := range wrs {
				wrs[i] = verbs.SendWR{
					WRID: uint64(i), Opcode: verbs.WRRDMAWrite,
					SGList:     []verbs.SGE{{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}},
					RemoteAddr: mr.Addr() + 64, RKey: mr.RKey(),
				}
			}
			wrs[batch-1].SendFlags = verbs.SendSignaled
			wcs := make([]verbs.WC, 16)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if n, err := qp.PostSend(wrs...); err != nil {
					b.Fatal(n, err)
				}
				for {
					n, err := r.cq.Poll(wcs)
					if err != nil || n > 0 && wcs[0].Failed() {
						b.Fatal(err, wcs[0])
					}
					if n > 0 {
						break
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/WR")
		})
	}
}

func BenchmarkEmptyPoll(b *testing.B) {
	vmtest.Need(b)
	r := openRig(b)
	wcs := make([]verbs.WC, 16)
	b.ReportAllocs()
	for b.Loop() {
		if n, err := r.cq.Poll(wcs); n != 0 || err != nil {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkPostRecv(b *testing.B) {
	vmtest.Need(b)
	r := openRig(b)
	qp, _ := r.pair(verbs.RC)
	mr := r.mr(64, verbs.LocalWrite)
	wr := verbs.RecvWR{SGList: []verbs.SGE{{Addr: mr.Addr(), Length: 64, LKey: mr.LKey()}}}
	wrs := []verbs.RecvWR{wr, wr, wr, wr, wr, wr, wr, wr}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := qp.PostRecv(wrs...); err != nil {
			b.StopTimer()
			r.reset(qp)
			b.StartTimer()
		}
	}
}
