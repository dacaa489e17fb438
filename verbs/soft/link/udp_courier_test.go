package link

import (
	"net/netip"
	"testing"

	"rdmatui/verbs/wire"
)

// burdened is a link that leaves every long batch to the courier.
func burdened(t *testing.T) *udpEnd {
	a := attachUDP(t, freeLoopback(t, Options{}))
	a.out.patience, a.out.slow = -1, true
	return a
}

// TestLongBatches: what keeps the kernel busy for long is worth a courier, be it for the packets themselves or for the answer to them.
func TestLongBatches(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opcode wire.Opcode
		n      int
		want   bool
	}{
		{"nothing", wire.RCAcknowledge, 0, false},
		{"one", wire.RCAcknowledge, 1, false},
		{"nearly", wire.RCSendOnly, longBatch - 1, false},
		{"many", wire.RCSendOnly, longBatch, true},
		{"READ", wire.RCReadRequest, 1, true},
	} {
		var batch []*Packet
		for range tt.n {
			h := wire.Packet{BTH: wire.BTH{Opcode: tt.opcode}}
			batch = append(batch, &Packet{Data: h.Append(nil)})
		}
		if got := isLong(batch); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestCourierKeepsTheOrder sends long batches and short ones, some of which cannot go anywhere.
func TestCourierKeepsTheOrder(t *testing.T) {
	a, b := burdened(t), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	nowhere, err := NewPath(netip.AddrPortFrom(a.Addr(), wire.Port), netip.MustParseAddrPort("192.0.2.200:4791"))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		all := packets(a, way, 300)
		lost := append(packets(a, nowhere, longBatch), packets(a, nowhere, 1)...)
		for i, n := range []int{1, longBatch, 60, 2, 100, 1, 1, longBatch + 1} {
			batch := all[:n:n]
			all = all[n:]
			if i == 4 {
				batch = append(lost[:longBatch:longBatch], batch...)
			} else if i == 6 {
				batch = append(batch, lost[longBatch])
			}
			a.Send(batch)
		}
		a.Send(all)
		for i, psn := range psns(t, b.await(t, 300)) {
			if psn != wire.PSN(i) {
				t.Fatalf("packet %d has PSN %d", i, psn)
			}
		}
	}
	const lost = 50 * (longBatch + 1)
	if c := a.Counters(); c.Unreachable != lost || c.Sent != 50*300+lost {
		t.Errorf("%+v", c)
	}
	if c := b.Counters(); c.BadICRC != 0 {
		t.Errorf("%+v", c)
	}
}

// TestCourierIsNotOutrun has more waiting for the courier than the link takes without a pause: it is ready again, and says so.
func TestCourierIsNotOutrun(t *testing.T) {
	a, b := burdened(t), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	a.out.mu.Lock()
	a.out.entrusted = true // he is on his way, and does not come
	a.out.mu.Unlock()
	for a.Ready() {
		a.Send(packets(a, way, longBatch))
	}
	n := int(a.Counters().Sent)
	if n <= courierLimit || n > courierLimit+2*longBatch {
		t.Errorf("%d packets before the pause", n)
	}
	a.call <- struct{}{}
	b.await(t, n)
	a.awaitWake(t)
	if !a.Ready() {
		t.Error("not ready though all is sent")
	}
}

// TestCourierAtTheEnd closes links whose couriers are at work, and looks for what they had in their hands.
func TestCourierAtTheEnd(t *testing.T) {
	b := attachUDP(t, freeLoopback(t, Options{}))
	for range 50 {
		a := burdened(t)
		for range 10 {
			a.Send(packets(a, pathUDP(t, a.Endpoint, b.Endpoint), longBatch))
		}
		a.Close()
		if a.out.hands.packets = a.out.hands.packets[:cap(a.out.hands.packets)]; len(a.out.packets) != 0 {
			t.Fatalf("%d packets are left", len(a.out.packets))
		}
		for _, p := range a.out.hands.packets {
			if p != nil {
				t.Fatal("a packet that was given back is still in the courier's hands")
			}
		}
	}
}
