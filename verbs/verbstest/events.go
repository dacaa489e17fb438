package verbstest

import (
	"context"
	"errors"
	"testing"
	"time"

	"rdmatui/verbs"
)

func testCompletionEvents(t *testing.T, b *bench) {
	ch, err := b.dev.CreateCompChannel()
	b.must(err)
	b.closeAtEnd(ch)
	b.cq = b.newCQ(64, ch)
	p := b.newPair(pairOptions{})
	mr := b.newMR(64, verbs.LocalWrite)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for range 3 {
		b.must(b.cq.ReqNotify(false))
		b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)})
		b.postSend(p.a,
			verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 8)})
		cq, err := ch.GetCQEvent(ctx)
		b.must(err)
		if cq != b.cq {
			t.Fatal("the event belongs to another queue")
		}
		cq.AckEvents(1)
		b.completions(2)
	}
	t.Run("solicited only", func(t *testing.T) {
		// Discard events that remain from the previous round.
		drain(ch)
		b.must(b.cq.ReqNotify(true))
		b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)}, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 64)})
		b.postSend(p.a,
			verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 8)})
		b.completions(2)
		if drain(ch) != 0 {
			t.Error("an unsolicited SEND raised a solicited event")
		}
		b.postSend(p.a, verbs.SendWR{WRID: 4, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled | verbs.SendSolicited,
			SGList: sge(mr, 0, 8)})
		cq, err := ch.GetCQEvent(ctx)
		b.must(err)
		cq.AckEvents(1)
		b.completions(2)
	})
	t.Run("closing the queue with events unacknowledged", func(t *testing.T) {
		ch, err := b.dev.CreateCompChannel()
		b.must(err)
		b.closeAtEnd(ch)
		b.cq = b.newCQ(8, ch)
		q := b.newPair(pairOptions{})
		b.must(b.cq.ReqNotify(false))
		b.must(q.a.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		b.postSend(q.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(mr, 0, 8)})
		if _, err := ch.GetCQEvent(ctx); err != nil {
			t.Fatal(err)
		} // never acknowledged: Close must not wait for it
		b.completions(1)
	})
}

// drain takes the pending events and returns their number.
func drain(ch verbs.CompChannel) (n int) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Millisecond)
	defer cancel()
	for {
		cq, err := ch.GetCQEvent(ctx)
		if err != nil {
			return n
		}
		cq.AckEvents(1)
		n++
	}
}

func testCancelledWaits(t *testing.T, b *bench) {
	ch, err := b.dev.CreateCompChannel()
	b.must(err)
	b.closeAtEnd(ch)
	waits := map[string]func(context.Context) error{
		"GetCQEvent":    func(ctx context.Context) error { _, err := ch.GetCQEvent(ctx); return err },
		"GetAsyncEvent": func(ctx context.Context) error { _, err := b.dev.GetAsyncEvent(ctx); return err },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- wait(ctx) }()
			time.Sleep(5 * time.Millisecond) // usually it waits by now; in any case it must return
			cancel()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v, want context.Canceled", err)
				}
			case <-time.After(patience):
				t.Fatal("the cancelled wait did not return")
			}
			// The object stays usable after a cancelled wait.
			ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
			defer cancel()
			if err := wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the next wait: %v, want context.DeadlineExceeded", err)
			}
		})
	}
}

