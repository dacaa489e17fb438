package transport

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
)

// needsSleeper skips the test on systems where programs cannot sleep at the socket and the engine cannot watch it: all
// but Linux.
func needsSleeper(t *testing.T, e *Engine) {
	t.Helper()
	switch {
	case e.sleeper != nil && e.watch != nil:
	case runtime.GOOS == "linux":
		t.Fatal("no sleeper, or no watch, was made")
	default:
		t.Skip("programs cannot sleep at the socket on this system")
	}
}

// TestUntakenPacket: a packet arrives while another goroutine runs the engine's rounds. A program that polls at the
// socket finds nothing and must look elsewhere.
func TestUntakenPacket(t *testing.T) {
	a, b := loopback(t)
	eng := a.e
	needsSleeper(t, eng)
	a.recv(1)
	eng.turn.Lock()
	b.send(2, verbs.WRSend)
	for came := false; !came; {
		var err error
		if came, err = eng.sleeper.Sleep(-1); err != nil {
			t.Fatal(err)
		}
	}
	var events object.EventQueue[int]
	looks := 0
	if eng.busyPoll(t.Context(), &events.Sleeper, func() bool { looks++; return false }) {
		t.Error("busyPoll reports an event")
	}
	if looks != 1 { // a second look would be that of a program that got no packet
		t.Errorf("busyPoll looked %d times", looks)
	}
	eng.turn.Unlock()
	a.want(1, verbs.WCSuccess)
	b.want(2, verbs.WCSuccess)
}

// TestBellAtTheSocket puts an event into the queue of a program that sleeps at the socket, or is about to: it wakes
// without a packet.
func TestBellAtTheSocket(t *testing.T) {
	a, _ := loopback(t)
	eng := a.e
	needsSleeper(t, eng)
	for name, ring := range map[string]func(q *object.EventQueue[int]){
		"event":  func(q *object.EventQueue[int]) { q.Put(1) },
		"closed": (*object.EventQueue[int]).Close,
	} {
		var q object.EventQueue[int]
		q.Init(1)
		q.Sleeper.Store(eng.sleeper)
		ring(&q)
		woken := make(chan error)
		go func() {
			_, err := eng.sleeper.Sleep(-1)
			woken <- err
		}()
		select {
		case err := <-woken:
			ok(t, err)
		case <-time.After(time.Minute):
			eng.sleeper.Wake()
			t.Errorf("%s: still asleep, %v", name, <-woken)
		}
	}
}

// TestActiveOnce rings for a queue pair that is being served: it gets only one turn in a round.
func TestActiveOnce(t *testing.T) {
	e, q := &Engine{}, &QP{}
	for range 2 {
		e.list(q)
		e.collect()
	}
	if len(e.active) != 1 {
		t.Errorf("%d turns", len(e.active))
	}
}

// TestDelayedACKs: while the engine stands by, packets that are all acknowledgements are kept for the program's answer;
// delayed makes a caller flush them.
func TestDelayedACKs(t *testing.T) {
	for _, tt := range []struct {
		acks, packets int
		standby       int64
		mayDelay      bool
		kept, delayed bool
	}{
		{0, 0, 1, true, true, false},
		{1, 1, 1, true, true, true},
		{2, 2, 1, true, true, true},
		{1, 2, 1, true, false, false}, // with data
		{1, 1, 0, true, false, false}, // the engine sleeps
		{1, 1, 1, false, false, false},
	} {
		sent := &sentCounter{}
		e := &Engine{link: sent, mayDelayACKs: tt.mayDelay, acks: tt.acks, tx: make([]*link.Packet, tt.packets)}
		e.standby.Store(tt.standby)
		e.flushOrDelay()
		if kept := sent.n == 0; kept != tt.kept || e.delayedACKs.Load() != tt.delayed ||
			sent.n != tt.packets-len(e.tx) {
			t.Errorf("%+v: %d sent, %d kept, delayed %v", tt, sent.n, len(e.tx), e.delayedACKs.Load())
		}
		e.mayDelayACKs = true
		if e.flushOrDelay(); tt.delayed && (len(e.tx) > 0 || e.delayedACKs.Load()) {
			t.Errorf("%+v: kept back for a second round", tt)
		}
	}
}

// sentCounter counts the packets sent.
type sentCounter struct {
	link.Link
	n int
}

func (s *sentCounter) Send(p []*link.Packet) { s.n += len(p) }

// TestPause: an engine that stands by wakes after a while, and stands by longer while programs read the socket. One
// that cannot arm its watch always stands by.
func TestPause(t *testing.T) {
	a, _ := loopback(t)
	needsSleeper(t, a.e)
	watch := a.e.watch
	a.e.Halt() // closes the watch
	const never = time.Second
	for _, tt := range []struct {
		watch              *link.Watch
		standby            time.Duration
		served             uint64
		arrived, polled    bool // interrupted by the watch; a program polls
		came               bool
		lasts, standsAfter time.Duration
	}{
		{nil, 0, 0, false, false, false, never, 0},
		{nil, minStandby, 0, false, false, false, minStandby, 0},
		{watch, 0, 0, false, false, false, maxStandby, 0},
		{watch, minStandby, 0, false, false, false, minStandby, 0},
		{nil, minStandby, 1, false, false, false, 3 * minStandby, 0},
		{nil, maxStandby, 1, false, false, false, 2 * maxStandby, 0},
		{nil, 3 * minStandby, 1, false, false, false, 3*minStandby + maxStandby, 0},
		{nil, minStandby, 0, false, true, false, never, maxStandby}, // a program that sleeps at the socket reads it
		{nil, 0, 0, true, false, true, 0, 0},
		{nil, 0, 0, true, true, false, 0, minStandby},
	} {
		t.Run(fmt.Sprintf("%+v", tt), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &rest{watch: tt.watch}
				r.init()
				r.standBy(tt.standby)
				r.served.Add(tt.served)
				r.busyPolled.Store(tt.polled)
				if tt.arrived {
					r.arrived.Store(true)
					r.interrupt()
				}
				quit := make(chan struct{})
				defer time.AfterFunc(never, func() { close(quit) }).Stop()
				start := time.Now()
				if came := r.pause(quit); came != tt.came || time.Since(start) != tt.lasts {
					t.Errorf("%v after %v", came, time.Since(start))
				}
				if got := time.Duration(r.standby.Load()); got != tt.standsAfter || r.arrived.Load() {
					t.Errorf("stands by for %v, arrived %v", got, r.arrived.Load())
				}
			})
		})
	}
}

// TestChannelPollsFirst: GetCQEvent polls the socket before it waits, and takes a queued event without waiting.
func TestChannelPollsFirst(t *testing.T) {
	a, _ := loopback(t)
	needsSleeper(t, a.e)
	c, err := a.d.CreateCompChannel()
	ok(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	served := a.e.served.Load()
	if _, err := c.GetCQEvent(ctx); err != context.Canceled || a.e.served.Load() == served {
		t.Errorf("%v, and the program polled %d times", err, a.e.served.Load()-served)
	}
	c.(*compChannel).events.Put(a.cq)
	served = a.e.served.Load()
	if q, err := c.GetCQEvent(ctx); err != nil || q != verbs.CQ(a.cq) || a.e.served.Load() != served {
		t.Errorf("%v, %v, and the program polled %d times", q, err, a.e.served.Load()-served)
	}
}
