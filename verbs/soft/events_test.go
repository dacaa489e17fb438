package soft

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

func TestCommEst(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{StayInRTR: true})
	for id := range uint64(3) {
		b.Recv(verbs.RecvWR{WRID: id})
		a.Send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		a.Want(id, verbs.WCSuccess)
		b.Want(id, verbs.WCSuccess)
	}
	if ev := b.NextEvent(verbs.EventCommEst); ev.QP != b.QP {
		t.Errorf("of %v", ev.QP)
	}
	b.NoEvent() // reported once only
	a.NoEvent()
}

// TestDrained moves to SQD with a request in flight: it completes, then the event is reported, and a later request
// waits until RTS.
func TestDrained(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{})
		a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}) // RNR
		synctest.Wait()
		ok(t, a.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrEnSQDAsyncNotify, QPState: verbs.QPSQD,
			EnSQDAsyncNotify: true}))
		a.Send(verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled})
		if attr, _, _ := a.QP.Query(0); !attr.SQDraining {
			t.Error("not draining")
		}
		a.NoEvent()
		b.Recv(verbs.RecvWR{WRID: 3})
		time.Sleep(time.Second)
		synctest.Wait()
		a.NextEvent(verbs.EventSQDrained)
		a.Want(1, verbs.WCSuccess)
		a.Nothing()
		if attr, _, _ := a.QP.Query(0); attr.SQDraining || attr.QPState != verbs.QPSQD {
			t.Errorf("%+v", attr)
		}
		ok(t, a.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS}))
		a.Want(2, verbs.WCSuccess)
		a.NoEvent()
	})
}

// TestCompletionQueueOverrun fills a queue of two entries: it fails, and so does the queue pair.
func TestCompletionQueueOverrun(t *testing.T) {
	a, _ := connect(t, New(Options{}), "soft0", "soft1", pairOptions{CQE: 2})
	wr := verbs.SendWR{Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled}
	a.Send(wr, wr, wr, wr)
	if ev := a.NextEvent(verbs.EventCQErr); ev.CQ != a.CQ {
		t.Errorf("of %v", ev.CQ)
	}
	if ev := a.NextEvent(verbs.EventQPFatal); ev.QP != a.QP {
		t.Errorf("of %v", ev.QP)
	}
	a.WaitState(verbs.QPErr)
	for _, wc := range a.Wait(2) {
		if wc.Status != verbs.WCSuccess {
			t.Errorf("%+v", wc)
		}
	}
	a.Nothing()
	a.NoEvent()
}

func TestNotification(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		o := pairOptions{}.WithDefaults()
		a, b := newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
		ch := must(b.Dev.CreateCompChannel())(t)
		closeAtEnd(t, ch)
		b.CQ = must(b.Dev.CreateCQ(verbs.CQSpec{CQE: 64, Channel: ch}))(t)
		closeAtEnd(t, b.CQ)
		b.QP = b.NewQP(o)
		bringUp(t, a, b, o)
		one := func(flags verbs.SendFlags) {
			b.Recv(verbs.RecvWR{WRID: 1})
			a.Send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: flags})
			b.Want(1, verbs.WCSuccess)
			synctest.Wait()
		}
		events := func() (n int) {
			for ; ; n++ {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				cq, err := ch.GetCQEvent(ctx)
				cancel()
				if err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Fatal(err)
					}
					return n
				}
				if cq != b.CQ {
					t.Error("an event of another queue")
				}
			}
		}
		for _, tt := range []struct {
			name  string
			arm   func() error
			flags []verbs.SendFlags
			want  int
		}{
			{"not armed", func() error { return nil }, []verbs.SendFlags{0, verbs.SendSolicited}, 0},
			{"armed: one event however many come", func() error { return b.CQ.ReqNotify(false) },
				[]verbs.SendFlags{0, 0, verbs.SendSolicited}, 1},
			{"solicited only: the others raise none", func() error { return b.CQ.ReqNotify(true) },
				[]verbs.SendFlags{0, 0}, 0},
			{"solicited only, still armed", func() error { return nil },
				[]verbs.SendFlags{verbs.SendSolicited, verbs.SendSolicited}, 1},
			{"any takes precedence over solicited", func() error { b.CQ.ReqNotify(false); return b.CQ.ReqNotify(true) },
				[]verbs.SendFlags{0}, 1},
		} {
			ok(t, tt.arm())
			for _, f := range tt.flags {
				one(f)
			}
			if got := events(); got != tt.want {
				t.Errorf("%s: %d events, want %d", tt.name, got, tt.want)
			}
		}
		ok(t, b.CQ.ReqNotify(true))
		ok(t, b.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		b.Recv(verbs.RecvWR{WRID: 5})
		b.Want(5, verbs.WCWRFlushErr)
		if events() != 1 {
			t.Error("a failed completion counts as solicited")
		}
	})
}

// TestEventsVanishWithTheirObject closes objects that have pending events.
func TestEventsVanishWithTheirObject(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{})
	a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(a.NewMR(8, everything), 0, 8)})
	a.Want(1, verbs.WCRemAccessErr)
	b.WaitState(verbs.QPErr)
	ok(t, b.QP.Close())
	b.NoEvent()

	full, _ := connect(t, New(Options{}), "soft0", "soft1", pairOptions{CQE: 1})
	wr := verbs.SendWR{Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled}
	full.Send(wr, wr)
	full.WaitState(verbs.QPErr)
	ok(t, full.QP.Close())
	ok(t, full.CQ.Close())
	full.NoEvent()

	one, shared := connect(t, New(Options{}), "soft0", "soft1", pairOptions{Shared: 1})
	ok(t, shared.SRQ.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 1}))
	shared.Share(verbs.RecvWR{WRID: 1})
	one.Send(verbs.SendWR{Opcode: verbs.WRSend})
	shared.Want(1, verbs.WCSuccess)
	ok(t, shared.QP.Close())
	ok(t, shared.SRQ.Close())
	shared.NoEvent()
}
