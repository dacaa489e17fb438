package conversation

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

// teach sends a message that tells the path MTU and takes PSN 1 and 2.
func (x *trace) teach() {
	x.ask(wire.RCWriteFirst, 1, mtu)
	x.ask(wire.RCWriteLast, 2, 1)
	x.ack(2)
	x.told, x.marks = nil, nil
}

// edgeCases are like requestCases, for packets that are out of the ordinary.
var edgeCases = []requestCase{
	{"overtaken within a message", func(x *trace) {
		x.ask(wire.RCWriteFirst, 1, mtu)
		x.ask(wire.RCWriteLast, 3, 1)
		x.ask(wire.RCWriteMiddle, 2, mtu)
		x.ack(3)
	}, []string{"RDMA_WRITE 2049/3 ok 3ms"}, " gap late "},
	{"not ready for the second", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 2, 1)
		x.answer(wire.RCAcknowledge, 2, wire.RNRNAK(1), 0)
		x.ask(wire.RCSendOnly, 2, 1)
		x.ack(2)
	}, []string{"SEND 1/1 ok 2ms", "SEND 1/2 ok 3ms again 1 rnr 1"}, "  rnr retry "},
	{"negative answers to nothing", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ack(1)
		x.answer(wire.RCAcknowledge, 5, wire.RNRNAK(1), 0)
		x.answer(wire.RCAcknowledge, 5, wire.NAK(wire.NAKRemoteAccess), 0)
	}, []string{"SEND 1/1 ok 1ms"}, "  rnr nak"},
	{"a READ after an only packet, which tells no path MTU", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, smallestMTU)
		x.read(2, 2*mtu)
		x.ask(wire.RCSendOnly, 4, 1)
	}, []string{"SEND 256/1 open", "RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, "  "},
	{"a READ after a middle packet", func(x *trace) {
		x.ask(wire.RCWriteMiddle, 1, smallestMTU)
		x.ask(wire.RCWriteLast, 2, 1)
		x.read(3, 2*smallestMTU)
		x.ask(wire.RCSendOnly, 6, 1)
	}, []string{"RDMA_WRITE 257/2 open", "RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, "   gap"},
	{"a first packet shorter than any path MTU", func(x *trace) {
		x.ask(wire.RCWriteFirst, 1, 10)
		x.ask(wire.RCWriteLast, 2, 1)
		x.read(3, 600)
		x.ask(wire.RCSendOnly, 5, 1)
	}, []string{"RDMA_WRITE 11/2 open", "RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, "   "},
	{"a READ that fits in one packet", func(x *trace) {
		x.read(3, smallestMTU)
		x.ask(wire.RCSendOnly, 5, 1)
	}, []string{"RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, " gap"},
	{"a READ of nothing", func(x *trace) {
		x.teach()
		x.read(3, 0)
		x.ask(wire.RCSendOnly, 4, 1)
	}, []string{"RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, " "},
	{"a READ of full packets", func(x *trace) {
		x.teach()
		x.read(3, 2*mtu)
		x.ask(wire.RCSendOnly, 5, 1)
	}, []string{"RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, " "},
	{"a READ tells the path MTU to the next", func(x *trace) {
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseLast, 4, 0, mtu)
		x.read(5, 2*mtu)
		x.ask(wire.RCSendOnly, 8, 1)
	}, []string{"RDMA_READ_REQUEST 2048/2 ok 2ms", "RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, "    gap"},
	{"a middle answer tells the path MTU", func(x *trace) {
		x.read(3, 3*mtu)
		x.answer(wire.RCReadResponseMiddle, 4, 0, mtu)
		x.answer(wire.RCReadResponseLast, 5, 0, mtu)
		x.read(6, 2*mtu)
		x.ask(wire.RCSendOnly, 9, 1)
	}, []string{"RDMA_READ_REQUEST 2048/2 ok 2ms", "RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, "    gap"},
	{"an only answer tells no path MTU", func(x *trace) {
		x.read(3, 300)
		x.answer(wire.RCReadResponseOnly, 3, 0, 300)
		x.read(4, 600)
		x.ask(wire.RCSendOnly, 7, 1)
	}, []string{"RDMA_READ_REQUEST 300/1 ok 1ms", "RDMA_READ_REQUEST 0/0 open", "SEND 1/1 open"}, "   "},
	{"a gap after a READ of unknown length", func(x *trace) {
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseLast, 4, 0, mtu)
		x.ask(wire.RCSendOnly, 6, 1)
	}, []string{"RDMA_READ_REQUEST 2048/2 ok 2ms", "SEND 1/1 open"}, "   gap"},
	{"a READ that ends while another request is open", func(x *trace) {
		x.teach()
		x.read(3, 2*mtu)
		x.ask(wire.RCSendOnly, 5, 1)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseLast, 4, 0, mtu)
		x.ask(wire.RCSendOnly, 6, 1)
	}, []string{"RDMA_READ_REQUEST 2048/2 ok 3ms", "SEND 1/1 open", "SEND 1/1 open"}, "    "},
	{"a READ whose answers are longer than the packets seen before", func(x *trace) {
		x.teach()
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseOnly, 3, 0, 2*mtu)
		x.ask(wire.RCSendOnly, 4, 1)
	}, []string{"RDMA_READ_REQUEST 2048/1 ok 1ms", "SEND 1/1 open"}, "  "},
	{"data acknowledges what is before the READ", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.read(2, 10)
		x.answer(wire.RCReadResponseOnly, 2, 0, 10)
	}, []string{"SEND 1/1 ok 2ms", "RDMA_READ_REQUEST 10/1 ok 1ms"}, "  "},
	{"data from before the READ", func(x *trace) {
		x.ask(wire.RCSendOnly, 2, 1)
		x.ack(2)
		x.read(3, 10)
		x.answer(wire.RCReadResponseOnly, 1, 0, 10)
	}, []string{"SEND 1/1 ok 1ms", "RDMA_READ_REQUEST 0/0 open"}, "   "},
	{"data from behind the READ", func(x *trace) {
		x.teach()
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseOnly, 9, 0, 5)
	}, []string{"RDMA_READ_REQUEST 0/0 ok 1ms"}, " "},
	{"a READ that is acknowledged before its data", func(x *trace) {
		x.read(3, 2*mtu)
		x.ack(3)
		x.answer(wire.RCReadResponseLast, 4, 0, 5)
	}, []string{"RDMA_READ_REQUEST 0/0 ok 1ms"}, "  "},
	{"FLUSH, answered by empty data", func(x *trace) {
		x.ask(wire.RCFlush, 1, 0)
		x.answer(wire.RCReadResponseOnly, 1, 0, 0)
	}, []string{"FLUSH 0/1 ok 1ms"}, " "},
	{"a READ longer than PSNs can tell", func(x *trace) {
		x.ask(wire.RCWriteFirst, 1, smallestMTU)
		x.ask(wire.RCWriteLast, 2, 1)
		x.ack(2)
		x.told, x.marks = nil, nil
		x.read(3, 1<<31+smallestMTU)
		x.answer(wire.RCReadResponseOnly, 3+1<<22, 0, 1)
	}, []string{"RDMA_READ_REQUEST 1/1 ok 1ms"}, " "},
}

func TestEdges(t *testing.T) { playAll(t, edgeCases) }

// TestFar: a PSN that is too far from the expected one begins a new connection.
func TestFar(t *testing.T) {
	for ahead, want := range map[int]string{1: "gap", farPSN: "gap", farPSN + 1: "", -1: "retry",
		-farPSN: "retry", -farPSN - 1: ""} {
		x := newTrace(t)
		x.ask(wire.RCSendOnly, 0, 1)
		x.ask(wire.RCSendOnly, wire.PSN(1).Add(ahead), 1)
		if x.marks[1] != want {
			t.Errorf("%+d: %q, want %q", ahead, x.marks[1], want)
		}
	}
}

// TestReconnected: a packet like one from before a queue pair was connected anew is no copy of that one.
func TestReconnected(t *testing.T) {
	for _, psns := range [][]wire.PSN{{5, 1 << 20, 5}, {5, 1 << 20, 4, 5}} {
		x := newTrace(t)
		for _, psn := range psns {
			f := x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: psn}})
			f.ID = uint16(psn) + 1
			x.add(f)
		}
		if got := strings.Join(x.marks, ""); got != "" {
			t.Errorf("PSNs %d: marks %q", psns, x.marks)
		}
	}
}

func TestFill(t *testing.T) {
	for psn, want := range map[wire.PSN]string{
		9: "false [{10 12} {20 20}]", 10: "true [{11 12} {20 20}]", 11: "true [{10 10} {12 12} {20 20}]",
		12: "true [{10 11} {20 20}]", 13: "false [{10 12} {20 20}]", 19: "false [{10 12} {20 20}]",
		20: "true [{10 12}]", 21: "false [{10 12} {20 20}]",
	} {
		s := &Side{holes: []hole{{10, 12}, {20, 20}}}
		_, filled := s.fill(psn, psn)
		var holes [][2]uint32
		for _, h := range s.holes {
			holes = append(holes, [2]uint32{uint32(h.from), uint32(h.to)})
		}
		if got := strings.NewReplacer("[[", "[{", "]]", "}]", "] [", "} {").
			Replace(fmt.Sprint(filled, " ", holes)); got != want {
			t.Errorf("%d: %s, want %s", psn, got, want)
		}
	}
}

// TestRecent: the newest packets are remembered, and no others.
func TestRecent(t *testing.T) {
	var r recent
	const packets = 3*recentPackets + 5
	for id := range uint16(packets) {
		f := &capture.Frame{ID: id + 1}
		if r.copied(sight(f)) {
			t.Errorf("%d is a copy", id)
		}
		r.add(sight(f))
	}
	ids := map[uint16]bool{}
	for _, s := range r.seen {
		ids[s.id] = s.id > packets-recentPackets
	}
	for id, newest := range ids {
		if !newest {
			t.Errorf("%d is remembered", id)
		}
	}
	if len(r.seen) != recentPackets || len(ids) != recentPackets {
		t.Errorf("%d remembered, %d different ones", len(r.seen), len(ids))
	}
}

// TestSameIdentification: in a new connection a packet is new, whatever its identification.
func TestSameIdentification(t *testing.T) {
	x := newTrace(t)
	for _, psn := range []wire.PSN{5, 0x800000, 4, 5} {
		f := x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: psn}})
		f.ID = 7
		x.add(f)
	}
	x.table.End()
	if s := x.table.List[0].Sides[0]; s.Twice != 0 || s.Packets != 4 || s.Kinds[wire.OpSend].Requests != 4 {
		t.Errorf("%+v, marks %q", s, x.marks)
	}
}

// TestTouched: each packet tells the request that it belongs to or ends.
func TestTouched(t *testing.T) {
	x := newTrace(t)
	touched := func(what string, first wire.PSN) {
		t.Helper()
		if r := x.table.Touched; r == nil || r.First != first {
			t.Errorf("%s: %+v, want that of PSN %d", what, r, first)
		}
	}
	x.ask(wire.RCSendOnly, 1, 1)
	touched("a request", 1)
	x.ask(wire.RCSendOnly, 2, 1)
	x.ask(wire.RCSendOnly, 1, 1)
	touched("a repetition", 1)
	x.ack(1)
	touched("an ACK", 1)
	x.ask(wire.RCSendOnly, 3, 1)
	x.answer(wire.RCAcknowledge, 2, wire.RNRNAK(1), 0)
	touched("an RNR NAK", 2)
	x.answer(wire.RCAcknowledge, 2, wire.NAK(wire.NAKRemoteAccess), 0)
	touched("a NAK", 2)
	x.read(4, 2*mtu)
	x.answer(wire.RCReadResponseFirst, 4, 0, mtu)
	touched("data", 4)
	x.ask(wire.RCSendOnly, 1, 1)
	if x.table.Touched != nil {
		t.Errorf("an old request: %+v", x.table.Touched)
	}
}

// TestRequest has what the short form of the other tests leaves out.
func TestRequest(t *testing.T) {
	x := newTrace(t)
	add := func(op wire.Opcode, psn wire.PSN) {
		x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: bobQP, PSN: psn},
			RETH: wire.RETH{DMALen: 2500}, Payload: make([]byte, mtu)}))
	}
	add(wire.RCWriteFirst, 1)
	add(wire.RCWriteMiddle, 2)
	add(wire.RCWriteLast, 3)
	x.ack(3)
	if r := x.told[0]; r.Length != 2500 || r.First != 1 || r.Last != 3 || r.Sent != begin.Add(3*time.Millisecond) {
		t.Errorf("a WRITE: %+v", r)
	}
	y := newTrace(t)
	y.read(3, 2*mtu)
	y.answer(wire.RCReadResponseFirst, 3, 0, mtu)
	y.answer(wire.RCReadResponseLast, 4, 0, mtu)
	if r := y.told[0]; r.Length != 2*mtu || r.First != 3 || r.Last != 4 || r.Bytes != 2*mtu {
		t.Errorf("a READ: %+v", r)
	}
}

