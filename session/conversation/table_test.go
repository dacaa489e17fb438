package conversation

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

var (
	alice = netip.MustParseAddr("10.0.0.1")
	bob   = netip.MustParseAddr("10.0.0.2")
	begin = time.Unix(1_700_000_000, 0)
)

const (
	aliceQP = 0x11
	bobQP   = 0x22
)

// trace feeds a table packets, each a microsecond after the one before.
type trace struct {
	t     *testing.T
	table *Table
	n     int
	told  []Request
	marks []string // of each packet
}

func newTrace(t *testing.T) *trace {
	x := &trace{t: t, table: New()}
	x.table.Told = func(_ *Conversation, _ int, r *Request) { x.told = append(x.told, *r) }
	return x
}

func (x *trace) frame(from, to netip.Addr, p wire.Packet) *capture.Frame {
	x.n++
	f := &capture.Frame{}
	f.At, f.Seq = begin.Add(time.Duration(x.n)*time.Millisecond), uint64(x.n)
	f.Src, f.Dst = netip.AddrPortFrom(from, 50000), netip.AddrPortFrom(to, 4791)
	f.Data = append(p.Append(nil), 0, 0, 0, 0)
	f.Len = len(f.Data)
	f.Decode()
	return f
}

func (x *trace) add(f *capture.Frame) *Conversation {
	m, talk := x.table.Add(f)
	x.marks = append(x.marks, strings.Join(m.Names(), "+"))
	return talk
}

// ask is a packet from alice to bob, answer one back.
func (x *trace) ask(op wire.Opcode, psn wire.PSN, payload int) {
	x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: bobQP, PSN: psn},
		RETH: wire.RETH{DMALen: uint32(payload)}, Payload: make([]byte, payload)}))
}

func (x *trace) read(psn wire.PSN, length uint32) {
	x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCReadRequest, DestQP: bobQP, PSN: psn},
		RETH: wire.RETH{DMALen: length}}))
}

func (x *trace) answer(op wire.Opcode, psn wire.PSN, s wire.Syndrome, payload int) {
	x.add(x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: aliceQP, PSN: psn},
		AETH: wire.AETH{Syndrome: s}, Payload: make([]byte, payload)}))
}

func (x *trace) ack(psn wire.PSN) { x.answer(wire.RCAcknowledge, psn, wire.ACKWithCredits(8), 0) }

// requests tells the requests that ended, in short.
func (x *trace) requests() (all []string) {
	x.table.End()
	for _, r := range x.told {
		text := fmt.Sprintf("%s %d/%d", r.Operation, r.Bytes, r.Packets)
		switch r.Outcome {
		case Acknowledged:
			text += fmt.Sprintf(" ok %v", r.Answered.Sub(r.Begin))
		case Refused:
			text += " " + r.Code.String()
		case Open:
			text += " open"
		}
		if n := r.Again[AfterTimeout] + r.Again[AfterRNR] + r.Again[AfterNAK]; n > 0 {
			text += fmt.Sprintf(" again %d", n)
		}
		if r.RNR > 0 {
			text += fmt.Sprintf(" rnr %d", r.RNR)
		}
		all = append(all, text)
	}
	return all
}

const mtu = 1024

// requestCase is packets of one direction with their answers, the requests that they
// are, and what is told of each packet.
type requestCase struct {
	name  string
	play  func(*trace)
	want  []string
	marks string
}