// testSolicited arms the receiver's queue for solicited completions only and sends messages with
// and without the flag; IBA 9.2.3, 11.4.2.2.
func testSolicited(t *testing.T, b *bench) {
	ch, err := b.dev.CreateCompChannel()
	b.must(err)
	b.closeAtEnd(ch)
	mr := b.newMR(4096, localAndAll)
	tests := []struct {
		name  string
		op    verbs.WROpcode
		flags verbs.SendFlags
		n     uint32
		tells bool
	}{
		{"SEND", verbs.WRSend, 0, 8, false},
		{"SEND of several packets", verbs.WRSend, 0, 4000, false},
		{"WRITE_WITH_IMM", verbs.WRRDMAWriteWithImm, 0, 8, false},
		{"solicited SEND", verbs.WRSend, verbs.SendSolicited, 8, true},
		{"solicited SEND of several packets", verbs.WRSend, verbs.SendSolicited, 4000, true},
		{"solicited SEND_WITH_IMM", verbs.WRSendWithImm, verbs.SendSolicited, 0, true},
		{"solicited WRITE_WITH_IMM", verbs.WRRDMAWriteWithImm, verbs.SendSolicited, 4000, true},
	}
	for _, tt := range tests {
		b.part(tt.name, func(t *testing.T, b *bench) {
			recvCQ := b.newCQ(8, ch)
			p := b.newPair(pairOptions{access: allRemote, specB: verbs.QPSpec{RecvCQ: recvCQ}})
			b.must(recvCQ.ReqNotify(true))
			b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 4096)})
			wr := verbs.SendWR{WRID: 2, Opcode: tt.op, SendFlags: tt.flags, RemoteAddr: mr.Addr(), RKey: mr.RKey()}
			if tt.n > 0 {
				wr.SGList = sge(mr, 0, tt.n)
			}
			b.wantComplete(p.a, wr, verbs.WCSuccess)
			if tt.tells {
				wantCQEvent(t, ch, recvCQ)
			} else if n := drain(ch); n != 0 {
				t.Errorf("%d events", n)
			}
		})
	}
	testOwnSolicited(b, ch, mr)
}

// testOwnSolicited checks completions that are not caused by a message: a failed one counts as
// solicited, and the SOLICITED flag of a SEND affects only the peer.
func testOwnSolicited(b *bench, ch verbs.CompChannel, mr verbs.MR) {
	b.part("a failed RECV", func(t *testing.T, b *bench) {
		recvCQ := b.newCQ(8, ch)
		p := b.newPair(pairOptions{specB: verbs.QPSpec{RecvCQ: recvCQ}})
		b.postRecv(p.b, verbs.RecvWR{WRID: 1})
		b.must(recvCQ.ReqNotify(true))
		b.must(p.b.Modify(toState(verbs.QPErr)))
		if b.env.has(SilentFlushedRecv) {
			wantState(t, p.b, verbs.QPErr)
			if n := drain(ch); n != 0 {
				t.Errorf("%d events", n)
			}
			return
		}
		wantCQEvent(t, ch, recvCQ)
	})
	b.part("a failed SEND", func(t *testing.T, b *bench) {
		sendCQ := b.newCQ(8, ch)
		p := b.newPair(pairOptions{specA: verbs.QPSpec{SendCQ: sendCQ}})
		b.must(sendCQ.ReqNotify(true))
		bad := sge(mr, 0, 8)
		bad[0].LKey ^= 0x5a5a00
		b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: bad})
		if b.env.has(SilentFailedSend) {
			wantState(t, p.a, verbs.QPErr)
			if n := drain(ch); n != 0 {
				t.Errorf("%d events", n)
			}
			return
		}
		wantCQEvent(t, ch, sendCQ)
	})
	b.part("a SEND that succeeds", func(t *testing.T, b *bench) {
		sendCQ := b.newCQ(8, ch)
		p := b.newPair(pairOptions{specA: verbs.QPSpec{SendCQ: sendCQ}})
		b.must(sendCQ.ReqNotify(true))
		b.postRecv(p.b, verbs.RecvWR{WRID: 1})
		b.postSend(p.a,
			verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled | verbs.SendSolicited})
		wantStatus(t, b.completions(1), 1, verbs.WCSuccess)
		if n := drain(ch); n != 0 {
			t.Errorf("%d events: SOLICITED affects only the peer", n)
		}
	})
}

// wantCQEvent waits for one event of the queue and fails on a second.
func wantCQEvent(t *testing.T, ch verbs.CompChannel, want verbs.CQ) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cq, err := ch.GetCQEvent(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if cq != want {
		t.Error("the event belongs to another queue")
	}
	cq.AckEvents(1)
	if n := drain(ch); n != 0 {
		t.Errorf("%d more events", n)
	}
}
