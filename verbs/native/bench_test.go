package native_test

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// BenchmarkPostPoll measures a WRITE of 8 bytes to its own memory, from post to
// completion; with rxe the kernel takes nearly all of the time. BenchmarkEmptyPoll
// measures one call into C.
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

// BenchmarkPingPong sends 64 bytes each way between two open devices, as
// ibv_rc_pingpong(1) does between two processes: each side answers when its own SEND
// and the peer's are complete.
func BenchmarkPingPong(b *testing.B) {
	vmtest.Need(b)
	left, right := openRig(b), openRig(b)
	a, z := left.qp(verbs.RC, left.cq), right.qp(verbs.RC, right.cq)
	left.connect(a, z)
	right.connect(z, a)
	players := []*player{newPlayer(left, a), newPlayer(right, z)}
	b.ResetTimer()
	done := make(chan error, 2)
	for i, p := range players {
		go func() { done <- p.play(b.N, i == 0) }()
	}
	for range players {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

type player struct {
	cq   verbs.CQ
	qp   verbs.QP
	send [1]verbs.SendWR
	recv []verbs.RecvWR
}

func newPlayer(r *rig, qp verbs.QP) *player {
	mr := r.mr(4096, verbs.LocalWrite)
	p := &player{cq: r.cq, qp: qp}
	p.send[0] = verbs.SendWR{WRID: ownSend, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 64)}
	for range 100 {
		p.recv = append(p.recv, verbs.RecvWR{WRID: itsRecv, SGList: sge(mr, 64, 64)})
	}
	_, err := qp.PostRecv(p.recv...)
	r.must(err)
	return p
}

// The wr_ids double as bits of the set of completions that a player waits for.
const (
	itsRecv = 1
	ownSend = 2
)

func (p *player) play(n int, first bool) error {
	wcs := make([]verbs.WC, 2)
	var count [3]int // by wr_id
	pending := uint64(itsRecv)
	if first {
		pending = 0
	}
	for posted, given := 0, len(p.recv); count[itsRecv] < n || count[ownSend] < n; {
		if pending == 0 && posted < n {
			if _, err := p.qp.PostSend(p.send[:]...); err != nil {
				return err
			}
			posted++
			pending = itsRecv | ownSend
		}
		k, err := p.cq.Poll(wcs)
		if err != nil {
			return err
		}
		for i := range wcs[:k] {
			if wcs[i].Failed() {
				return fmt.Errorf("wr_id %d: %s", wcs[i].WRID, wcs[i].Status)
			}
			count[wcs[i].WRID]++
			pending &^= wcs[i].WRID
		}
		if used := len(p.recv) - (given - count[itsRecv]); used > len(p.recv)/2 {
			if _, err := p.qp.PostRecv(p.recv[:used]...); err != nil {
				return err
			}
			given += used
		}
	}
	return nil
}