var requestCases = []requestCase{
	{"one packet", func(x *trace) { x.ask(wire.RCSendOnly, 7, 10); x.ack(7) }, []string{"SEND 10/1 ok 1ms"}, " "},
	{"three packets, one answer", func(x *trace) {
		x.ask(wire.RCWriteFirst, 0xffffff, mtu)
		x.ask(wire.RCWriteMiddle, 0, mtu)
		x.ask(wire.RCWriteLast, 1, 1)
		x.ack(1)
	}, []string{"RDMA_WRITE 2049/3 ok 3ms"}, "   "},
	{"one answer to several requests", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 2, 2)
		x.ack(2)
	}, []string{"SEND 1/1 ok 2ms", "SEND 2/1 ok 1ms"}, "  "},
	{"an answer to the first only", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 2, 2)
		x.ack(1)
	}, []string{"SEND 1/1 ok 2ms", "SEND 2/1 open"}, "  "},
	{"sent again without an answer", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 1, 1)
		x.ack(1)
	}, []string{"SEND 1/2 ok 2ms again 1"}, " retry "},
	{"receiver not ready", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.answer(wire.RCAcknowledge, 1, wire.RNRNAK(12), 0)
		x.ask(wire.RCSendOnly, 1, 1)
		x.ack(1)
	}, []string{"SEND 1/2 ok 3ms again 1 rnr 1"}, " rnr retry "},
	{"refused", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCWriteOnly, 2, 1)
		x.answer(wire.RCAcknowledge, 2, wire.NAK(wire.NAKRemoteAccess), 0)
	}, []string{"SEND 1/1 ok 2ms", "RDMA_WRITE 1/1 " + wire.NAKRemoteAccess.String()}, "  nak"},
	{"lost before the capture, sent again after the NAK", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 3, 3)
		x.answer(wire.RCAcknowledge, 2, wire.NAK(wire.NAKPSNSequence), 0)
		x.ask(wire.RCSendOnly, 2, 2)
		x.ask(wire.RCSendOnly, 3, 3)
		x.ack(3)
	}, []string{"SEND 1/1 ok 2ms", "SEND 2/1 ok 2ms again 1", "SEND 3/2 ok 4ms again 1"}, " gap nak retry retry "},
	{"overtaken", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 3, 3)
		x.ask(wire.RCSendOnly, 2, 2)
		x.ack(3)
	}, []string{"SEND 1/1 ok 3ms", "SEND 2/1 ok 1ms", "SEND 3/1 ok 2ms"}, " gap late "},
	{"READ of a known path MTU", func(x *trace) {
		x.ask(wire.RCWriteFirst, 1, mtu)
		x.ask(wire.RCWriteLast, 2, 1)
		x.ack(2)
		x.read(3, 2*mtu+1)
		x.ask(wire.RCSendOnly, 6, 1)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseMiddle, 4, 0, mtu)
		x.answer(wire.RCReadResponseLast, 5, 0, 1)
		x.ack(6)
	}, []string{"RDMA_WRITE 1025/2 ok 2ms", "RDMA_READ_REQUEST 2049/3 ok 4ms", "SEND 1/1 ok 4ms"}, "        "},
	{"READ of an unknown path MTU", func(x *trace) {
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseLast, 4, 0, mtu)
		x.ask(wire.RCSendOnly, 5, 1)
		x.ack(5)
	}, []string{"RDMA_READ_REQUEST 2048/2 ok 2ms", "SEND 1/1 ok 1ms"}, "    "},
	{"READ asked for again", func(x *trace) {
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.read(3, 2*mtu)
		x.answer(wire.RCReadResponseFirst, 3, 0, mtu)
		x.answer(wire.RCReadResponseLast, 4, 0, mtu)
	}, []string{"RDMA_READ_REQUEST 2048/3 ok 4ms again 2"}, "  retry retry "},
	{"atomic", func(x *trace) {
		x.ask(wire.RCFetchAdd, 1, 0)
		x.answer(wire.RCAtomicAcknowledge, 1, wire.ACKWithCredits(1), 0)
	}, []string{"FETCH_ADD 0/1 ok 1ms"}, " "},
	{"connected anew", func(x *trace) {
		x.ask(wire.RCSendOnly, 1, 1)
		x.ask(wire.RCSendOnly, 0x800000, 2)
		x.ack(0x800000)
	}, []string{"SEND 1/1 open", "SEND 2/1 ok 1ms"}, "  "},
	{"unreliable", func(x *trace) {
		x.ask(wire.UCSendFirst, 1, mtu)
		x.ask(wire.UCSendLast, 2, 1)
		x.ask(wire.UCSendOnly, 4, 1)
	}, []string{"SEND 1025/2", "SEND 1/1"}, "  gap"},
	{"capture begins within a message", func(x *trace) {
		x.ask(wire.RCWriteMiddle, 5, mtu)
		x.ask(wire.RCWriteLast, 6, 1)
		x.ack(6)
	}, []string{"RDMA_WRITE 1025/2 ok 2ms"}, "  "},
}

func TestRequests(t *testing.T) { playAll(t, requestCases) }

func playAll(t *testing.T, cases []requestCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x := newTrace(t)
			c.play(x)
			if got := x.requests(); !slices.Equal(got, c.want) {
				t.Errorf("requests\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(c.want, "\n "))
			}
			if got := strings.Join(x.marks, " "); got != c.marks {
				t.Errorf("marks %q, want %q", got, c.marks)
			}
		})
	}
}

