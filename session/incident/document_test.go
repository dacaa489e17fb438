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
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

func TestRanges(t *testing.T) {
	many := []int{1, 3, 5, 7, 9, 11, 13, 15}
	for _, c := range []struct {
		numbers []int
		want    string
	}{
		{nil, ""}, {[]int{3}, "3"}, {[]int{1, 2}, "1–2"}, {[]int{1, 2, 3, 7}, "1–3, 7"},
		{[]int{1, 3, 4, 6}, "1, 3–4, 6"},
		{many, "1, 3, 5, 7, 9, 11, 13, 15"}, {append(many, 16), "1, 3, 5, 7, 9, 11, 13, 15–16"},
		{append(many, 17), "1, 3, 5, 7, 9, 11, 13, 15, …"},
	} {
		if got := ranges(c.numbers); got != c.want {
			t.Errorf("%v: %s, want %s", c.numbers, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	long := strings.Repeat("x", maxText)
	for text, want := range map[string]string{"": "", "a b": "a b", "a\x1b\n": "a\uFFFD\uFFFD", "\xff": "\uFFFD",
		long: long, long + "y": long + "…"} {
		if got := plain(text); got != want {
			t.Errorf("%.20q of %d bytes: %.20q of %d bytes", text, len(text), got, len(got))
		}
	}
}

// TestTextOf: an event in one line.
func TestTextOf(t *testing.T) {
	half := strings.Repeat("x", maxText/2)
	command := func(c timeline.CommandDone) timeline.Event {
		return timeline.Event{Kind: timeline.KindCommand, Command: &c}
	}
	cm := func(c timeline.CMEvent) timeline.Event { return timeline.Event{Kind: timeline.KindCM, CM: &c} }
	async := func(a timeline.AsyncEvent) timeline.Event { return timeline.Event{Kind: timeline.KindAsync, Async: &a} }
	wc := func(c timeline.Completion) timeline.Event { return timeline.Event{Kind: timeline.KindWC, WC: c} }
	failed := verbs.WC{WRID: 7, Status: verbs.WCRemAccessErr, QPNum: 17, VendorErr: 3}
	for _, c := range []struct {
		e    timeline.Event
		want string
	}{
		{timeline.Event{Kind: timeline.KindPacket}, ""},
		{timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "hi"}}, "hi"},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", From: verbs.QPInit,
			To: verbs.QPRTR, Cause: "modify_qp"}}, "qp a: INIT to RTR (modify_qp)"},
		{command(timeline.CommandDone{Line: "l"}), "l"},
		{command(timeline.CommandDone{Line: "l", Resolved: "r", Result: "done"}), "r: done"},
		{command(timeline.CommandDone{Line: "l", Result: "part", Err: "no"}), "l: no"},
		{command(timeline.CommandDone{Line: half, Result: "done"}), half + ": done"},
		{command(timeline.CommandDone{Line: half + "y", Result: "done"}), half + "…: done"},
		{cm(timeline.CMEvent{Type: verbs.CMEstablished}), verbs.CMEstablished.String()},
		{cm(timeline.CMEvent{Type: verbs.CMEstablished, ID: "i", Listen: "l", Device: "d", StatusText: "s",
			Local: netip.MustParseAddrPort("10.0.0.1:1"), Peer: netip.MustParseAddrPort("10.0.0.2:2")}),
			"ESTABLISHED id i on l 10.0.0.1:1 to 10.0.0.2:2 device d status s"},
		{cm(timeline.CMEvent{Type: verbs.CMEstablished, Peer: netip.MustParseAddrPort("10.0.0.2:2")}),
			"ESTABLISHED invalid AddrPort to 10.0.0.2:2"},
		{cm(timeline.CMEvent{Type: verbs.CMEstablished, Local: netip.MustParseAddrPort("10.0.0.2:2")}),
			"ESTABLISHED 10.0.0.2:2 to invalid AddrPort"},
		{cm(timeline.CMEvent{Type: verbs.CMEstablished, Conn: &verbs.CMConnParam{QPNum: 3, PrivateData: []byte("p")}}),
			`ESTABLISHED responder_resources=0 initiator_depth=0 flow_control=0 retry_count=0 rnr_retry_count=0 srq=0 qp_num=0x000003 private data 70 "p"`},
		{async(timeline.AsyncEvent{Type: verbs.EventQPFatal, Device: "d"}), "QP_FATAL on d"},
		{async(timeline.AsyncEvent{Type: verbs.EventQPFatal, Device: "d", PortNum: 1, QP: "q", CQ: "c", SRQ: "s"}),
			"QP_FATAL on d port 1 qp q cq c srq s"},
		{wc(timeline.Completion{WC: failed}), "wr_id=7 status=REM_ACCESS_ERR vendor_err=0x3 qp_num=0x000011"},
		{wc(timeline.Completion{WC: failed, QP: "a", Matched: true,
			Latency: 1500 * time.Nanosecond, Cause: &timeline.Cause{Text: "why", Sure: true}}),
			"wr_id=7 status=REM_ACCESS_ERR vendor_err=0x3 qp_num=0x000011 qp a after 1.5 µs; why"},
	} {
		if got := textOf(&c.e); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}

