package incident

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

var (
	here  = netip.MustParseAddr("10.0.0.1")
	there = netip.MustParseAddr("10.0.0.2")
)

const ms = time.Millisecond

// post is a request of queue pair 17 of device d, which is connected with 18 of the peer.
func post(at time.Duration, op verbs.WROpcode, index uint64) queue.Message {
	return queue.Message{
		At: at, Command: 1, Index: index, WRID: index, Opcode: op, QP: "a", Device: "d", Type: verbs.RC, Num: 17,
		Peer: there, PeerNum: 18,
	}
}

// numbered is the same with packet sequence numbers.
func numbered(m queue.Message, first, last verbs.PSN) queue.Message {
	m.Numbered, m.First, m.Last = true, first, last
	return m
}

// seen is a packet at device d; the peer's queue pair is 18, ours 17.
func seen(at time.Duration, out bool, op wire.Opcode, psn wire.PSN, change ...func(*timeline.Packet)) *timeline.Packet {
	info, _ := op.Info()
	p := &timeline.Packet{T: at, Device: "d", Outgoing: out, Src: netip.AddrPortFrom(there, 4791),
		Dst:  netip.AddrPortFrom(here, 4791),
		Wire: wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: 17, PSN: psn}, Headers: info.Headers}}
	if out {
		p.Src, p.Dst, p.Wire.BTH.DestQP = p.Dst, p.Src, 18
	}
	for _, change := range change {
		change(p)
	}
	return p
}

func otherDevice(p *timeline.Packet) { p.Device = "e" }
func damaged(p *timeline.Packet)     { p.Err = wire.ErrPad }
func to(qp uint32) func(*timeline.Packet) {
	return func(p *timeline.Packet) { p.Wire.BTH.DestQP = qp }
}
func from(qp uint32) func(*timeline.Packet) {
	return func(p *timeline.Packet) { p.Wire.DETH.SrcQP = qp }
}

// sent is the completion of a request, received that of a RECV.
func sent(index uint64, posted, latency time.Duration) timeline.Event {
	return timeline.Event{
		Kind: timeline.KindWC, T: posted + latency,
		WC: timeline.Completion{Matched: true, Command: 1, Index: index, Posted: posted, Latency: latency},
	}
}

func received(id uint64, at time.Duration, status verbs.WCStatus) timeline.Event {
	return timeline.Event{
		Kind: timeline.KindWC, T: at,
		WC: timeline.Completion{Recv: true, CQ: "cq", WC: verbs.WC{WRID: id, QPNum: 17, Status: status}},
	}
}

// datagram makes a request one to a queue pair of nobody in particular.
func datagram(m queue.Message, to verbs.QPN) queue.Message {
	m.Type, m.PeerNum = verbs.UD, to
	return m
}

