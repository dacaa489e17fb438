package link

import "testing"

// TestOutboxBound sends while the socket is full: the queue is bounded, packets beyond it are lost and counted, and the
// queued ones are sent when there is room. The link reports when it is ready again.
func TestOutboxBound(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	a.out.mu.Lock()
	a.out.full = true
	a.out.mu.Unlock()
	const batch = 64
	for range outboxLimit/batch + 3 {
		a.Send(packets(a, way, batch))
	}
	a.Send(packets(a, way, 1))
	a.out.mu.Lock()
	kept := len(a.out.packets)
	a.block() // as after a full socket
	ready := a.Ready()
	a.out.mu.Unlock()
	if kept != outboxLimit {
		t.Errorf("%d packets queued, want %d", kept, outboxLimit)
	}
	if c := a.Counters(); c.Unsent != 3*batch+1 || c.Sent != outboxLimit || c.NoRoom != 0 {
		t.Errorf("%+v, want %d packets not sent", c, 3*batch+1)
	}
	if ready {
		t.Error("ready although the outbox is full")
	}
	b.await(t, batch)
	a.awaitWake(t)
	if !a.Ready() {
		t.Error("woken although it is not ready")
	}
}

// TestSegmentationRefused settles messages: a single packet that is sent where a segmented message was refused shows
// that segmentation is the cause.
func TestSegmentationRefused(t *testing.T) {
	for _, tt := range []struct {
		refused bool
		n       int
		segment bool // from now on
	}{{false, 1, true}, {false, 2, true}, {true, 2, true}, {true, 1, false}} {
		o := outbox{segment: true, refused: tt.refused}
		if o.settle(message{n: tt.n}); o.segment != tt.segment || o.refused {
			t.Errorf("%+v: segment %t, refused %t", tt, o.segment, o.refused)
		}
	}
}