// rows writes a part's rows line by line.
func rows(p Part) string {
	var lines []string
	for _, r := range p.Rows {
		lines = append(lines, strings.Join(r, " | "))
	}
	return strings.Join(lines, "\n")
}

// TestAbout: what a record covers, and what it lacks.
func TestAbout(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	head := "time | 0.001000 s to 0.002000 s of the session, which began at 2026-11-21T12:00:00Z\n"
	last := "\nlinks | known: by the packet sequence numbers that the session set; inferred: by the order of requests and messages"
	packet := func(seq uint64, cropped int) *timeline.Packet { return &timeline.Packet{Seq: seq, Cropped: cropped} }
	off := "\nwhole packets | not recorded; recorder on begins"
	for _, c := range []struct {
		name    string
		packets []*timeline.Packet
		taps    []packets.Tap
		want    string
	}{
		{"nothing", nil, nil,
			"packets | 0 packets in x.pcapng; events are comments of the first packet after them" + off},
		{"from the first", []*timeline.Packet{packet(1, 0)}, nil,
			"packets | 1 packet in x.pcapng; events are comments of the first packet after them" + off},
		{"from a later one", []*timeline.Packet{packet(2, 0)}, nil, "packets | 1 packet in x.pcapng; events are comments of the first packet after them\nearlier packets | not kept, or from before 0.001000 s" + off},
		{"cropped", []*timeline.Packet{packet(2, 0), packet(0, 100), packet(0, 1)}, nil,
			"packets | 3 packets in x.pcapng; events are comments of the first packet after them\n" +
				"packets without payload | 2: the software device records the headers of its last packets even while nothing else records them" + off},
		{"one cropped", []*timeline.Packet{packet(0, 100)}, nil,
			"packets | 1 packet in x.pcapng; events are comments of the first packet after them\n" +
				"packets without payload | 1: the software device records the headers of its last packets even while nothing else records them" + off},
		{"taps", nil, []packets.Tap{{Device: "a", On: true}, {Device: "b"}, {Device: "c", Problem: "no way"},
			{Device: "d", On: true, Netdev: "eth0", Counts: capture.Counts{Missed: 1}},
			{Device: "e", On: true, Counts: capture.Counts{Missed: 2}}},
			"packets | 0 packets in x.pcapng; events are comments of the first packet after them\npackets of a | recorded\npackets of b | not recorded any more\npackets of c | no way\n" +
				"packets of d | recorded on network interface eth0; 1 packet came too fast\npackets of e | recorded; 2 packets came too fast"},
	} {
		r := &record{from: ms, to: 2 * ms, start: start, packets: c.packets, taps: c.taps}
		if got := rows(r.about("dir/x.pcapng")); got != head+c.want+last {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, head+c.want+last)
		}
	}
}

