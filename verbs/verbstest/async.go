package verbstest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"rdmatui/verbs"
)

// testAsyncEvents causes the events that a responder must report to its owner; IBA 11.6.3.
func testAsyncEvents(t *testing.T, b *bench) {
	mr := b.newMR(4096, localAndAll)
	send := verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 64)}
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC} {
		b.part("COMM_EST "+typ.String(), func(t *testing.T, b *bench) {
			// The first packet finds the responder in RTR; the second raises no event.
			o := pairOptions{typ: typ}.withDefaults()
			p := b.newHalfPair(o)
			for id := range uint64(2) {
				b.postRecv(p.b, verbs.RecvWR{WRID: 2 + id, SGList: sge(mr, 64, 64)})
			}
			b.postSend(p.a, send)
			wantStatus(t, b.completions(2), 2, verbs.WCSuccess)
			b.wantEvent(t, NoCommEst, verbs.EventCommEst, p.b)
			b.postSend(p.a, send)
			wantStatus(t, b.completions(2), 3, verbs.WCSuccess)
			b.noEvent()
			b.must(p.b.Modify(rtsAttr(o, o.psnB)))
		})
	}
	refused := []struct {
		name   string
		access verbs.Access
		change func(wr *verbs.SendWR)
		event  verbs.EventType
		quirk  Quirk
	}{
		{"WRITE with a bad rkey", everyRemote, func(wr *verbs.SendWR) { wr.RKey ^= 0x5a5a00 }, verbs.EventQPAccessErr,
			NoAccessErr},
		{"READ out of bounds", everyRemote,
			func(wr *verbs.SendWR) { wr.Opcode, wr.RemoteAddr = verbs.WRRDMARead, mr.Addr()+4096 },
			verbs.EventQPAccessErr, NoAccessErr},
		{"atomic with a bad rkey", everyRemote,
			func(wr *verbs.SendWR) { wr.Opcode, wr.RKey = verbs.WRAtomicFetchAndAdd, wr.RKey^0x5a5a00 },
			verbs.EventQPAccessErr, NoAccessErr},
		{"WRITE without the right", 0, func(*verbs.SendWR) {}, verbs.EventQPReqErr, NoReqErr},
		{"READ without the right", 0, func(wr *verbs.SendWR) { wr.Opcode = verbs.WRRDMARead },
			verbs.EventQPReqErr, NoReqErr},
		{"atomic without the right", 0, func(wr *verbs.SendWR) { wr.Opcode = verbs.WRAtomicCmpAndSwp },
			verbs.EventQPReqErr, NoReqErr},
	}
	for _, tt := range refused {
		b.part(tt.event.String()+" of a "+tt.name, func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: tt.access})
			wr := verbs.SendWR{
				WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(mr, 0, word), RemoteAddr: mr.Addr(), RKey: mr.RKey(),
			}
			tt.change(&wr)
			if wc := b.complete(p.a, wr); wc.Status != verbs.WCRemAccessErr && wc.Status != verbs.WCRemInvReqErr {
				t.Error(describe(wc))
			}
			b.wantEvent(t, tt.quirk, tt.event, p.b)
		})
	}
	b.part("none where a completion tells", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{})
		b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 7)})
		b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(mr, 0, 8)})
		b.completions(2)
		wantState(t, p.b, verbs.QPErr)
		b.noEvent()
	})
}

// testCQOverrun receives more messages than the completion queue holds: the
// queue is lost, and the queue pair with it. IBA 11.6.3.
func testCQOverrun(t *testing.T, b *bench) {
	small := b.newCQ(3, nil)
	room := small.CQE()
	capacity := verbs.QPCap{MaxSendWR: 4, MaxRecvWR: uint32(room) + 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	p := b.newPair(pairOptions{timeout: 8, retryCnt: 1, specB: verbs.QPSpec{RecvCQ: small, Cap: capacity}})
	for range room {
		b.postRecv(p.b, verbs.RecvWR{WRID: 1})
		b.wantComplete(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend}, verbs.WCSuccess)
	}
	b.noEvent()
	b.postRecv(p.b, verbs.RecvWR{WRID: 1})
	b.complete(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend}) // either way
	want := []event{{verbs.EventCQErr, small}, {verbs.EventQPFatal, p.b}}
	if b.env.has(OverrunSparesQP) {
		want = want[:1]
	}
	b.wantEvents(want...)
	wantState(t, p.b, verbs.QPErr)
}

// event is an asynchronous event and the object that it concerns.
type event struct {
	typ verbs.EventType
	of  any
}

func eventOf(e verbs.AsyncEvent) event {
	switch e.Type.Element() {
	case verbs.ElementQP:
		return event{e.Type, e.QP}
	case verbs.ElementCQ:
		return event{e.Type, e.CQ}
	case verbs.ElementSRQ:
		return event{e.Type, e.SRQ}
	}
	return event{e.Type, nil}
}

// wantEvents waits for the events, in any order, and fails on any other event between or right
// after them.
func (b *bench) wantEvents(want ...event) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for len(want) > 0 {
		e, err := b.dev.GetAsyncEvent(ctx)
		if err != nil {
			b.t.Fatalf("waiting for %v: %v", want, err)
		}
		i := slices.Index(want, eventOf(e))
		if i < 0 {
			b.t.Fatalf("event %s, want %v", e.Type, want)
		}
		want = slices.Delete(want, i, i+1)
	}
	b.noEvent()
}

// noEvent fails if an event is pending.
func (b *bench) noEvent() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	switch e, err := b.dev.GetAsyncEvent(ctx); {
	case err == nil:
		b.t.Errorf("unexpected event %s", e.Type)
	case !errors.Is(err, context.DeadlineExceeded):
		b.t.Error(err)
	}
}

// wantEvent waits for an event of the queue pair; a device with the quirk must not
// report one.
func (b *bench) wantEvent(t *testing.T, q Quirk, want verbs.EventType, qp verbs.QP) {
	t.Helper()
	if b.env.has(q) {
		b.noEvent()
		return
	}
	b.wantEvents(event{want, qp})
}
