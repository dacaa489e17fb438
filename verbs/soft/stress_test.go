package soft

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// TestManyAtOnce runs several connections between both devices, each with a poster at either end, while the states of
// some are changed concurrently. Each request must complete exactly once.
func TestManyAtOnce(t *testing.T) {
	p := New(Options{})
	var wg sync.WaitGroup
	for i := range 6 {
		w := ways[i%len(ways)]
		a, b := connect(t, p, w.from, w.to, pairOptions{MTU: verbs.MTU256, Depth: 16, RNRTimer: 1, Timeout: patient})
		broken := i >= 4
		wg.Go(func() { shuttle(t, a, b, uint64(i), broken) })
	}
	wg.Wait()
}

// shuttle posts n requests of mixed kinds at a and n RECVs at b, and waits for all completions.
func shuttle(t *testing.T, a, b *side, seed uint64, broken bool) {
	const n = 400
	src, dst := a.NewMR(4096, everything), b.NewMR(4096, everything)
	var wg sync.WaitGroup
	var failed atomic.Bool
	wg.Go(func() { // the receiver
		once(t, b, n, func(id uint64) error {
			_, err := b.QP.PostRecv(verbs.RecvWR{WRID: id, SGList: sge(dst, 0, 4096)})
			return err
		}, &failed)
	})
	wg.Go(func() { // queries and changes states concurrently
		for range 50 {
			if _, _, err := a.QP.Query(verbs.AttrState); err != nil {
				t.Error(err)
			}
			runtime.Gosched()
		}
		if broken {
			failed.Store(true)
			for _, s := range []*side{a, b} {
				if err := s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	rnd := rand.New(rand.NewPCG(seed, 1))
	once(t, a, n, func(id uint64) error {
		wr := verbs.SendWR{
			WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, rnd.Uint32N(1500)),
		}
		if id%3 == 1 {
			wr.Opcode = verbs.WRRDMAWriteWithImm
			wr.RemoteAddr, wr.RKey = dst.Addr(), dst.RKey()
		}
		_, err := a.QP.PostSend(wr)
		return err
	}, &failed)
	wg.Wait()
}

// once posts n requests as the queue accepts them and counts their completions.
func once(t *testing.T, s *side, n uint64, post func(id uint64) error, failed *atomic.Bool) {
	seen := make([]bool, n)
	wcs := make([]verbs.WC, 8)
	for posted, done := uint64(0), uint64(0); done < n; {
		if posted < n {
			switch err := post(posted); {
			case err == nil:
				posted++
			case !errors.Is(err, syscall.ENOMEM):
				t.Error(err)
				return
			}
		}
		k, err := s.CQ.Poll(wcs)
		if err != nil {
			t.Error(err)
			return
		}
		for _, wc := range wcs[:k] {
			if seen[wc.WRID] || wc.Failed() && !failed.Load() {
				t.Errorf("%+v", wc)
				return
			}
			seen[wc.WRID] = true
			done++
		}
		if k == 0 {
			runtime.Gosched()
		}
	}
}

// TestCrowdedLink has more packets in flight than the link takes without pausing senders. A pause must neither lose a
// packet nor leave a sender asleep.
func TestCrowdedLink(t *testing.T) {
	for _, op := range []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRRDMARead} {
		for _, to := range []string{"soft0", "soft1"} {
			t.Run(op.String()+" to "+to, func(t *testing.T) {
				const conns, size = 12, 1 << 18
				p := New(Options{})
				var sides []*side
				for range conns {
					a, b := connect(t, p, "soft0", to, pairOptions{MTU: verbs.MTU256, Timeout: patient})
					src, dst := a.NewMR(size, everything), b.NewMR(size, everything)
					fill(t, src, pattern(size, 1), 0)
					fill(t, dst, pattern(size, 1), 0)
					for range 4 {
						a.Send(verbs.SendWR{Opcode: op, SGList: sge(src, 0, size), RemoteAddr: dst.Addr(),
							RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
					}
					sides = append(sides, a)
				}
				for _, a := range sides {
					for range 4 {
						a.Want(0, verbs.WCSuccess)
					}
				}
				for _, device := range []string{"soft0", "soft1"} {
					for _, name := range []string{"queue_full", "retransmits", "bad_icrc"} {
						if n := counterOf(t, p, device, name); n > 0 {
							t.Errorf("%s: %d %s", device, n, name)
						}
					}
				}
				pauses := p.adapters[0].faulty.Counters().Pauses
				if to == "soft1" {
					pauses += p.adapters[1].faulty.Counters().Pauses
				}
				if pauses == 0 {
					t.Error("no sender had to pause: the test proves nothing")
				}
			})
		}
	}
}
