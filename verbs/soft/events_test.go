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
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{stayInRTR: true})
	for id := range uint64(3) {
		b.recv(verbs.RecvWR{WRID: id})
		a.send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		a.want(id, verbs.WCSuccess)
		b.want(id, verbs.WCSuccess)
	}
	if ev := b.nextEvent(verbs.EventCommEst); ev.QP != b.qp {
		t.Errorf("of %v", ev.QP)
	}
	b.noEvent() // reported once only
	a.noEvent()
}

// TestDrained moves to SQD with a request in flight: it completes, then the event is reported, and a later request
// waits until RTS.
func TestDrained(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{})
		a.send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}) // RNR
		synctest.Wait()
		ok(t, a.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrEnSQDAsyncNotify, QPState: verbs.QPSQD,
			EnSQDAsyncNotify: true}))
		a.send(verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled})
		if attr, _, _ := a.qp.Query(0); !attr.SQDraining {
			t.Error("not draining")
		}
		a.noEvent()
		b.recv(verbs.RecvWR{WRID: 3})
		time.Sleep(time.Second)
		synctest.Wait()
		a.nextEvent(verbs.EventSQDrained)
		a.want(1, verbs.WCSuccess)
		a.nothing()
		if attr, _, _ := a.qp.Query(0); attr.SQDraining || attr.QPState != verbs.QPSQD {
			t.Errorf("%+v", attr)
		}
		ok(t, a.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTS}))
		a.want(2, verbs.WCSuccess)
		a.noEvent()
	})
}

// TestCompletionQueueOverrun fills a queue of two entries: it fails, and so does the queue pair.
func TestCompletionQueueOverrun(t *testing.T) {
	a, _ := connect(t, New(Options{}), "soft0", "soft1", pairOptions{cqe: 2})
	wr := verbs.SendWR{Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled}
	a.send(wr, wr, wr, wr)
	if ev := a.nextEvent(verbs.EventCQErr); ev.CQ != a.cq {
		t.Errorf("of %v", ev.CQ)
	}
	if ev := a.nextEvent(verbs.EventQPFatal); ev.QP != a.qp {
		t.Errorf("of %v", ev.QP)
	}
	a.waitState(verbs.QPErr)
	for _, wc := range a.wait(2) {
		if wc.Status != verbs.WCSuccess {
			t.Errorf("%+v", wc)
		}
	}
	a.nothing()
	a.noEvent()
}

func TestNotification(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		o := pairOptions{}.withDefaults()
		a, b := newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
		ch := must(b.dev.CreateCompChannel())(t)
		closeAtEnd(t, ch)
		b.cq = must(b.dev.CreateCQ(verbs.CQSpec{CQE: 64, Channel: ch}))(t)
		closeAtEnd(t, b.cq)
		b.qp = b.newQP(o)
		bringUp(t, a, b, o)
		one := func(flags verbs.SendFlags) {
			b.recv(verbs.RecvWR{WRID: 1})
			a.send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: flags})
			b.want(1, verbs.WCSuccess)
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
				if cq != b.cq {
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
			{"armed: one event however many come", func() error { return b.cq.ReqNotify(false) },
				[]verbs.SendFlags{0, 0, verbs.SendSolicited}, 1},
			{"solicited only: the others raise none", func() error { return b.cq.ReqNotify(true) },
				[]verbs.SendFlags{0, 0}, 0},
			{"solicited only, still armed", func() error { return nil },
				[]verbs.SendFlags{verbs.SendSolicited, verbs.SendSolicited}, 1},
			{"any takes precedence over solicited", func() error { b.cq.ReqNotify(false); return b.cq.ReqNotify(true) },
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
		ok(t, b.cq.ReqNotify(true))
		ok(t, b.qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		b.recv(verbs.RecvWR{WRID: 5})
		b.want(5, verbs.WCWRFlushErr)
		if events() != 1 {
			t.Error("a failed completion counts as solicited")
		}
	})
}

// TestEventsVanishWithTheirObject closes objects that have pending events.
func TestEventsVanishWithTheirObject(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{})
	a.send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(a.newMR(8, everything), 0, 8)})
	a.want(1, verbs.WCRemAccessErr)
	b.waitState(verbs.QPErr)
	ok(t, b.qp.Close())
	b.noEvent()

	full, _ := connect(t, New(Options{}), "soft0", "soft1", pairOptions{cqe: 1})
	wr := verbs.SendWR{Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled}
	full.send(wr, wr)
	full.waitState(verbs.QPErr)
	ok(t, full.qp.Close())
	ok(t, full.cq.Close())
	full.noEvent()

	one, shared := connect(t, New(Options{}), "soft0", "soft1", pairOptions{shared: 1})
	ok(t, shared.srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 1}))
	shared.share(verbs.RecvWR{WRID: 1})
	one.send(verbs.SendWR{Opcode: verbs.WRSend})
	shared.want(1, verbs.WCSuccess)
	ok(t, shared.qp.Close())
	ok(t, shared.srq.Close())
	shared.noEvent()
}
