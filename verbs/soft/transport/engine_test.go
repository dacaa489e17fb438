package transport

import (
	"fmt"
	"runtime"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
)

// idleLink is a link that receives no packets.
type idleLink struct {
	sentCounter
	pool   link.Pool
	asked  int    // number of calls of Receive
	arrive func() // called by Receive; nil: nothing happens
}

func (l *idleLink) Pool() *link.Pool { return &l.pool }
func (l *idleLink) Ready() bool      { return true }
func (l *idleLink) Receive(into []*link.Packet, _ int) []*link.Packet {
	l.asked++
	if l.arrive != nil {
		l.arrive()
	}
	return into
}

// TestPollRoundAloneDelays: only a round that a poll runs delays acknowledgements, not the engine's next one.
func TestPollRoundAloneDelays(t *testing.T) {
	l := &idleLink{}
	e := &Engine{link: l}
	e.standby.Store(1)
	for _, tt := range []struct {
		name  string
		round func() bool
		sent  int
	}{{"own", e.round, 1}, {"program's", e.pollRound, 0}, {"own again", e.round, 1}} {
		l.n, e.tx, e.acks = 0, make([]*link.Packet, 1), 1
		e.delayedACKs.Store(false)
		if worked := tt.round(); !worked || l.n != tt.sent {
			t.Errorf("%s: %d packets sent, worked %v", tt.name, l.n, worked)
		}
	}
}

// TestAssist: when a program may run a round in place of the engine, and when the engine has to continue it.
func TestAssist(t *testing.T) {
	for _, tt := range []struct {
		assists, asleep, busy bool // busy: another goroutine runs a round
		took, active          int
		ready                 bool
		ran, woken            bool
		served                uint64
	}{
		{assists: true, asleep: true, ran: true},
		{asleep: true},
		{assists: true},
		{assists: true, asleep: true, busy: true},
		{assists: true, asleep: true, took: 1, ran: true, served: 1},
		{assists: true, asleep: true, took: rxBatch - 1, ready: true, ran: true, served: 1},
		{assists: true, asleep: true, took: rxBatch, ran: true, served: 1, woken: true}, // the socket may have more
		{assists: true, asleep: true, active: 1, ready: true, ran: true, woken: true},
		{assists: true, asleep: true, active: 1, ran: true},
	} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			e := &Engine{assists: tt.assists, took: rxBatch} // from the round before
			e.rest.init()
			e.asleep.Store(tt.asleep)
			if tt.busy {
				e.turn.Lock()
			}
			ran := false
			got := e.assist(func() bool {
				if ran = true; tt.took > 0 { // a round that sends receives none
					e.took = tt.took
				}
				e.ready, e.active = tt.ready, make([]*QP, tt.active)
				return false
			})
			if got != tt.ran || ran != tt.ran || len(e.wakeups) == 1 != tt.woken || e.served.Load() != tt.served {
				t.Errorf("returned %v, ran %v, %d wakeups, served %d", got, ran, len(e.wakeups), e.served.Load())
			}
			if e.turn.TryLock() == tt.busy {
				t.Error("the lock of the turn has changed hands")
			}
		})
	}
}

// TestNoAssistAfterTheEnd: a program that gets the turn of an engine that has ended, or is awake, runs no round.
func TestNoAssistAfterTheEnd(t *testing.T) {
	e := &Engine{}
	if e.stepIn(func() bool { t.Error("a round ran"); return true }) {
		t.Error("stepIn reports a round")
	}
}

// TestIsRung: queue pairs and management datagrams both need a round.
func TestIsRung(t *testing.T) {
	for qps := range 3 {
		for mads := range 3 {
			e := &Engine{rung: make([]*QP, qps), mads: make([]mad, mads)}
			if got := e.isRung(); got != (qps > 0 || mads > 0) {
				t.Errorf("%d queue pairs, %d datagrams: %v", qps, mads, got)
			}
		}
	}
}