// TestSideCounts tells why packets were sent again, and which are missing.
func TestSideCounts(t *testing.T) {
	x := newTrace(t)
	x.ask(wire.RCSendOnly, 1, 1)
	x.ask(wire.RCSendOnly, 1, 1) // after a timeout
	x.answer(wire.RCAcknowledge, 1, wire.RNRNAK(1), 0)
	x.ask(wire.RCSendOnly, 1, 1) // after the RNR NAK
	x.ack(1)
	x.ask(wire.RCSendOnly, 4, 1) // 2 and 3 are missing
	x.ask(wire.RCSendOnly, 3, 1) // late
	x.answer(wire.RCAcknowledge, 2, wire.NAK(wire.NAKPSNSequence), 0)
	x.answer(wire.RCAcknowledge, 2, wire.NAK(wire.NAKPSNSequence), 0)
	x.ask(wire.RCSendOnly, 2, 1) // after the NAK
	x.table.End()
	s := x.table.List[0].Sides[0]
	if s.Again != [reasons]uint64{1, 1, 1} || s.RNR != 1 || s.NAKs[wire.NAKPSNSequence] != 2 || s.Late != 1 ||
		s.Missing != 0 || s.Packets != 6 || s.Answers != 4 {
		t.Errorf("%+v", s)
	}
}

// TestCopies: a packet with the same identification was copied by the network, one
// with another was sent again.
func TestCopies(t *testing.T) {
	x := newTrace(t)
	for _, id := range []uint16{5, 5, 6, 0, 0} {
		f := x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: 9}})
		f.ID = id
		x.add(f)
	}
	if got := strings.Join(x.marks, " "); got != " duplicate retry retry retry" || x.table.List[0].Sides[0].Twice != 1 {
		t.Errorf("marks %q, %d copies", got, x.table.List[0].Sides[0].Twice)
	}
}

// TestRepeatedIdentification: a sender that gives all packets one identification repeats them like others.
func TestRepeatedIdentification(t *testing.T) {
	x := newTrace(t)
	for _, psn := range []wire.PSN{8, 9, 9} {
		f := x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: psn}})
		f.ID = 7
		x.add(f)
	}
	if got := strings.Join(x.marks, " "); got != "  retry" {
		t.Errorf("marks %q", got)
	}
}

// TestEnds: who asks is learnt from the connection manager, from answers, or from
// datagrams; both directions are one conversation.
func TestEnds(t *testing.T) {
	back := func(x *trace) { // bob asks, alice answers
		x.add(x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: aliceQP, PSN: 90}}))
		x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, DestQP: bobQP, PSN: 90}}))
	}
	connect := func(x *trace) {
		mad := func(from, to netip.Addr, body wire.CMBody) {
			m := wire.NewCM(1, body)
			x.add(x.frame(from, to, wire.Packet{BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 1},
				DETH: wire.DETH{SrcQP: 1}, Payload: m.Append(nil)}))
		}
		mad(alice, bob, &wire.CMReq{LocalCommID: 5, LocalQPN: aliceQP})
		mad(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
	}
	for _, c := range []struct {
		name  string
		play  func(*trace)
		talks []string
	}{
		{"requests without answers", func(x *trace) { x.ask(wire.RCSendOnly, 1, 1) },
			[]string{"RC 0/22 no answer captured"}},
		{"answers", func(x *trace) { x.ask(wire.RCSendOnly, 1, 1); x.ack(1) },
			[]string{"RC 11/22 inferred from the PSNs of answers"}},
		{"answers, both ask", func(x *trace) { x.ask(wire.RCSendOnly, 1, 1); x.ack(1); back(x) },
			[]string{"RC 11/22 inferred from the PSNs of answers both"}},
		{"both ask before an answer", func(x *trace) {
			x.ask(wire.RCSendOnly, 1, 1)
			back(x)
			x.ack(1)
		}, []string{"RC 11/22 inferred from the PSNs of answers both"}},
		{"connection manager", func(x *trace) { connect(x); x.ask(wire.RCSendOnly, 1, 1); back(x) },
			[]string{"UD 1/1 named in each datagram both", "RC 11/22 named by the connection manager both"}},
		{"an answer without a request", func(x *trace) { x.ack(1) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newTrace(t)
			c.play(x)
			x.table.End()
			var got []string
			for _, talk := range x.table.List {
				text := fmt.Sprintf("%s %x/%x %s", talk.Transport, talk.Ends[0].QP, talk.Ends[1].QP, talk.Joined)
				if talk.Sides[1] != nil {
					text += " both"
				}
				got = append(got, text)
			}
			if !slices.Equal(got, c.talks) {
				t.Errorf("%q, want %q", got, c.talks)
			}
		})
	}
}

// TestBounds: what strangers' packets can fill stays bounded.
func TestBounds(t *testing.T) {
	x := newTrace(t)
	for i := range maxOpen + 100 {
		x.ask(wire.RCSendOnly, wire.PSN(2*i), 1) // a gap before each
	}
	s := x.table.List[0].Sides[0]
	if len(s.open) != maxOpen || len(s.holes) != maxHoles || x.table.Unfollowed != 100 ||
		s.holes[0].from != wire.PSN(2*(maxOpen+100-maxHoles)-1) {
		t.Errorf("%d open, %d holes, %d not followed", len(s.open), len(s.holes), x.table.Unfollowed)
	}
	for i := range maxConversations + 10 {
		x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: uint32(i + 100)}}))
	}
	if n := len(x.table.List); n != maxConversations || x.table.Unfollowed != 100+11 {
		t.Errorf("%d conversations, %d not followed", n, x.table.Unfollowed)
	}
}

