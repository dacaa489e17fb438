package link

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

// asyncLink is a link that passes every long batch to the asyncSender.
func asyncLink(t *testing.T) *udpEnd {
	a := attachUDP(t, freeLoopback(t, Options{}))
	a.out.slowLimit, a.out.slow = -1, true
	return a
}

// TestLongBatches: a batch that keeps the kernel busy for long, in sending or in answering, goes to the asyncSender.
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
		if begin := new(outbox).startTiming(batch); begin.IsZero() == tt.want {
			t.Errorf("%s: timed from %s", tt.name, begin)
		}
	}
}

// TestSlowBatches: a batch that was timed is slow if it took longer than the limit; one that was not says nothing.
func TestSlowBatches(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	for _, tt := range []struct {
		timed, before bool
		limit         time.Duration
		after         bool
	}{{true, false, -1, true}, {true, true, time.Hour, false}, {false, true, time.Hour, true},
		{false, false, -1, false}} {
		o := outbox{slow: tt.before, slowLimit: tt.limit}
		var begin time.Time
		if tt.timed {
			begin = time.Now()
		}
		if o.endTiming(begin); o.slow != tt.after {
			t.Errorf("%+v: slow %t", tt, o.slow)
		}
	}
}

// TestAsyncSenderKeepsTheOrder sends long and short batches, some of them to unreachable addresses.
func TestAsyncSenderKeepsTheOrder(t *testing.T) {
	a, b := asyncLink(t), attachUDP(t, freeLoopback(t, Options{}))
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

// TestAsyncSenderPauses queues more packets for the asyncSender than the link takes without a pause: it reports when it
// is ready again.
func TestAsyncSenderPauses(t *testing.T) {
	a, b := asyncLink(t), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	a.out.mu.Lock()
	a.out.asyncBusy = true // as if it were sending
	a.out.mu.Unlock()
	for a.Ready() {
		a.Send(packets(a, way, longBatch))
	}
	n := int(a.Counters().Sent)
	if n <= asyncLimit || n > asyncLimit+2*longBatch {
		t.Errorf("%d packets before the pause", n)
	}
	a.asyncReady <- struct{}{}
	b.await(t, n)
	a.awaitWake(t)
	if !a.Ready() {
		t.Error("not ready after everything was sent")
	}
}

// TestAsyncSenderAtTheEnd closes links while they are sending, and checks what becomes of their packets.
func TestAsyncSenderAtTheEnd(t *testing.T) {
	b := attachUDP(t, freeLoopback(t, Options{}))
	for range 50 {
		a := asyncLink(t)
		for range 10 {
			a.Send(packets(a, pathUDP(t, a.Endpoint, b.Endpoint), longBatch))
		}
		a.Close()
		if a.out.sending.packets = a.out.sending.packets[:cap(a.out.sending.packets)]; len(a.out.packets) != 0 {
			t.Fatalf("%d packets left", len(a.out.packets))
		}
		for _, p := range a.out.sending.packets {
			if p != nil {
				t.Fatal("a returned packet is still among those being sent")
			}
		}
	}
}
