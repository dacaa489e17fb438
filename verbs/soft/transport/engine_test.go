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
	pool  link.Pool
	asked int // number of calls of Receive
}

func (l *idleLink) Pool() *link.Pool { return &l.pool }
func (l *idleLink) Ready() bool      { return true }
func (l *idleLink) Receive(into []*link.Packet, _ int) []*link.Packet {
	l.asked++
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

// TestOwnRoundYields: while an engine stands by and a program sleeps at the socket, the engine leaves the packets to the program.
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