// TestSpan: a conversation lasts from its first to its last packet.
func TestSpan(t *testing.T) {
	x := newTrace(t)
	for n := range 3 {
		x.ask(wire.RCSendOnly, wire.PSN(n), 1)
		talk := x.table.List[0]
		if first, last := talk.First.Sub(begin), talk.Last.Sub(begin); first != time.Millisecond ||
			last != time.Duration(n+1)*time.Millisecond || talk.Packets != uint64(n+1) {
			t.Errorf("%d packets from %v to %v", talk.Packets, first, last)
		}
	}
}

// TestAwaits: a PSN is awaited from the first open request on up to the next one, or far beyond where packets are
// missing.
func TestAwaits(t *testing.T) {
	for _, tt := range []struct {
		psn   wire.PSN
		loose bool
		want  bool
	}{
		{4, false, false}, {5, false, true}, {6, false, true}, {7, false, false}, {7, true, true},
		{7 + farPSN - 1, true, true}, {7 + farPSN, true, false}, {4, true, false},
	} {
		s := &Side{next: 7, loose: tt.loose, open: []*Request{{First: 5}}}
		if got := s.awaits(tt.psn); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if (&Side{next: 7, loose: true}).awaits(6) {
		t.Error("awaited without an open request")
	}
}

// TestWindow: what is unanswered at one time is counted, and what the other end allowed.
func TestWindow(t *testing.T) {
	x := newTrace(t)
	x.ask(wire.RCWriteFirst, 0xffffff, mtu)
	x.ask(wire.RCWriteLast, 0, mtu)
	x.ask(wire.RCSendOnly, 1, 1)
	x.ask(wire.RCSendOnly, 1, 1) // again: nothing new is unanswered
	x.answer(wire.RCAcknowledge, 0, wire.ACKWithCredits(4), 0)
	x.read(2, 3*mtu) // its answers take three PSNs
	x.answer(wire.RCAcknowledge, 1, wire.ACKWithCredits(2), 0)
	x.answer(wire.RCReadResponseFirst, 2, wire.ACKUnlimited, mtu)
	x.answer(wire.RCReadResponseMiddle, 3, 0, mtu) // has no syndrome
	x.table.End()
	s := x.table.List[0].Sides[0]
	if want := (Window{Requests: 2, PSNs: 4}); s.Window != want {
		t.Errorf("%+v, want %+v", s.Window, want)
	}
	if want := (Credits{Told: true, Least: 2, Most: 4, Unlimited: 1}); s.Credits != want {
		t.Errorf("%+v, want %+v", s.Credits, want)
	}
	if k := &s.Kinds[wire.OpSend]; len(k.Latencies) != 1 ||
		k.Latencies[0].First-k.Latencies[0].Last != time.Millisecond {
		t.Errorf("latencies %v", k.Latencies)
	}
	y := newTrace(t)
	y.ask(wire.UCSendOnly, 1, 1)
	y.ask(wire.UCSendFirst, 2, mtu)
	y.table.End()
	if w := y.table.List[0].Sides[0].Window; w != (Window{}) {
		t.Errorf("unreliable: %+v", w)
	}
	z := newTrace(t)
	z.read(1, 3*mtu) // nobody knows in how many packets
	if w := z.table.List[0].Sides[0].Window; w != (Window{}) {
		t.Errorf("of unknown length: %+v", w)
	}
}

// TestLatencySample: beyond the bound, what is kept is a fair sample, and an operation that
// comes late has some all the same.
func TestLatencySample(t *testing.T) {
	table := New()
	table.latencies = maxLatencies - 1000
	var early, late Kind
	const requests = 100_000
	for i := range requests {
		early.add(table, &Request{Begin: begin, Answered: begin.Add(time.Duration(i)), Outcome: Acknowledged})
	}
	for range 2 * minLatencies {
		late.add(table, &Request{Begin: begin, Answered: begin, Outcome: Acknowledged})
	}
	if len(early.Latencies) != 1000 || early.Acknowledged != requests || len(late.Latencies) != minLatencies {
		t.Errorf("%d of %d kept, %d late ones", len(early.Latencies), early.Acknowledged, len(late.Latencies))
	}
	var sum time.Duration
	for _, l := range early.Latencies {
		sum += l.First
	}
	if mean := sum / 1000; mean < requests*45/100 || mean > requests*55/100 {
		t.Errorf("the mean of the sample is %d of 0 to %d", mean, requests)
	}
}
