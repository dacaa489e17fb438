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

// TestManyAtOnce runs several connections between both devices, each with a poster at either end, while the states of some are
// changed under their feet. Each request must complete once and only once.
func TestManyAtOnce(t *testing.T) {
	p := New(Options{})
	var wg sync.WaitGroup
	for i := range 6 {
		w := ways[i%len(ways)]
		a, b := connect(t, p, w.from, w.to, pairOptions{mtu: verbs.MTU256, depth: 16, rnrTimer: 1})
		broken := i >= 4
		wg.Go(func() { shuttle(t, a, b, uint64(i), broken) })
	}
	wg.Wait()
}

// shuttle posts n requests of mixed kinds at a and n RECVs at b, and waits for all completions.
func shuttle(t *testing.T, a, b *side, seed uint64, broken bool) {
	const n = 400
	src, dst := a.newMR(4096, everything), b.newMR(4096, everything)
	var wg sync.WaitGroup
	var failed atomic.Bool
	wg.Go(func() { // the receiver
		once(t, b, n, func(id uint64) error {
			_, err := b.qp.PostRecv(verbs.RecvWR{WRID: id, SGList: sge(dst, 0, 4096)})
			return err
		}, &failed)
	})
	wg.Go(func() { // somebody who looks on and interferes
		for range 50 {
			if _, _, err := a.qp.Query(verbs.AttrState); err != nil {
				t.Error(err)
			}
			runtime.Gosched()
		}
		if broken {
			failed.Store(true)
			for _, s := range []*side{a, b} {
				if err := s.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	rnd := rand.New(rand.NewPCG(seed, 1))
	once(t, a, n, func(id uint64) error {
		wr := verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, rnd.Uint32N(1500))}
		if id%3 == 1 {
			wr.Opcode = verbs.WRRDMAWriteWithImm
			wr.RemoteAddr, wr.RKey = dst.Addr(), dst.RKey()
		}
		_, err := a.qp.PostSend(wr)
		return err
	}, &failed)
	wg.Wait()
}

// once posts n requests as the queue takes them and counts their completions.
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
		k, err := s.cq.Poll(wcs)
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