// TestLink relates packets to requests, by their numbers or else in order. Each packet has the wr_id of its request,
// with ? if it is inferred, and r with that of its RECV.
func TestLink(t *testing.T) {
	const write, read, send = verbs.WRRDMAWrite, verbs.WRRDMARead, verbs.WRSend
	for _, c := range []struct {
		name     string
		messages []queue.Message
		packets  []*timeline.Packet
		events   []timeline.Event
		want     string
	}{
		{"by number", []queue.Message{numbered(post(0, send, 1), 5, 6), numbered(post(0, write, 2), 7, 7)},
			[]*timeline.Packet{
				seen(1, true, wire.RCSendFirst, 5), seen(2, true, wire.RCSendLast, 6),
				seen(3, true, wire.RCWriteOnly, 7),
				seen(4, false, wire.RCAcknowledge, 6), seen(5, false, wire.RCAcknowledge, 7),
				seen(6, true, wire.RCSendOnly, 4), seen(7, true, wire.RCSendOnly, 8)}, nil, "1 1 2 1 2 - -"},
		{"not ours", []queue.Message{numbered(post(0, send, 1), 5, 6)}, []*timeline.Packet{
			seen(1, true, wire.RCSendOnly, 5, damaged), seen(2, true, 0x1f, 5),
			seen(3, true, wire.RCSendOnly, 5, to(19)), seen(4, false, wire.RCAcknowledge, 5, to(19)),
			seen(5, true, wire.RCSendOnly, 5, func(p *timeline.Packet) { p.Dst = netip.AddrPortFrom(here, 4791) })},
			nil, "- - - - -"},
		{"the newest with the number", []queue.Message{numbered(post(0, send, 1), 5, 5),
			numbered(post(3*ms, send, 2), 5, 5), numbered(post(9*ms, send, 3), 5, 5)}, []*timeline.Packet{
			seen(1*ms, true, wire.RCSendOnly, 5), seen(2*ms, true, wire.RCSendOnly, 5),
			seen(4*ms, true, wire.RCSendOnly, 5)}, nil, "1 2 2"},
		{"local", []queue.Message{numbered(post(0, verbs.WRLocalInv, 1), 5, 5)},
			[]*timeline.Packet{seen(1, true, wire.RCSendOnly, 5)}, nil, "-"},
		{"datagrams", []queue.Message{numbered(datagram(post(0, send, 1), 30), 5, 5),
			numbered(datagram(post(0, send, 2), 31), 6, 6)}, []*timeline.Packet{
			seen(1, true, wire.UDSendOnly, 5, to(30), from(17)), seen(2, true, wire.UDSendOnly, 6, to(31), from(17)),
			seen(3, true, wire.UDSendOnly, 6, to(30), from(17)),
			seen(4, true, wire.UDSendOnly, 5, to(30), from(16))}, nil, "1 2 - -"},
		{"in order", []queue.Message{post(1*ms, send, 1), post(2*ms, write, 2), post(3*ms, send, 3)},
			[]*timeline.Packet{
				seen(4*ms, true, wire.RCSendFirst, 100), seen(5*ms, true, wire.RCSendLast, 101),
				seen(6*ms, true, wire.RCWriteOnly, 102), seen(7*ms, true, wire.RCSendOnly, 103),
				seen(8*ms, false, wire.RCAcknowledge, 103), seen(8*ms, true, wire.RCSendOnly, 104)}, nil,
			"1? 1? 2? 3? 3? -"},
		{"in order, sent again", []queue.Message{post(1*ms, send, 1), post(2*ms, send, 2)}, []*timeline.Packet{
			seen(4*ms, true, wire.RCSendOnly, 100), seen(5*ms, true, wire.RCSendOnly, 100),
			seen(6*ms, true, wire.RCSendOnly, 101)}, nil, "1? 1? 2?"},
		{"in order, a message without a request", []queue.Message{post(1*ms, write, 1), post(2*ms, send, 2)},
			[]*timeline.Packet{seen(4*ms, true, wire.RCSendOnly, 100), seen(5*ms, true, wire.RCSendOnly, 101)}, nil,
			"2? -"},
		{"in order, the beginning is missing", []queue.Message{post(1*ms, send, 1)}, []*timeline.Packet{
			seen(4*ms, true, wire.RCSendLast, 100), seen(5*ms, true, wire.RCSendOnly, 101)}, nil, "- 1?"},
		{"in order, posted later", []queue.Message{post(9*ms, send, 1)}, []*timeline.Packet{
			seen(4*ms, true, wire.RCSendOnly, 100), seen(8*ms, true, wire.RCSendOnly, 101)}, nil, "- 1?"},
		{"in order, completed before", []queue.Message{post(1*ms, send, 1), post(2*ms, send, 2)},
			[]*timeline.Packet{seen(4*ms, true, wire.RCSendOnly, 100)}, []timeline.Event{sent(1, 1*ms, 3*ms-1)}, "2?"},
		{"in order, completed with it", []queue.Message{post(1*ms, send, 1), post(2*ms, send, 2)},
			[]*timeline.Packet{seen(4*ms, true, wire.RCSendOnly, 100)}, []timeline.Event{sent(1, 1*ms, 3*ms)}, "1?"},
		{"in order, not ours", []queue.Message{post(1*ms, send, 1)},
			[]*timeline.Packet{seen(2*ms, true, wire.RCSendOnly, 90, otherDevice),
				seen(2*ms, true, wire.RCSendOnly, 91, damaged), seen(2*ms, true, wire.RCSendOnly, 92, to(19)),
				seen(2*ms, false, wire.RCSendOnly, 93, to(18)), seen(2*ms, true, wire.RCAcknowledge, 94),
				seen(2*ms, true, 0x1f, 95), seen(4*ms, true, wire.RCSendOnly, 100)}, nil, "- - - - - - 1?"},
		{"READ in order", []queue.Message{post(1*ms, read, 1), post(2*ms, send, 2)},
			[]*timeline.Packet{seen(3*ms, true, wire.RCReadRequest, 100),
				seen(4*ms, false, wire.RCReadResponseFirst, 100), seen(4*ms, false, wire.RCReadResponseLast, 102),
				seen(5*ms, true, wire.RCSendOnly, 103), seen(6*ms, false, wire.RCAcknowledge, 103)}, nil,
			"1? 1? 1? 2? 2?"},
		{"the last READ in order", []queue.Message{post(1*ms, read, 1)},
			[]*timeline.Packet{seen(3*ms, true, wire.RCReadRequest, 100), seen(4*ms, false, wire.RCReadResponseLast,
				100+farPSN), seen(4*ms, false, wire.RCReadResponseLast, 101+farPSN)}, nil, "1? 1? -"},
		{"the last SEND in order, in two packets", []queue.Message{post(1*ms, send, 1)},
			[]*timeline.Packet{seen(3*ms, true, wire.RCSendFirst, 100), seen(3*ms, true, wire.RCSendLast, 101),
				seen(4*ms, false, wire.RCAcknowledge, 101)}, nil, "1? 1? 1?"},
		{"in order, then a message without a request", []queue.Message{post(1*ms, send, 1)},
			[]*timeline.Packet{seen(3*ms, true, wire.RCSendOnly, 100), seen(3*ms, true, wire.RCWriteFirst, 101),
				seen(3*ms, true, wire.RCWriteLast, 102)}, nil, "1? - -"},
		{"in order, a RECV of the same command completed", []queue.Message{post(1*ms, send, 1)},
			[]*timeline.Packet{seen(4*ms, true, wire.RCSendOnly, 100)},
			[]timeline.Event{func() timeline.Event { e := sent(1, 1*ms, 1*ms); e.WC.Recv = true; return e }()}, "1?"},
		{"the last SEND in order", []queue.Message{post(1*ms, send, 1)}, []*timeline.Packet{
			seen(3*ms, true, wire.RCSendOnly, 100), seen(4*ms, false, wire.RCAcknowledge, 101)}, nil, "1? -"},
		{"datagrams in order", []queue.Message{datagram(post(1*ms, send, 1), 30)},
			[]*timeline.Packet{seen(3*ms, true, wire.UDSendOnly, 9, to(30), from(16)),
				seen(3*ms, true, wire.UDSendOnly, 5, to(30), from(17))}, nil, "- 1?"},
		{"two queue pairs in order", []queue.Message{post(1*ms, send, 1),
			func() queue.Message { m := post(1*ms, send, 2); m.Num, m.PeerNum = 27, 28; return m }()},
			[]*timeline.Packet{
				seen(3*ms, true, wire.RCSendOnly, 5, to(28)), seen(3*ms, true, wire.RCSendOnly, 5)}, nil, "2? 1?"},

		{"RECVs", nil, []*timeline.Packet{seen(1*ms, false, wire.RCSendFirst, 5), seen(2*ms, false, wire.RCSendLast, 6),
			seen(3*ms, false, wire.RCSendOnly, 7)},
			[]timeline.Event{received(8, 4*ms, 0), received(9, 5*ms, 0)}, "r8 r8 r9"},
		{"RECVs of a message sent again", nil, []*timeline.Packet{seen(1*ms, false, wire.RCSendOnly, 5),
			seen(2*ms, false, wire.RCSendOnly, 5), seen(3*ms, false, wire.RCSendOnly, 6)},
			[]timeline.Event{received(8, 4*ms, 0), received(9, 5*ms, 0)}, "r8 r8 r9"},
		{"RECVs of datagrams with the same number", nil,
			[]*timeline.Packet{seen(1*ms, false, wire.UDSendOnly, 5), seen(2*ms, false, wire.UDSendOnly, 5)},
			[]timeline.Event{received(8, 4*ms, 0), received(9, 5*ms, 0)}, "r8 r9"},
		{"flushed RECVs", nil, []*timeline.Packet{seen(1*ms, false, wire.RCSendOnly, 5)},
			[]timeline.Event{received(8, 4*ms, verbs.WCWRFlushErr), received(9, 5*ms, 0)}, "r9"},
		{"completions of sends", nil, []*timeline.Packet{seen(1*ms, false, wire.RCSendOnly, 5)},
			[]timeline.Event{func() timeline.Event { e := received(7, 4*ms, 0); e.WC.Recv = false; return e }(),
				received(9, 5*ms, 0)}, "r9"},
		{"RECVs polled before the message", nil, []*timeline.Packet{seen(6*ms, false, wire.RCSendOnly, 5)},
			[]timeline.Event{received(8, 5*ms-1, 0), received(9, 5*ms, 0)}, "r9"},
		{"RECVs of WRITEs", nil, []*timeline.Packet{seen(1*ms, false, wire.RCWriteOnly, 5),
			seen(2*ms, false, wire.RCWriteOnlyImm, 6)}, []timeline.Event{received(8, 4*ms, 0)}, "- r8"},
		{"no RECV for these", nil, []*timeline.Packet{seen(1*ms, true, wire.RCSendOnly, 5, to(17)),
			seen(1*ms, false, wire.RCSendOnly, 5, damaged), seen(1*ms, false, wire.RCAcknowledge, 5),
			seen(1*ms, false, wire.RCSendOnly, 5, otherDevice),
			seen(1*ms, false, wire.RCSendOnly, 5, to(16)), seen(1*ms, false, 0x1f, 5),
			seen(1*ms, false, wire.RCSendFirst, 5)}, []timeline.Event{received(8, 4*ms, 0)}, "- - - - - - -"},
		{"the rest of a message after a new one", nil, []*timeline.Packet{seen(1*ms, false, wire.RCSendFirst, 5),
			seen(1*ms, false, wire.RCSendFirst, 7), seen(1*ms, false, wire.RCSendLast, 8)},
			[]timeline.Event{received(8, 4*ms, 0)}, "- r8 r8"},
	} {
		r := &record{messages: c.messages, packets: c.packets, events: c.events}
		r.snap.Devices = []core.DeviceView{{Name: "mine", Info: verbs.DeviceInfo{Name: "d"}}}
		r.snap.CQs = []core.CQView{{Name: "cq", Device: "mine"}}
		r.link()
		var got []string
		for i := range r.links {
			l, text := &r.links[i], ""
			if l.sent != nil {
				text = fmt.Sprint(l.sent.WRID)
			}
			if l.inferred {
				text += "?"
			}
			if l.received != nil {
				text += fmt.Sprint("r", l.received.WC.WRID)
			}
			if text == "" {
				text = "-"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestTimeline: events and posts in the order of their times, each with the first packet after it.
func TestTimeline(t *testing.T) {
	note := func(at time.Duration, text string) timeline.Event {
		return timeline.Event{T: at, Kind: timeline.KindNote, Note: &timeline.Note{Text: text}}
	}
	r := &record{from: 2 * ms, to: 8 * ms, packets: []*timeline.Packet{{T: 3 * ms}, {T: 5 * ms}, {T: 7 * ms}},
		events: []timeline.Event{note(2*ms, "a"), note(5*ms, "b"), note(7*ms, "c")},
		messages: []queue.Message{post(2*ms-1, verbs.WRSend, 1), post(2*ms, verbs.WRSend, 2),
			post(4*ms, verbs.WRSend, 3), post(8*ms, verbs.WRSend, 4), post(8*ms+1, verbs.WRSend, 5)}}
	var got []string
	entries := r.timeline()
	for i := range entries {
		got = append(got, fmt.Sprintf("%d %s", entries[i].packet, entries[i].String()))
	}
	want := []string{
		"0 0.002000 s note: a", "0 0.002000 s post: wr_id 2 of a: SEND of 0 bytes",
		"1 0.004000 s post: wr_id 3 of a: SEND of 0 bytes", "1 0.005000 s note: b",
		"2 0.007000 s note: c", "2 0.008000 s post: wr_id 4 of a: SEND of 0 bytes",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.packets = nil
	if entries := r.timeline(); entries[0].packet != -1 {
		t.Errorf("before packet %d of none", entries[0].packet)
	}
}

// TestComments: the comments of packets are their links, then the events before them, the newest of many.
func TestComments(t *testing.T) {
	r := &record{from: ms, to: 2 * ms, packets: make([]*timeline.Packet, 5), links: make([]link, 5)}
	m := post(0, verbs.WRSend, 4)
	r.links[2].sent = &m
	var all []entry
	for packet, n := range []int{1, maxComments, maxComments + 2, 0, 1} {
		for i := range n {
			all = append(all, entry{kind: "note", text: fmt.Sprint(i), packet: packet})
		}
	}
	file, of := r.comments(all)
	title := "Recorded from 0.001000 s to 0.002000 s, without a failed completion"
	if file != title || len(of[0]) != 1 || len(of[1]) != maxComments || len(of[2]) != maxComments+2 ||
		len(of[3]) != 0 || len(of[4]) != 1 {
		t.Errorf("%q; %d, %d, %d, %d and %d comments", file, len(of[0]), len(of[1]), len(of[2]), len(of[3]), len(of[4]))
	}
	want := []string{"wr_id 4 of a: SEND of 0 bytes", "2 events are left out here", "0.000000 s note: 2"}
	if got := of[2][:3]; !slices.Equal(got, want) ||
		of[2][len(of[2])-1] != fmt.Sprintf("0.000000 s note: %d", maxComments+1) || of[1][0] != "0.000000 s note: 0" {
		t.Errorf("%q, want %q", got, want)
	}
	r.packets, r.links = nil, nil
	file, of = r.comments(all[:len(all)-1])
	if lines := strings.Split(file, "\n"); len(lines) != 1+maxComments ||
		lines[1] != "0.000000 s note: 2" || len(of) != 0 {
		t.Errorf("%d lines, %q; %d packets", len(lines), lines[1], len(of))
	}
	room := capture.MaxComment - len(title) - len("\n0.000000 s note: ")
	for n, want := range map[int]bool{room: true, room + 1: false} {
		file, _ := r.comments([]entry{{kind: "note", text: strings.Repeat("x", n)}})
		if (len(file) == capture.MaxComment) != want || !want && file != title {
			t.Errorf("an event of %d bytes: a comment of %d", n, len(file))
		}
	}
}
