package conversation

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

func TestMarks(t *testing.T) {
	if got := (Again | NAK | CM).Names(); !slices.Equal(got, []string{"retry", "nak", "cm"}) {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		m, any Marks
		want   bool
	}{{Again, Again, true}, {Again | NAK, NAK, true}, {NAK, RNR | NAK, true}, {NAK, RNR, false},
		{0, RNR, false}, {NAK, 0, false}} {
		if got := c.m.Has(c.any); got != c.want {
			t.Errorf("%b has one of %b: %v", c.m, c.any, got)
		}
	}
}

// TestOwn: what a packet says by itself.
func TestOwn(t *testing.T) {
	mad := func(p wire.Packet) timeline.Packet { return timeline.Packet{Wire: p} }
	class := func(c byte) []byte { return []byte{1, c, 0} }
	for _, c := range []struct {
		name string
		p    timeline.Packet
		want string
	}{
		{"a request", mad(wire.Packet{}), ""},
		{"ECN CE", timeline.Packet{IP: verbs.IPHeader{TrafficClass: 0xff}}, "ecn"},
		{"ECT(0)", timeline.Packet{IP: verbs.IPHeader{TrafficClass: 2}}, ""},
		{"ECT(1)", timeline.Packet{IP: verbs.IPHeader{TrafficClass: 1}}, ""},
		{"undecodable", timeline.Packet{Err: wire.ErrTruncated, IP: verbs.IPHeader{TrafficClass: 3},
			Wire: wire.Packet{BTH: wire.BTH{Opcode: wire.CNP}}}, "ecn malformed"},
		{"CNP", mad(wire.Packet{BTH: wire.BTH{Opcode: wire.CNP}}), "cnp"},
		{"ACK", mad(wire.Packet{Headers: wire.HasAETH, AETH: wire.AETH{Syndrome: wire.ACKUnlimited}}), ""},
		{"RNR NAK", mad(wire.Packet{Headers: wire.HasAETH, AETH: wire.AETH{Syndrome: wire.RNRNAK(1)}}), "rnr"},
		{"NAK", mad(wire.Packet{Headers: wire.HasAETH, AETH: wire.AETH{Syndrome: wire.NAK(wire.NAKRemoteAccess)}}),
			"nak"},
		{"without AETH", mad(wire.Packet{AETH: wire.AETH{Syndrome: wire.NAK(wire.NAKRemoteAccess)}}), ""},
		{"CM", mad(wire.Packet{BTH: wire.BTH{DestQP: 1}, Headers: wire.HasDETH, Payload: class(wire.MADClassCM)}),
			"cm"},
		{"a class that was cut off, as zero",
			mad(wire.Packet{BTH: wire.BTH{DestQP: 1}, Headers: wire.HasDETH, Payload: class(0)}), "cm"},
		{"a class that was cut off",
			mad(wire.Packet{BTH: wire.BTH{DestQP: 1}, Headers: wire.HasDETH, Payload: []byte{1}}), "cm"},
		{"another class", mad(wire.Packet{BTH: wire.BTH{DestQP: 1}, Headers: wire.HasDETH, Payload: class(1)}), ""},
		{"a datagram of a user",
			mad(wire.Packet{BTH: wire.BTH{DestQP: 2}, Headers: wire.HasDETH, Payload: class(wire.MADClassCM)}), ""},
		{"no datagram", mad(wire.Packet{BTH: wire.BTH{DestQP: 1}, Payload: class(wire.MADClassCM)}), ""},
	} {
		if got := strings.Join(Own(&c.p).Names(), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestUnheeded: packets that nobody acts on belong to their conversation and change nothing.
func TestUnheeded(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*capture.Frame)
		marks  string
	}{
		{"whole", func(*capture.Frame) {}, ""},
		{"only the BTH", func(f *capture.Frame) { f.Data = f.Data[:wire.BTHLen] }, "cut"},
		{"wrong ICRC", func(f *capture.Frame) { f.ICRC = capture.Wrong }, "icrc"},
		{"undecodable", func(f *capture.Frame) { f.Err = wire.ErrTruncated }, "malformed"},
		{"unknown opcode", func(f *capture.Frame) { f.Wire.BTH.Opcode = 0x1f }, ""},
		{"less than a BTH", func(f *capture.Frame) { f.Data = f.Data[:wire.BTHLen-1] }, "nothing"},
	} {
		x := newTrace(t)
		f := x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: 1}})
		c.change(f)
		talk := x.add(f)
		if c.marks == "nothing" {
			if talk != nil {
				t.Errorf("%s: %+v", c.name, talk)
			}
			continue
		}
		sound := c.marks == "" || c.marks == "cut"
		if heeded := talk.Sides[0].Packets == 1; talk.Packets != 1 ||
			heeded != (sound && f.Wire.BTH.Opcode == wire.RCSendOnly) || x.marks[0] != c.marks {
			t.Errorf("%s: %d packets, heeded %v, marks %q", c.name, talk.Packets, heeded, x.marks[0])
		}
	}
}