// TestStrangers: whatever the packets are, nothing panics, bounds hold, and each request is
// told once.
func TestStrangers(t *testing.T) {
	ops := []wire.Opcode{wire.CNP}
	for o := range wire.Opcode(0x30) {
		ops = append(ops, o)
	}
	lengths := []uint32{0, 1, 256, 257, 1 << 20, 1 << 31, 1<<31 + 1<<20, 1<<32 - 1}
	steps := []int{0, 0, 0, 1, -1, 2, 1 << 16, 1 << 22, 1<<23 - 1, 1 << 23}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		x := newTrace(t)
		told := map[*Request]int{}
		x.table.Told = func(_ *Conversation, _ int, r *Request) { told[r]++ }
		var psn wire.PSN
		for range 2000 {
			psn = psn.Add(steps[random.IntN(len(steps))])
			from, to := alice, bob
			if random.IntN(2) == 0 {
				from, to = bob, []netip.Addr{alice, bob}[random.IntN(2)]
			}
			f := x.frame(from, to, wire.Packet{
				BTH:     wire.BTH{Opcode: ops[random.IntN(len(ops))], DestQP: uint32(random.IntN(3)), PSN: psn},
				RETH:    wire.RETH{DMALen: lengths[random.IntN(len(lengths))]},
				AETH:    wire.AETH{Syndrome: wire.Syndrome(random.IntN(256))},
				Payload: make([]byte, []int{0, 10, 256, 1024}[random.IntN(4)]),
			})
			f.ID = uint16(random.IntN(4))
			x.add(f)
		}
		x.table.End()
		requests := uint64(0)
		for _, talk := range x.table.List {
			for _, s := range talk.Sides {
				if s == nil {
					continue
				}
				for i := range s.Kinds {
					requests += s.Kinds[i].Requests
				}
			}
		}
		for r, times := range told {
			if times != 1 {
				t.Errorf("seed %d: told %d times: %+v", seed, times, r)
			}
		}
		if requests != uint64(len(told)) {
			t.Errorf("seed %d: %d requests counted, %d told", seed, requests, len(told))
		}
	}
}
