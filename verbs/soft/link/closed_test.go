package link

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// TestGoesOnAfterAnError: a goroutine tries again after a pause, unless its socket or its link is closed.
func TestGoesOnAfterAnError(t *testing.T) {
	failure := errors.New("no buffer space available")
	for _, tt := range []struct {
		name   string
		err    error
		closed bool
		want   bool
		rests  time.Duration
	}{
		{"an error of the socket", failure, false, true, errorPause},
		{"the socket is closed", fmt.Errorf("read: %w", net.ErrClosed), false, false, 0},
		{"the link is closed", failure, true, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			u, begin := &UDP{quit: make(chan struct{})}, time.Now()
			if tt.closed {
				close(u.quit)
			}
			if got := u.goOn(tt.err); got != tt.want || time.Since(begin) != tt.rests {
				t.Errorf("%s: continues %v after %s", tt.name, got, time.Since(begin))
			}
		})
	}
}

// TestClosedOutboxTakesNothing: a packet sent after a link is closed is counted as lost and returns to the pool.
func TestClosedOutboxTakesNothing(t *testing.T) {
	a := attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, a.Endpoint)
	a.out.close()
	before := len(a.pool.idle)
	a.Send(packets(a, way, 3))
	if n := len(a.pool.idle); n != max(before, 3) {
		t.Errorf("%d packets in the pool, %d before", n, before)
	}
	if c := a.Counters(); c.Unsent != 3 || c.Sent != 0 || len(a.out.packets) > 0 {
		t.Errorf("%+v, %d queued", c, len(a.out.packets))
	}
}

// TestClosedFaultsTakeNothing: a packet sent after a link with faults is closed is not sent, and returns to the pool.
func TestClosedFaultsTakeNothing(t *testing.T) {
	for _, v := range []verbs.Faults{{Loss: 1}, {Seed: 1, Corrupt: 0.1}, {Delay: time.Second}, {Reorder: 1}} {
		a, b, way := faultyPair(t, v)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		run := packets(a, way, 3)
		before := len(a.Pool().idle)
		a.Send(slices.Clone(run))
		if got, n := b.Receive(nil, queueLimit), len(a.Pool().idle); len(got) > 0 || n != before+3 {
			t.Errorf("%s: %d packets arrived, %d returned to the pool", v, len(got), n-before)
		}
	}
}

// TestClosedPortTakesNothing: a packet in flight when its port is closed returns to the pool, and wakes no reader.
func TestClosedPortTakesNothing(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB)
	run := packets(a, path(t, addrA, addrB), 2)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b.accept(run, a.Port)
	if n := b.Counters().NoRoom; n != 2 || len(b.queue) > 0 || b.woken.Load() != 0 {
		t.Errorf("%d packets lost, %d queued, woken %d times", n, len(b.queue), b.woken.Load())
	}
}