// TestPollSettles: a poll that waits for the engine returns the completions of outstanding work.
func TestPollSettles(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	ok(t, a.q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
	a.cq.settle = true
	a.e.turn.Lock()
	a.send(1, verbs.WRSend)
	polled := make(chan int, 1)
	go func() {
		n, _ := a.cq.Poll(make([]verbs.WC, 1))
		polled <- n
	}()
	for range 1000 { // a poll that does not wait has returned by then
		runtime.Gosched()
	}
	a.e.turn.Unlock()
	if n := <-polled; n != 1 {
		t.Errorf("%d completions", n)
	}
}

// TestMADsThatWait: the queue is bounded; one more datagram is lost.
func TestMADsThatWait(t *testing.T) {
	e := &Engine{}
	for range object.MaxMADs + 2 {
		e.SendMAD(nil, nil)
	}
	if n := len(e.mads); n != object.MaxMADs {
		t.Errorf("%d queued", n)
	}
}

// TestOwnRoundYields: while an engine stands by and a program sleeps at the socket, the engine leaves the packets to
// the program.
func TestOwnRoundYields(t *testing.T) {
	for _, tt := range []struct {
		standby    int64
		busyPolled bool
		asked      int
	}{{0, false, 1}, {1, false, 1}, {0, true, 1}, {1, true, 0}} {
		l := &idleLink{}
		e := &Engine{link: l}
		e.standby.Store(tt.standby)
		e.busyPolled.Store(tt.busyPolled)
		if e.ownRound(); l.asked != tt.asked {
			t.Errorf("%+v: asked %d times", tt, l.asked)
		}
	}
}

// TestEngineKeepsNothing: between rounds, an engine's lists hold no queue pair and no packet that they held before.
func TestEngineKeepsNothing(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	l := &idleLink{}
	e := &Engine{link: l, adapter: &a.a}
	q, err := a.pd.NewQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: a.cq, RecvCQ: a.cq})
	ok(t, err)
	e.list(q)
	if e.collect(); len(e.active) != 1 {
		t.Fatalf("%d active", len(e.active))
	}
	e.serve()
	wantNone(t, "rung", e.rung)
	wantNone(t, "active", e.active)

	e.SendMAD(nil, []byte{1})
	e.collect()
	e.sendMADs()
	for _, m := range e.mailed[:cap(e.mailed)] {
		if m.data != nil {
			t.Error("mailed holds a datagram")
		}
	}
	if len(e.tx) != 1 || len(e.spare) != rxBatch-1 {
		t.Errorf("%d packets to send, %d spare", len(e.tx), len(e.spare))
	}
	wantNone(t, "spare", e.spare)

	e.unsent = append(e.unsent, unsent{q, 0})
	e.flush()
	wantNone(t, "tx", e.tx)
	for _, u := range e.unsent[:cap(e.unsent)] {
		if u.q != nil {
			t.Error("unsent holds a queue pair")
		}
	}

	e.rx = l.pool.Get(nil, maxSpare-rxBatch+3)
	e.recycle()
	wantNone(t, "rx", e.rx)
	if len(e.spare) != maxSpare {
		t.Errorf("%d spare packets, want %d", len(e.spare), maxSpare)
	}
}

// TestDroppedPacketIsEmpty: a buffer that was not sent is the next one, without its former content.
func TestDroppedPacketIsEmpty(t *testing.T) {
	e := &Engine{link: &idleLink{}}
	p := e.packet(nil)
	p.Data = append(p.Data, 1, 2, 3)
	e.drop(p)
	if next := e.packet(nil); next != p || len(next.Data) != 0 {
		t.Errorf("another buffer, or %d bytes in it", len(next.Data))
	}
}

// wantNone fails if a list holds anything behind its end.
func wantNone[T any](t *testing.T, name string, list []*T) {
	t.Helper()
	for i, p := range list[len(list):cap(list)] {
		if p != nil {
			t.Errorf("%s holds its former element %d", name, len(list)+i)
		}
	}
}

// TestDelayedACKsAreSent: a program that finds no completion wakes the engine to send the delayed acknowledgements, if
// there are any and it cannot send them itself.
func TestDelayedACKsAreSent(t *testing.T) {
	for _, delayed := range []bool{false, true} {
		e := &Engine{}
		e.rest.init()
		e.asleep.Store(true)
		e.delayedACKs.Store(delayed)
		e.turn.Lock() // by another program
		if e.flushDelayed(); len(e.wakeups) == 1 != delayed {
			t.Errorf("delayed %t, woken %t", delayed, len(e.wakeups) == 1)
		}
	}
}
