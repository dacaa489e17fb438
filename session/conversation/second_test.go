package conversation

import (
	"slices"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

// TestSecondRecords captures each packet where it is sent and where it arrives, as between the software devices: it
// counts once, whichever record comes first.
func TestSecondRecords(t *testing.T) {
	for _, first := range []capture.Way{capture.Out, capture.In} {
		x := newTrace(t)
		twice := func(from, to int, p wire.Packet) {
			ends := [...]End{{alice, aliceQP}, {bob, bobQP}}
			p.BTH.DestQP = ends[to].QP
			for _, way := range []capture.Way{first, capture.In + capture.Out - first} {
				f := x.frame(ends[from].Addr, ends[to].Addr, p)
				f.Way = way
				if talk := x.add(f); talk == nil || talk.Number != 1 {
					t.Errorf("%v belongs to %+v", &p, talk)
				}
			}
		}
		write := wire.Packet{BTH: wire.BTH{Opcode: wire.RCWriteOnly, PSN: 5}, Payload: make([]byte, 64)}
		twice(0, 1, write)
		twice(1, 0,
			wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: 5}, AETH: wire.AETH{Syndrome: wire.RNRNAK(1)}})
		twice(0, 1, write)
		twice(1, 0, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: 5},
			AETH: wire.AETH{Syndrome: wire.ACKUnlimited}})
		want := []string{"", "second", "rnr", "rnr+second", "retry", "second", "", "second"}
		if !slices.Equal(x.marks, want) {
			t.Errorf("marks %q, want %q", x.marks, want)
		}
		all := x.requests()
		if want := []string{"RDMA_WRITE 64/2 ok 6ms again 1 rnr 1"}; !slices.Equal(all, want) || x.table.Seconds != 4 ||
			x.table.List[0].Packets != 4 {
			t.Errorf("%q, want %q; %d second records; %+v", all, want, x.table.Seconds, x.table.List[0])
		}
	}
}

// TestEndNotCaptured: a request whose last packet was not captured is acknowledged like others, and does not keep later
// ones from being acknowledged.
func TestEndNotCaptured(t *testing.T) {
	x := newTrace(t)
	x.ask(wire.RCWriteFirst, 5, 1024)
	x.ask(wire.RCWriteOnly, 8, 64)
	x.ack(8)
	if all := x.requests(); len(all) != 2 || x.told[0].Outcome != Acknowledged || x.told[1].Outcome != Acknowledged {
		t.Errorf("%q", all)
	}
}

// TestSameTime: a request that was sent again has the time of the first where both were received together. Only a
// capture that does not say on which way packets were may take it for a second record.
func TestSameTime(t *testing.T) {
	marks := map[capture.Way]string{capture.In: "retry", capture.Out: "retry", capture.Unknown: "second"}
	for way, want := range marks {
		x := newTrace(t)
		write := wire.Packet{BTH: wire.BTH{Opcode: wire.RCWriteOnly, PSN: 5, DestQP: bobQP}, Payload: make([]byte, 64)}
		first := x.frame(alice, bob, write)
		again := x.frame(alice, bob, write)
		first.Way, again.Way, again.At = way, way, first.At
		x.add(first)
		x.add(again)
		if got := x.marks[len(x.marks)-1]; got != want {
			t.Errorf("way %d: %q, want %q", way, got, want)
		}
	}
}

// TestSoonAgain: a request that comes past again sooner than programs' timeouts, though no NAK asked for it, is not
// said to follow a timeout where the capture may hold packets of two places.
func TestSoonAgain(t *testing.T) {
	for _, tt := range []struct {
		way   capture.Way
		after time.Duration
		nak   bool
		want  Reason
	}{
		{capture.Unknown, 5 * time.Microsecond, false, reasons}, // a second record
		{capture.Unknown, 100 * time.Microsecond, false, Soon},
		{capture.Unknown, soon, false, AfterTimeout},
		{capture.Unknown, 70 * time.Millisecond, false, AfterTimeout},
		{capture.Unknown, 100 * time.Microsecond, true, AfterNAK},
		{capture.Out, 100 * time.Microsecond, false, AfterTimeout},
	} {
		x := newTrace(t)
		write := wire.Packet{BTH: wire.BTH{Opcode: wire.RCWriteOnly, PSN: 5, DestQP: bobQP}, Payload: make([]byte, 64)}
		first := x.frame(alice, bob, write)
		nak := x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: 5, DestQP: aliceQP},
			AETH: wire.AETH{Syndrome: wire.NAK(wire.NAKPSNSequence)}})
		again := x.frame(alice, bob, write)
		first.Way, nak.Way, again.Way = tt.way, tt.way, tt.way
		nak.At, again.At = first.At.Add(tt.after/2), first.At.Add(tt.after)
		x.add(first)
		if tt.nak {
			x.add(nak)
		}
		x.add(again)
		side := x.table.List[0].Sides[0]
		if side.Packets == 0 {
			side = x.table.List[0].Sides[1]
		}
		for _, why := range Reasons() {
			if n := side.Again[why]; (n == 1) != (why == tt.want) {
				t.Errorf("way %d, after %s, NAK %v: %d %s", tt.way, tt.after, tt.nak, n, why)
			}
		}
	}
}
