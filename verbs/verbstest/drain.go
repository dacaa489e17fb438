package verbstest

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

func toSQD(notify bool) verbs.QPAttr {
	return verbs.QPAttr{
		Mask: verbs.AttrState | verbs.AttrEnSQDAsyncNotify, QPState: verbs.QPSQD, EnSQDAsyncNotify: notify,
	}
}

// testDrain takes queue pairs to SQD and back; IBA 10.3.1.5.
func testDrain(t *testing.T, b *bench) {
	b.part("with a request under way", testDrainUnderWay)
	for _, typ := range queuePairTypes {
		b.part("at rest "+typ.String(), func(t *testing.T, b *bench) { testDrainAtRest(t, b, typ) })
	}
	b.part("attributes that may change", testChangeInSQD)
}

// testDrainUnderWay stops a send queue while a request waits for a RECV, so that the test
// decides when the queue has drained.
func testDrainUnderWay(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{rnrTimer: 1})
	send := func(id uint64) verbs.SendWR {
		return verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
	}
	// The first completion shows that the next request is under way, not merely posted.
	b.postRecv(p.b, verbs.RecvWR{WRID: 10})
	b.postSend(p.a, send(0), send(1))
	b.completions(2)
	b.must(p.a.Modify(toSQD(true)))
	b.postSend(p.a, send(2))
	if b.env.has(SQDStopsRetries) {
		b.wantEvents(event{verbs.EventSQDrained, p.a})
		b.resume(p.a, send(3))
		for id := range uint64(3) {
			b.postRecv(p.b, verbs.RecvWR{WRID: 11 + id})
		}
		b.completions(6)
		return
	}
	attr, _, err := p.a.Query(verbs.AttrState)
	b.must(err)
	if attr.QPState != verbs.QPSQD || !attr.SQDraining {
		t.Errorf("%s, sq_draining %v; want SQD and draining", attr.QPState, attr.SQDraining)
	}
	if err := p.a.Modify(toState(verbs.QPRTS)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("move to RTS while draining: %v, want EINVAL", err)
	}
	b.noEvent()
	b.postRecv(p.b, verbs.RecvWR{WRID: 11}, verbs.RecvWR{WRID: 12})
	got := b.completions(2)
	wantStatus(t, got, 1, verbs.WCSuccess)
	wantStatus(t, got, 11, verbs.WCSuccess)
	b.wantEvents(event{verbs.EventSQDrained, p.a})
	if attr, _, err = p.a.Query(verbs.AttrState); err != nil || attr.QPState != verbs.QPSQD || attr.SQDraining {
		t.Errorf("%s, sq_draining %v, %v; want SQD and drained", attr.QPState, attr.SQDraining, err)
	}
	b.noCompletion() // requests posted in SQD wait
	b.resume(p.a, send(3))
	got = b.completions(2)
	wantStatus(t, got, 2, verbs.WCSuccess)
	wantStatus(t, got, 12, verbs.WCSuccess)
}

// testDrainAtRest stops an empty send queue.
func testDrainAtRest(t *testing.T, b *bench, typ verbs.QPType) {
	tk := b.newTalkers(typ)
	mr := b.newMR(256, verbs.LocalWrite)
	b.postRecv(tk.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
	more := 0 // completions of the request that resumes the queue
	if b.env.has(LateResume) {
		b.postRecv(tk.b, verbs.RecvWR{WRID: 4, SGList: sge(mr, 0, 128)})
		more = 2
	}
	for round := range 2 {
		b.must(tk.a.Modify(toSQD(round == 0)))
		if round == 0 || b.env.has(UnaskedSQDrained) {
			b.wantEvents(event{verbs.EventSQDrained, tk.a})
		} else {
			b.noEvent()
		}
		if round == 0 {
			b.must(tk.a.Modify(toState(verbs.QPRTS)))
		}
	}
	b.postSend(tk.a, tk.send(2, tk.b, nil))
	b.noEvent()
	b.noCompletion()
	b.resume(tk.a, tk.send(3, tk.b, nil))
	got := b.completions(2 + more)
	wantStatus(t, got, 1, verbs.WCSuccess)
	wantStatus(t, got, 2, verbs.WCSuccess)
}

func testChangeInSQD(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{})
	b.must(p.a.Modify(toState(verbs.QPSQD)))
	mask := verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMinRNRTimer
	b.must(p.a.Modify(verbs.QPAttr{Mask: mask, Timeout: 9, RetryCnt: 3, RNRRetry: 5, MinRNRTimer: 7}))
	attr, _, err := p.a.Query(mask)
	b.must(err)
	if attr.Timeout != 9 || attr.RetryCnt != 3 || attr.RNRRetry != 5 || attr.MinRNRTimer != 7 {
		t.Errorf("timeout %d retry_cnt %d rnr_retry %d min_rnr_timer %d", attr.Timeout, attr.RetryCnt,
			attr.RNRRetry, attr.MinRNRTimer)
	}
}

// resume takes a drained queue pair back to RTS. With LateResume it posts wake to restart the queue.
func (b *bench) resume(qp verbs.QP, wake verbs.SendWR) {
	b.t.Helper()
	b.must(qp.Modify(toState(verbs.QPRTS)))
	if b.env.has(LateResume) {
		b.postSend(qp, wake)
	}
}
