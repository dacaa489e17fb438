package link

import "testing"

// TestOutboxBound sends while the socket is full: what waits is bounded, what goes beyond is lost and counted, and what was kept is sent when
// there is room. The link says when it is ready again.
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
	a.block() // as when the socket was found full
	ready := a.Ready()
	a.out.mu.Unlock()
	if kept != outboxLimit {
		t.Errorf("%d packets wait, want %d", kept, outboxLimit)
	}
	if n := a.Counters().NoRoom; n != 3*batch+1 {
		t.Errorf("%d packets were lost, want %d", n, 3*batch+1)
	}
	if ready {
		t.Error("ready though the outbox is full")
	}
	b.await(t, batch)
	a.awaitWake(t)
	if !a.Ready() {
		t.Error("woken though it is not ready")
	}
}

// TestSegmentationRefused settles messages: one by itself that is sent where a segmented one was refused shows that segmentation was to blame.
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