// TestRequests: each request and RECV with its packets and its completion, in the order of the posts.
func TestRequests(t *testing.T) {
	recv := func(id uint64, posted time.Duration) timeline.Event {
		e := received(id, 8*ms, 0)
		e.WC.QP, e.WC.Posted, e.WC.Latency, e.WC.WC.ByteLen = "a", posted, ms, 1500
		return e
	}
	r := &record{from: 2 * ms, to: 6 * ms, events: []timeline.Event{sent(1, ms, ms), {Kind: timeline.KindNote},
		recv(8, 3*ms), recv(9, 4*ms), sent(7, 5*ms, 2*ms)},
		messages: []queue.Message{
			post(7*ms, verbs.WRSend, 6), post(1*ms, verbs.WRSend, 0), // outside
			// outside, but it completed inside
			post(1*ms, verbs.WRSend, 1),
			// the last has a packet
			post(2*ms, verbs.WRLocalInv, 2), post(3*ms+1, verbs.WRSend, 3), post(6*ms, verbs.WRSend, 4),
			post(7*ms, verbs.WRRDMARead, 5),
		}}
	r.messages[3].Length = 12345
	r.packets = []*timeline.Packet{{}, {}, {}, {}}
	r.link()
	r.links = []link{{sent: &r.messages[4]}, {sent: &r.messages[4]}, {sent: &r.messages[6], inferred: true},
		{received: &r.events[2].WC}}
	r.inferred[&r.messages[6]] = true
	want := strings.Join([]string{" | wr_id | queue pair | operation | bytes | packets | link | completion",
		"0.001000 s | 1 | a | SEND | 0 |  | none found | SUCCESS at 0.002000 s",
		"0.002000 s | 2 | a | LOCAL_INV | 12,345 |  | sends no packet | none taken",
		"0.003000 s | 8 | a | RECV | 1,500 | 4 | inferred | SUCCESS at 0.004000 s",
		"0.003000 s | 3 | a | SEND | 0 | 1–2 | known | none taken",
		"0.004000 s | 9 | a | RECV | 1,500 |  | none found | SUCCESS at 0.005000 s",
		"0.006000 s | 4 | a | SEND | 0 |  | none found | none taken",
		"0.007000 s | 5 | a | RDMA_READ | 0 | 3 | inferred | none taken"}, "\n")
	if got := rows(r.requests()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestTable: of many rows the newest are kept, and the heading says so.
func TestTable(t *testing.T) {
	for n, want := range map[int]string{0: "T 0 ", 1: "T 2 0", maxTableRows: "T 1001 0",
		maxTableRows + 1: "T (the newest 1,000 of 1,001) 1001 1",
		maxTableRows + 2: "T (the newest 1,000 of 1,002) 1001 2"} {
		var all [][]string
		for i := range n {
			all = append(all, []string{fmt.Sprint(i)})
		}
		p := table("T", []string{"column"}, all)
		first := ""
		if len(p.Rows) > 0 {
			first = p.Rows[1][0]
		}
		if got := fmt.Sprintf("%s %d %s", p.Head, len(p.Rows), first); got != want {
			t.Errorf("%d rows: %s, want %s", n, got, want)
		}
	}
}

// TestObjects has the values of each kind of object, and devices with what they are.
func TestObjects(t *testing.T) {
	r := &record{}
	r.snap.MRs = []core.MRView{{Name: "m", Addr: 0x1000, Length: 64, LKey: 1, RKey: 2, Access: verbs.RemoteRead}}
	r.snap.CQs = []core.CQView{{Name: "c", CQE: 16, Completed: 1234, Failed: 1}}
	r.snap.QPs = []core.QPView{{Name: "q", Type: verbs.RC, Num: 17, State: verbs.QPRTS,
		Attr: verbs.QPAttr{DestQPNum: 18}}}
	r.snap.IDs = []core.IDView{{Name: "i", State: core.IDConnected, Local: netip.MustParseAddrPort("10.0.0.1:1"),
		Peer: netip.MustParseAddrPort("10.0.0.2:2")}}
	for _, name := range []string{"m", "c", "q", "i", "p"} {
		r.snap.Objects = append(r.snap.Objects, core.ObjectView{Name: name, Kind: "k", Uses: []string{"x", "y"}})
	}
	want := strings.Join([]string{" | kind | values | made from",
		"m | k | addr=0x1000 length=64 lkey=0x1 rkey=0x2 access=REMOTE_READ | x, y",
		"c | k | cqe=16, 1,234 completed, 1 failed | x, y",
		"q | k | RC qp_num=0x000011 state=RTS dest_qp_num=0x000012, 0 sends and 0 RECVs outstanding | x, y",
		fmt.Sprintf("i | k | state=%s, 10.0.0.1:1 to 10.0.0.2:2 | x, y", core.IDConnected), "p | k |  | x, y"},
		"\n")
	if got := rows(r.objects()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}

	plain := core.DeviceView{
		Name: "d", Info: verbs.DeviceInfo{Name: "d", Provider: "p"}, Attr: verbs.DeviceAttr{MaxQP: 5},
	}
	other := plain
	other.Name, other.Ports = "d-cm", []verbs.PortAttr{{State: verbs.PortActive, ActiveMTU: verbs.MTU1024}}
	other.Port.PortNum, other.GID.Index, other.GID.GID = 1, 3, verbs.GID{15: 1}
	r.snap.Devices = []core.DeviceView{plain, other}
	kind := fmt.Sprintf("provider p, %s %s", plain.Info.Transport, plain.Info.NodeType)
	got := strings.Split(rows(r.devices()), "\n")
	if len(got) != 4 || got[0] != "d | "+kind ||
		got[2] != "d-cm | d, "+kind+"; port 1 ACTIVE, active_mtu 1024; GID 3 ::1" {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if !strings.HasPrefix(got[1], "attributes of d other than 0 | ") || !strings.Contains(got[1], "max_qp=5") ||
		strings.Contains(got[1], "max_mr=") || strings.Contains(got[1], "=0 ") || strings.Contains(got[1], "=0x0 ") {
		t.Errorf("%s", got[1])
	}
}

// TestMarkdown: the parts that have rows, with times beside those of the failure.
func TestMarkdown(t *testing.T) {
	r := &record{start: time.Unix(0, 0).UTC()}
	if got := r.markdown("x.pcapng", nil); !strings.HasPrefix(got, "# Recorded from ") ||
		strings.Count(got, "## ") != 1 {
		t.Errorf("nothing: %s", got)
	}
	r.incident = &Incident{
		Number: 1, T: 5 * ms, Completion: timeline.Completion{QP: "a",
			WC: verbs.WC{WRID: 4, Status: verbs.WCRemAccessErr}, Cause: &timeline.Cause{Text: "why"}},
	}
	if got := r.title(); got != "wr_id 4 of a failed with REM_ACCESS_ERR: probably: why" {
		t.Errorf("title %q", got)
	}
	if r.incident.Completion.Cause.Text = ""; r.title() != "wr_id 4 of a failed with REM_ACCESS_ERR" {
		t.Errorf("title %q", r.title())
	}
	if r.incident.Completion.Cause = nil; r.title() != "wr_id 4 of a failed with REM_ACCESS_ERR" {
		t.Errorf("title %q", r.title())
	}
	r.incident.Completion.Cause = &timeline.Cause{Text: "why"}
	r.counters = Part{Head: "Counters", Rows: [][]string{{"one"}}}
	if got := r.markdown("x.pcapng", nil); !strings.HasPrefix(got, "# wr\\_id 4 of a failed with ") ||
		!strings.Contains(got, "## Record\n") || !strings.Contains(got, "## Counters\n") {
		t.Errorf("an incident: %s", got)
	}
	r.packets = []*timeline.Packet{seen(4*ms, true, wire.RCSendOnly, 5),
		seen(6*ms, false, wire.RCAcknowledge, 5, damaged)}
	m := post(0, verbs.WRSend, 4)
	r.links = []link{{sent: &m, inferred: true, received: &timeline.Completion{QP: "b", WC: verbs.WC{WRID: 9}}}, {}}
	want := strings.Join([]string{" | time | device | path | packet | request",
		"1 | 0.004000 s | d out | 10.0.0.1 to 10.0.0.2 | " + string(r.packets[0].Wire.AppendSummary(nil)) +
			" | wr_id 4 of a: SEND of 0 bytes (inferred); wr_id 9 of b: RECV (inferred)",
		"2 | 0.006000 s | d in | 10.0.0.2 to 10.0.0.1 | " + wire.ErrPad.Error() + " | "}, "\n")
	if got := rows(r.packetsPart()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	entries := []entry{{at: 4 * ms, kind: "note", text: "a", packet: 0},
		{at: 5 * ms, kind: "note", text: "b", packet: 1}, {at: 6 * ms, kind: "note", text: "c", packet: -1}}
	got := strings.Split(rows(r.timelinePart(entries)), "\n")
	if want := []string{" | from the failure | kind | event | packet", "0.004000 s | −1 ms | note | a | 1",
		"0.005000 s | +0 ns | note | b | 2", "0.006000 s | +1 ms | note | c | "}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if r.incident = nil; r.beside(ms) != "" {
		t.Errorf("beside no failure: %s", r.beside(ms))
	}
}
