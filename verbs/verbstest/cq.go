package verbstest

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
)

// testResizeCQ resizes a queue that holds completions.
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
	send := func(k int) { // a SEND completes after its RECV
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
			t.Errorf("resizing to %d entries: %v, and cqe is %d; want EINVAL and %d", cqe, err, cq.CQE(), before)
		}
	}

	send(4)
	take(4) // so that the pending completions do not begin at the ring's first entry
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

// testExtendedCQ polls a queue made by ibv_create_cq_ex: its completions have the usual fields,
// and a timestamp if the device has a clock for it.
func testExtendedCQ(t *testing.T, b *bench) {
	b.part("standard fields", func(t *testing.T, b *bench) { b.extendedMessages(t, 1<<0) }) // BYTE_LEN
	ex, err := b.dev.QueryDeviceEx()
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		t.Fatal(err)
	}
	stamps := verbs.CQWithTimestamp
	if ex.CompletionTimestampMask == 0 {
		if cq, err := b.dev.CreateCQ(verbs.CQSpec{CQE: 4, WCFlags: stamps}); !errors.Is(err, syscall.EOPNOTSUPP) {
			t.Errorf("%v, %v; want EOPNOTSUPP from a device without a clock", cq, err)
		}
		return
	}
	b.part("time stamps", func(t *testing.T, b *bench) {
		before := time.Now()
		wcs := b.extendedMessages(t, stamps|verbs.CQWithWallclock)
		for i, wc := range wcs {
			at := time.Unix(0, int64(wc.CompletionWallclockNS))
			if wc.Stamps != stamps|verbs.CQWithWallclock || at.Before(before.Add(-time.Second)) ||
				at.After(time.Now().Add(time.Second)) {
				t.Errorf("completion %d: %s, at %s", i, wc.Stamps, at)
			}
			if i > 0 && wc.CompletionTS < wcs[i-1].CompletionTS {
				t.Errorf("completion %d has timestamp %d, the one before it %d", i, wc.CompletionTS,
					wcs[i-1].CompletionTS)
			}
		}
	})
	if _, err := b.dev.CreateCQ(verbs.CQSpec{CQE: 4, WCFlags: 1 << 50}); err == nil {
		t.Error("a queue with an undefined field was created")
	}
}

// extendedMessages sends messages between queue pairs that complete into a queue with the given
// fields, and returns the completions of the RECVs. The last message finds no RECV.
func (b *bench) extendedMessages(t *testing.T, fields verbs.CQWCFlags) (recvs []verbs.WC) {
	t.Helper()
	const n = 5
	cq, err := b.dev.CreateCQ(verbs.CQSpec{CQE: 32, WCFlags: fields})
	b.must(err)
	b.closeAtEnd(cq)
	if k, err := cq.Poll(make([]verbs.WC, 4)); k != 0 || err != nil {
		t.Errorf("an empty queue: %d, %v", k, err)
	}
	p := b.newPair(pairOptions{
		timeout: 8, retryCnt: 1, rnrRetry: noRNRRetries,
		specA: verbs.QPSpec{SendCQ: cq}, specB: verbs.QPSpec{RecvCQ: cq},
	})
	src, dst := b.newMR(64, 0), b.newMR(64, verbs.LocalWrite)
	for i := range uint64(n) {
		b.postRecv(p.b, verbs.RecvWR{WRID: 100 + i, SGList: sge(dst, 0, 64)})
	}
	for i := range uint64(n + 1) {
		b.postSend(p.a, verbs.SendWR{WRID: i, Opcode: verbs.WRSendWithImm, ImmData: 0x01020304 + uint32(i),
			SendFlags: verbs.SendSignaled, SGList: sge(src, 0, uint32(i))})
	}
	var sends, seen int
	wcs := make([]verbs.WC, 3)
	for deadline := time.Now().Add(patience); seen < 2*n+1; {
		k, err := cq.Poll(wcs)
		b.must(err)
		for _, wc := range wcs[:k] {
			switch i := wc.WRID; {
			case i >= 100:
				i -= 100
				if wc.Status != verbs.WCSuccess || wc.Opcode != verbs.WCRecv || wc.ByteLen != uint32(i) ||
					wc.ImmData != 0x01020304+uint32(i) || wc.QPNum != p.b.Num() {
					t.Errorf("%s, imm_data 0x%x", describe(wc), wc.ImmData)
				}
				recvs = append(recvs, wc)
			case i == n && wc.Status != verbs.WCRNRRetryExcErr, i < n && wc.Status != verbs.WCSuccess,
				wc.QPNum != p.a.Num():
				t.Errorf("%s", describe(wc))
			default:
				sends++
			}
			seen++
		}
		if k == 0 {
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d completions came", seen, 2*n+1)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
	if sends != n+1 || len(recvs) != n {
		t.Errorf("%d and %d completions", sends, len(recvs))
	}
	return recvs
}

// testModerateCQ moderates the events of a queue. A device without moderation must say that it has none.
func testModerateCQ(t *testing.T, b *bench) {
	ex, err := b.dev.QueryDeviceEx()
	if err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		t.Fatal(err)
	}
	ch, err := b.dev.CreateCompChannel()
	b.must(err)
	b.closeAtEnd(ch)
	cq := b.newCQ(64, ch)
	q, ok := cq.(verbs.CQModerator)
	if !ok {
		t.Fatalf("%T cannot be moderated", cq)
	}
	if ex.CQModCaps.MaxCQCount == 0 {
		if err := q.Moderate(verbs.CQModeration{Count: 4, Period: 100}); !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("%v; want an error that matches ErrUnsupported", err)
		}
		return
	}
	p := b.newPair(pairOptions{specB: verbs.QPSpec{RecvCQ: cq}})
	src, dst := b.newMR(64, 0), b.newMR(64, verbs.LocalWrite)
	for _, m := range []verbs.CQModeration{
		{Count: 4, Period: ex.CQModCaps.MaxCQPeriod}, {Count: ex.CQModCaps.MaxCQCount, Period: 50}, {},
		{Count: 1, Period: 9},
	} {
		b.must(q.Moderate(m))
		b.must(cq.ReqNotify(false))
		for range 4 {
			b.postRecv(p.b, verbs.RecvWR{SGList: sge(dst, 0, 64)})
			b.wantComplete(p.a, verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 8)}, verbs.WCSuccess)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		got, err := ch.GetCQEvent(ctx)
		cancel()
		if err != nil || got != cq {
			t.Fatalf("%+v: %v", m, err)
		}
		cq.AckEvents(1)
		if n, err := cq.Poll(make([]verbs.WC, 8)); n != 4 || err != nil {
			t.Errorf("%+v: %d completions, %v", m, n, err)
		}
	}
}
