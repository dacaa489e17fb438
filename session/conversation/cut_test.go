package conversation

import (
	"slices"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

// truncated leaves the first n bytes of a packet in a capture.
func truncated(f *capture.Frame, n int) *capture.Frame {
	f.Data = f.Data[:min(n, len(f.Data))]
	f.DecodeCut(nil)
	return f
}

// TestCutHeaders: requests of which the capture holds a BTH and no more have their full length and their answers; what
// the capture does not hold is not made up.
func TestCutHeaders(t *testing.T) {
	ask := func(op wire.Opcode, psn wire.PSN, payload int) wire.Packet {
		return wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: bobQP, PSN: psn}, RETH: wire.RETH{DMALen: 5000, RKey: 7},
			AtomicETH: wire.AtomicETH{VA: 8}, Payload: make([]byte, payload)}
	}
	answer := func(op wire.Opcode, psn wire.PSN, payload int) wire.Packet {
		return wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: aliceQP, PSN: psn},
			AETH: wire.AETH{Syndrome: wire.ACKUnlimited}, Payload: make([]byte, payload)}
	}
	for _, c := range []struct {
		name   string
		asks   []wire.Packet
		answer []wire.Packet
		want   []string // what was asked, and what became of it
	}{
		{"a WRITE", []wire.Packet{ask(wire.RCWriteFirst, 1, 1024), ask(wire.RCWriteMiddle, 2, 1024),
			ask(wire.RCWriteMiddle, 3, 1024), ask(wire.RCWriteMiddle, 4, 1024), ask(wire.RCWriteLast, 5, 904)},
			[]wire.Packet{answer(wire.RCAcknowledge, 5, 0)},
			[]string{"RDMA WRITE of 5,000 bytes in 5 packets",
				"answered after 5 ms, ACK or NAK truncated by the capture"}},
		{"a READ", []wire.Packet{ask(wire.RCReadRequest, 1, 0)}, []wire.Packet{
			answer(wire.RCReadResponseFirst, 1, 4096), answer(wire.RCReadResponseLast, 2, 904)},
			[]string{"RDMA READ of 5,000 bytes in 2 packets", "acknowledged after 2 ms"}},
		{"an atomic", []wire.Packet{ask(wire.RCFetchAdd, 1, 0)}, []wire.Packet{answer(wire.RCAtomicAcknowledge, 1, 0)},
			[]string{"ATOMIC FETCH_AND_ADD in 1 packet", "acknowledged after 1 ms"}},
		{"two READs and a SEND", []wire.Packet{ask(wire.RCReadRequest, 1, 0), ask(wire.RCReadRequest, 3, 0),
			ask(wire.RCSendOnly, 5, 9)}, []wire.Packet{answer(wire.RCReadResponseFirst, 1, 4096),
			answer(wire.RCReadResponseLast, 2, 904), answer(wire.RCReadResponseFirst, 3, 4096),
			answer(wire.RCReadResponseLast, 4, 904), answer(wire.RCAcknowledge, 5, 0)},
			[]string{"RDMA READ of 5,000 bytes in 2 packets", "acknowledged after 4 ms",
				"RDMA READ of 5,000 bytes in 2 packets", "acknowledged after 5 ms", "SEND of 9 bytes in 1 packet",
				"answered after 5 ms, ACK or NAK truncated by the capture"}},
	} {
		x := newTrace(t)
		for _, p := range c.asks {
			x.add(truncated(x.frame(alice, bob, p), wire.BTHLen))
		}
		for _, p := range c.answer {
			x.add(truncated(x.frame(bob, alice, p), wire.BTHLen))
		}
		var got []string
		for i := range x.told {
			got = append(got, x.told[i].Asked(), x.told[i].Fate())
			if x.told[i].Length != 0 {
				t.Errorf("%s: length %d was not captured", c.name, x.told[i].Length)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
		if slices.ContainsFunc(x.marks, func(m string) bool { return m != "cut" }) {
			t.Errorf("%s: marks %q", c.name, x.marks)
		}
	}
}

// TestSeenAgain: a packet that is captured again sooner than any timeout was not repeated, unless a NAK asked for it.
func TestSeenAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration // of the second copy
		nak   bool          // between the copies
		want  string        // mark of the second copy
	}{
		{"a moment later", 5 * time.Microsecond, false, "second"},
		{"just before the shortest timeout", 8191 * time.Nanosecond, false, "second"},
		{"with the shortest timeout", 8192 * time.Nanosecond, false, "retry"},
		{"a moment before", -5 * time.Microsecond, false, "second"},
		{"after a NAK", 5 * time.Microsecond, true, "retry"},
	} {
		x := newTrace(t)
		send := func(after time.Duration) {
			f := x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: 1}})
			f.At = begin.Add(time.Millisecond + after)
			x.add(f)
		}
		send(0)
		if c.nak {
			f := x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, DestQP: aliceQP, PSN: 1},
				AETH: wire.AETH{Syndrome: wire.NAK(wire.NAKPSNSequence)}})
			f.At = begin.Add(time.Millisecond + c.after - time.Nanosecond)
			x.add(f)
		}
		send(c.after)
		if got := x.marks[len(x.marks)-1]; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		seconds, packets := uint64(0), uint64(len(x.marks))
		if c.want == "second" {
			seconds, packets = 1, packets-1
		}
		if x.table.Seconds != seconds || x.table.List[0].Packets != packets {
			t.Errorf("%s: %d seen again, %d packets", c.name, x.table.Seconds, x.table.List[0].Packets)
		}
	}
}

// TestAnswersSeenAgain: a NAK, an answer with data and an ACK that are captured twice count once.
func TestAnswersSeenAgain(t *testing.T) {
	for name, s := range map[string]wire.Syndrome{"RNR": wire.RNRNAK(12), "ACK": wire.ACKUnlimited,
		"NAK": wire.NAK(wire.NAKRemoteAccess)} {
		x := newTrace(t)
		x.ask(wire.RCSendOnly, 1, 9)
		for i := range 2 {
			f := x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, DestQP: aliceQP, PSN: 1},
				AETH: wire.AETH{Syndrome: s}})
			f.At = begin.Add(time.Second + time.Duration(i)*5*time.Microsecond)
			x.add(f)
		}
		side := x.table.List[0].Sides[0]
		if side.Answers != 1 || x.table.Seconds != 1 || side.RNR > 1 || side.NAKs[wire.NAKRemoteAccess] > 1 {
			t.Errorf("%s: %+v, marks %q", name, side, x.marks)
		}
	}
}