// TestOneSided counts what is no request and no answer.
func TestOneSided(t *testing.T) {
	x := newTrace(t)
	congested := func(f *capture.Frame) *capture.Frame { f.IP.TrafficClass = 3; return f }
	rc := func(op wire.Opcode, qp uint32) wire.Packet {
		return wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: qp, PSN: 1}, AETH: wire.AETH{Syndrome: wire.ACKUnlimited}}
	}
	x.add(x.frame(bob, alice, rc(wire.CNP, aliceQP))) // nobody is known to ask yet
	x.add(congested(x.frame(alice, bob, rc(wire.RCSendOnly, bobQP))))
	x.add(congested(x.frame(bob, alice, rc(wire.RCAcknowledge, aliceQP)))) // an answer slows nobody down
	x.add(x.frame(bob, alice, rc(wire.CNP, aliceQP)))
	x.add(x.frame(bob, alice, rc(wire.RCAcknowledge, aliceQP+1))) // to nobody
	for _, length := range []int{10, 20} {
		x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 7},
			DETH: wire.DETH{SrcQP: 8}, Payload: make([]byte, length)}))
	}
	x.table.End()
	s, ud := x.table.List[0].Sides[0], x.table.List[1].Sides[0]
	if s.ECN != 1 || s.CNP != 1 || s.Packets != 1 || s.Answers != 1 || x.table.Stray != 1 {
		t.Errorf("%+v, %d stray", s, x.table.Stray)
	}
	if k := ud.Kinds[wire.OpSend]; ud.Packets != 2 || k.Requests != 2 || k.Packets != 2 ||
		k.Bytes != 30 || k.Open != 0 {
		t.Errorf("%d packets, %+v", ud.Packets, k)
	}
}

// TestKind sums up requests.
func TestKind(t *testing.T) {
	var k Kind
	table := New()
	for _, r := range []Request{{Outcome: Open, Packets: 1, Bytes: 10}, {Outcome: Refused, Packets: 2, Bytes: 20},
		{Outcome: Acknowledged, Packets: 3, Bytes: 30}, {Outcome: Unreliable, Packets: 4, Bytes: 40}} {
		k.add(table, &r)
	}
	if k.Requests != 4 || k.Packets != 10 || k.Bytes != 100 || k.Open != 1 || k.Refused != 1 || k.Acknowledged != 1 ||
		len(k.Latencies) != 1 {
		t.Errorf("%+v", k)
	}
}

// from sends a packet from one address to a queue pair of another.
func (x *trace) from(src, dst netip.Addr, op wire.Opcode, qp uint32, psn wire.PSN) {
	x.add(x.frame(src, dst,
		wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: qp, PSN: psn}, AETH: wire.AETH{Syndrome: wire.ACKUnlimited}}))
}

// cm sends a message of the connection manager.
func (x *trace) cm(src, dst netip.Addr, body wire.CMBody, change ...func(*capture.Frame)) {
	m := wire.NewCM(1, body)
	f := x.frame(src, dst, wire.Packet{
		BTH: wire.BTH{Opcode: wire.UDSendOnly, DestQP: 1}, DETH: wire.DETH{SrcQP: 1}, Payload: m.Append(nil),
	})
	for _, change := range change {
		change(f)
	}
	x.add(f)
}

// connect introduces alice's queue pair to one of bob's.
func (x *trace) connect(id, aliceQP, bobQP uint32) {
	x.cm(alice, bob, &wire.CMReq{LocalCommID: id, LocalQPN: aliceQP})
	x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: id, LocalQPN: bobQP})
}

