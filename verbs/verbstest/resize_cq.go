package verbstest

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
)

// testResizeCQ changes the size of a queue while completions wait in it.
func testResizeCQ(t *testing.T, b *bench) {
	const n = 10
	attr, err := b.dev.QueryDevice()
	b.must(err)
	cq := b.newCQ(n, nil)
	q, ok := cq.(verbs.CQResizer)
	if !ok {
		t.Fatalf("%T cannot be resized", cq)
	}
	p := b.newPair(pairOptions{specB: verbs.QPSpec{RecvCQ: cq}})
	src, dst := b.newMR(64, 0), b.newMR(64, verbs.LocalWrite)
	var sent, taken uint64
	send := func(k int) { // a SEND is done after its RECV
		for range k {
			b.postRecv(p.b, verbs.RecvWR{WRID: sent, SGList: sge(dst, 0, 64)})
			b.wantComplete(p.a, verbs.SendWR{WRID: sent, Opcode: verbs.WRSend, SGList: sge(src, 0, 8)}, verbs.WCSuccess)
			sent++
		}
	}
	take := func(k int) {
		t.Helper()
		var wc [1]verbs.WC
		for deadline := time.Now().Add(patience); k > 0 && time.Now().Before(deadline); {
			n, err := cq.Poll(wc[:])
			b.must(err)
			if n == 0 {
				continue
			}
			if wc[0].WRID != taken || wc[0].Status != verbs.WCSuccess {
				t.Errorf("%s; want wr_id %d", describe(wc[0]), taken)
			}
			taken++
			k--
		}
		if k > 0 {
			t.Fatalf("%d completions are missing", k)
		}
	}
	resize := func(cqe int) {
		t.Helper()
		b.must(q.Resize(cqe))
		if cq.CQE() < cqe {
			t.Errorf("%d entries, asked for %d", cq.CQE(), cqe)
		}
	}
	refused := func(cqe int) {
		t.Helper()
		before := cq.CQE()
		if err := q.Resize(cqe); !errors.Is(err, syscall.EINVAL) || cq.CQE() != before {
			t.Errorf("%d entries: %v, and it has %d; want EINVAL and %d", cqe, err, cq.CQE(), before)
		}
	}

	send(4)
	take(4) // so that what waits does not begin at the ring's first entry
	send(n)
	take(1)
	refused(n - 2)
	refused(0)
	refused(-1)
	refused(int(attr.MaxCQE) + 1)
	resize(4 * n)
	send(2 * n)
	take(2*n - 1)
	resize(n) // full
	take(n)
	resize(1)
	send(1)
	take(1)
	if k, err := cq.Poll(make([]verbs.WC, 2)); k != 0 || err != nil {
		t.Errorf("%d more, %v", k, err)
	}
	b.part("a closed queue", testResizeClosedCQ)
}

func testResizeClosedCQ(t *testing.T, b *bench) {
	cq, err := b.dev.CreateCQ(verbs.CQSpec{CQE: 4})
	b.must(err)
	b.must(cq.Close())
	if err := cq.(verbs.CQResizer).Resize(8); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
}