// joinCases are packets with the conversations of reliable connections that they are: the
// ends, the packets, and how many of them each end asked.
var joinCases = []struct {
	name string
	play func(*trace)
	want []string
}{
	{"an answer after an introduction", func(x *trace) {
		x.connect(5, aliceQP, bobQP)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 1)
	}, []string{"11/22 ByCM 2 (1 and 0)"}},
	{"both ask, the one that asked second is answered first", func(x *trace) {
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 90)
		x.from(alice, bob, wire.RCAcknowledge, bobQP, 90)
	}, []string{"11/22 ByAnswers 3 (1 and 1)"}},
	{"both ask, the one that asked first is answered first", func(x *trace) {
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 90)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 1)
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 91)
	}, []string{"11/22 ByAnswers 4 (1 and 2)"}},
	{"an answer that two could mean", func(x *trace) {
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(alice, bob, wire.RCSendOnly, 0x33, 1)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)", "0/33 Apart 1 (1 and 0)"}},
	{"an answer that one of two awaits", func(x *trace) {
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(alice, bob, wire.RCSendOnly, 0x33, 1000)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 1000)
	}, []string{"0/22 Apart 1 (1 and 0)", "11/33 ByAnswers 2 (1 and 0)"}},
	{"an answer to another queue pair, once the asking one is known", func(x *trace) {
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 1)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 2)
		x.from(bob, alice, wire.RCAcknowledge, 0x12, 2)
	}, []string{"11/22 ByAnswers 3 (2 and 0)", "1 stray"}},
	{"a queue pair that is connected with itself", func(x *trace) {
		x.from(alice, alice, wire.RCSendOnly, aliceQP, 1)
		x.from(alice, alice, wire.RCAcknowledge, aliceQP, 1)
		x.from(alice, alice, wire.RCSendOnly, aliceQP, 2)
	}, []string{"11/11 ByAnswers 3 (2 and 0)"}},
	{"queue pair 0 names nobody", func(x *trace) {
		x.from(bob, alice, wire.RCSendOnly, 0, 1)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/0 Apart 1 (1 and 0)", "0/22 Apart 1 (1 and 0)"}},
	{"introduced after the first request, and to another later", func(x *trace) {
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 90)
		x.connect(5, aliceQP, bobQP)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.connect(6, aliceQP, 0x33)
		x.from(alice, bob, wire.RCSendOnly, 0x33, 1)
	}, []string{"0/11 Apart 2 (1 and 1)", "11/33 ByCM 1 (1 and 0)"}},
	{"a queue pair that has two peers", func(x *trace) {
		x.connect(5, aliceQP, bobQP)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.connect(6, aliceQP, 0x33)
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 90)
	}, []string{"11/22 ByCM 1 (1 and 0)", "33/11 ByCM 1 (1 and 0)"}},
	{"an answer from one that has a peer", func(x *trace) {
		x.connect(5, aliceQP, bobQP)
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 90)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(alice, bob, wire.RCSendOnly, 0x33, 500)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP+1, 500)
		x.from(bob, alice, wire.RCSendOnly, aliceQP+1, 3)
		x.from(alice, bob, wire.RCAcknowledge, 0x33, 3)
	}, []string{"22/11 ByCM 2 (1 and 1)", "12/33 ByAnswers 4 (1 and 1)"}},
	{"an answer to one that has a peer", func(x *trace) {
		x.connect(5, aliceQP, bobQP)
		x.from(bob, alice, wire.RCSendOnly, aliceQP, 90)
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.from(alice, bob, wire.RCSendOnly, 0x33, 500)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 500)
	}, []string{"22/11 ByCM 3 (1 and 1)", "0/33 Apart 1 (1 and 0)"}},
	{"connected anew: nothing is awaited any more", func(x *trace) {
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
		x.connect(5, aliceQP, bobQP)
		x.from(bob, alice, wire.RCAcknowledge, aliceQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)", "1 stray"}},
	{"a reply to nothing", func(x *trace) {
		x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)"}},
	{"a second reply to the same request", func(x *trace) {
		x.connect(5, aliceQP, bobQP)
		x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: 0x33})
		x.from(alice, bob, wire.RCSendOnly, 0x33, 1)
	}, []string{"0/33 Apart 1 (1 and 0)"}},
	{"a request that is cut", func(x *trace) {
		x.cm(alice, bob, &wire.CMReq{LocalCommID: 5, LocalQPN: aliceQP}, func(f *capture.Frame) {
			f.Data = f.Data[:len(f.Data)-1]
		})
		x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)"}},
	{"a request with a wrong ICRC", func(x *trace) {
		x.cm(alice, bob, &wire.CMReq{LocalCommID: 5, LocalQPN: aliceQP}, func(f *capture.Frame) {
			f.ICRC = capture.Wrong
		})
		x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)"}},
	{"a request with an error", func(x *trace) {
		x.cm(alice, bob, &wire.CMReq{LocalCommID: 5, LocalQPN: aliceQP}, func(f *capture.Frame) {
			f.Err = wire.ErrTruncated
		})
		x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)"}},
	{"a request for another queue pair than that of the connection manager", func(x *trace) {
		x.cm(alice, bob, &wire.CMReq{LocalCommID: 5, LocalQPN: aliceQP}, func(f *capture.Frame) {
			f.Wire.BTH.DestQP = 2
		})
		x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)"}},
	{"a message that is too short", func(x *trace) {
		x.cm(alice, bob, &wire.CMReq{LocalCommID: 5, LocalQPN: aliceQP}, func(f *capture.Frame) {
			f.Wire.Payload = f.Wire.Payload[:20]
		})
		x.from(alice, bob, wire.RCSendOnly, bobQP, 1)
	}, []string{"0/22 Apart 1 (1 and 0)"}},
}

func TestJoin(t *testing.T) {
	how := map[Joined]string{Apart: "Apart", ByAnswers: "ByAnswers", ByDatagram: "ByDatagram", ByCM: "ByCM"}
	for _, c := range joinCases {
		t.Run(c.name, func(t *testing.T) {
			x := newTrace(t)
			sides := map[*Conversation][2]int{}
			x.table.Told = func(talk *Conversation, at int, r *Request) {
				n := sides[talk]
				n[at]++
				sides[talk] = n
			}
			c.play(x)
			x.table.End()
			var got []string
			for i, talk := range x.table.List {
				if talk.Transport == wire.UD {
					continue
				}
				if talk.Whole() != talk || talk.Number < i+1 {
					t.Errorf("conversation %d is number %d: %+v", i+1, talk.Number, talk)
				}
				got = append(got, fmt.Sprintf("%x/%x %s %d (%d and %d)", talk.Ends[0].QP, talk.Ends[1].QP,
					how[talk.Joined], talk.Packets, sides[talk][0], sides[talk][1]))
			}
			if x.table.Stray > 0 {
				got = append(got, fmt.Sprint(x.table.Stray, " stray"))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestMerge: of two conversations that turn out to be one, the later is a part of the
// earlier, which lasts until the last packet of both.
func TestMerge(t *testing.T) {
	x := newTrace(t)
	first := x.add(x.frame(alice, bob, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: bobQP, PSN: 1}}))
	second := x.add(x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: aliceQP, PSN: 90}}))
	if first.Number != 1 || second.Number != 2 || second.Whole() != second {
		t.Fatalf("%+v\n%+v", first, second)
	}
	answer := x.frame(bob, alice, wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, DestQP: aliceQP, PSN: 1}})
	answer.At = begin // the clock of a capture may go back
	if talk := x.add(answer); talk != first || second.Whole() != first || first.Whole() != first {
		t.Errorf("%+v\n%+v", talk, second)
	}
	third := &Conversation{into: second}
	if third.Whole() != first {
		t.Error("a part of a part is not a part of the whole")
	}
	late, early := &Conversation{Last: begin.Add(time.Hour)}, &Conversation{Last: begin}
	late.merge(&Side{talk: early})
	if late.Last != begin.Add(time.Hour) {
		t.Errorf("lasts until %v", late.Last)
	}
	early, late = &Conversation{Last: begin}, &Conversation{Last: begin.Add(time.Hour)}
	early.merge(&Side{talk: late})
	if early.Last != begin.Add(time.Hour) {
		t.Errorf("lasts until %v", early.Last)
	}
}

// TestCMBounds: what messages of the connection manager can fill stays bounded.
func TestCMBounds(t *testing.T) {
	x := newTrace(t)
	x.table.Told = nil // nobody listens
	x.ask(wire.RCSendOnly, 1, 1)
	x.ack(1)
	x.cm(bob, alice, &wire.CMRep{LocalCommID: 6, RemoteCommID: 5, LocalQPN: bobQP})
	if n := len(x.table.peers); n != 0 {
		t.Errorf("%d introduced by a reply to nothing", n)
	}
	for id := range uint32(maxRequests) {
		x.cm(alice, bob, &wire.CMReq{LocalCommID: id, LocalQPN: id + 2})
	}
	if n := len(x.table.offers); n != maxRequests {
		t.Errorf("%d offers kept of %d", n, maxRequests)
	}
	x.cm(alice, bob, &wire.CMReq{LocalCommID: maxRequests, LocalQPN: 2})
	if n := len(x.table.offers); n != 1 {
		t.Errorf("%d offers kept", n)
	}
	for i := range uint32(maxConversations + 3) {
		x.table.introduce(End{alice, i}, End{bob, i})
	}
	if n := len(x.table.peers); n != 2*maxConversations || x.table.Unfollowed != 3 {
		t.Errorf("%d introduced, %d not followed", n, x.table.Unfollowed)
	}
}
