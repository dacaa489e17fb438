package completions

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

const (
	ipv4GRH = "000000000000000000000000000000000000000045000073000040004011b861c0a80001c0a800c7"
	ipv6GRH = "6a012345001c114020010db800000000000000000000000120010db8000000000000000000000002"
)

// datagram is a RECV of a UD message with immediate data.
func datagram(t *testing.T, grh, data string, total uint32) timeline.Completion {
	t.Helper()
	head, err := hex.DecodeString(grh)
	if err != nil {
		t.Fatal(err)
	}
	c := recvDone(7)
	c.WC.WCFlags |= verbs.WCGRH
	c.WC.ByteLen, c.WC.SrcQP = total, 0x22
	c.Arrived = &timeline.Arrived{Data: append(head, data...), Total: total}
	return c
}

func TestDatagramGolden(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			x := newBench(t, theme.New("none", uni), 64)
			x.sess.Timeline().
				AppendBatch([]timeline.Completion{datagram(t, ipv4GRH, "hello, \x1b[31mworld\x00 and more", 66)})
			x.refresh()
			x.keys("]", "home")
			uitest.Golden(t, fmt.Sprintf("datagram-%s-%v", name, uni), x.view(size[0], size[1]))
		}
	}
}

// words returns the text of the explanation, without line ends.
func (x *bench) words() string {
	x.view(200, 60)
	var all []string
	for _, l := range x.s.detail.words {
		all = append(all, strings.Fields(l.text)...)
	}
	return strings.Join(all, " ")
}

func TestArrivedWords(t *testing.T) {
	write := recvDone(7)
	write.WC.Opcode = verbs.WCRecvRDMAWithImm
	long := recvDone(7)
	long.WC.ByteLen, long.Arrived = 4096, &timeline.Arrived{Data: []byte(strings.Repeat("ab\xff\n", 64)), Total: 4096}
	short := datagram(t, ipv4GRH[:20], "", 66)
	for name, tt := range map[string]struct {
		c    timeline.Completion
		want []string
	}{
		"IPv4": {datagram(t, ipv4GRH, "hello", 45),
			[]string{"version 4: IPv4", "sgid ::ffff:192.168.0.1", "dgid ::ffff:192.168.0.199", "total length 115",
				"17 (UDP)", "time to live 64", "data, 5 bytes", "68 65 6c 6c 6f hello",
				"sent as 11 22 33 44: 0x11223344 = 287454020", "no ntohl: 0x44332211 = 1144201745"}},
		"IPv6": {datagram(t, ipv6GRH, "hello", 45), []string{"version 6", "sgid 2001:db8::1", "dgid 2001:db8::2",
			"traffic class 0xa0", "flow label 0x12345", "payload length 28", "hop limit 64"}},
		"checksum": {datagram(t, strings.Replace(ipv4GRH, "b861", "b862", 1), "", 40),
			[]string{"checksum is wrong", "data, 0 bytes"}},
		"no GRH": {datagram(t, strings.Repeat("00", 40), "hello", 45),
			[]string{"neither an IPv6 nor an IPv4 header", "data, 5 bytes"}},
		"cut":   {short, []string{"GRH needs 40 bytes", "data, 26 bytes, the first 0"}},
		"long":  {long, []string{"data, 4,096 bytes, the first 256", "00f0 61 62 ff 0a", "ab..ab.."}},
		"WRITE": {write, []string{"the address in its request"}},
	} {
		x := newBench(t, theme.New("none", true), 64)
		x.sess.Timeline().AppendBatch([]timeline.Completion{tt.c})
		x.refresh()
		got := x.words()
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %s", name, want, got)
			}
		}
	}
}

// tapped are packets that a device has recorded.
type tapped []*timeline.Packet

func (p tapped) since(_ uint64, _ int, dst []*timeline.Packet) []*timeline.Packet {
	return append(dst, p...)
}

func seen(at time.Duration, out bool, op wire.Opcode, qp verbs.QPN, psn wire.PSN) *timeline.Packet {
	return &timeline.Packet{
		T: at, Device: "soft0", Outgoing: out,
		Src: netip.AddrPort{}, Wire: wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: uint32(qp), PSN: psn}},
	}
}

func TestPackets(t *testing.T) {
	const ms = time.Millisecond
	view := &session.Snapshot{QPs: []session.QPView{
		{Name: "a", Device: "soft0", Num: 17, Attr: verbs.QPAttr{DestQPNum: 18}},
		{Name: "b", Device: "soft0", Num: 18, Attr: verbs.QPAttr{DestQPNum: 17}}}}
	all := tapped{
		seen(1*ms, true, wire.RCSendOnly, 18, 1), seen(1*ms, false, wire.RCSendOnly, 18, 1), // another request, earlier
		seen(12*ms, true, wire.RCSendFirst, 18, 2), seen(12*ms, true, wire.RCSendMiddle, 18, 3),
		seen(13*ms, false, wire.RCSendFirst, 18, 2), seen(13*ms, false, wire.RCSendMiddle, 18, 3),
		seen(14*ms, true, wire.RCSendMiddle, 18, 3), seen(14*ms, true, wire.RCSendLast, 18, 4),
		seen(14*ms, false, wire.RCSendLast, 18, 4),
		seen(15*ms, true, wire.RCAcknowledge, 17, 4), seen(15*ms, false, wire.RCAcknowledge, 17, 4),
		seen(30*ms, true, wire.RCSendOnly, 18, 5), // later
	}
	// on another device
	all = append(all, &timeline.Packet{T: 13 * ms, Device: "soft1", Outgoing: true, Wire: all[2].Wire})
	for i := range all {
		all[i].Seq = uint64(i + 1)
	}
	cut := all[6:]
	lost := *all[3]
	lost.Missed = 1
	missed := append(tapped{}, all...)
	missed[3] = &lost
	// recorded later than taken
	send := timeline.Event{T: 16 * ms, WC: timeline.Completion{QP: "a", Matched: true, Posted: 11 * ms, Latency: ms}}
	recv := timeline.Event{
		T: 15 * ms, WC: timeline.Completion{QP: "b", Matched: true, Recv: true, Posted: ms, Latency: 14 * ms},
	}
	unknown := send
	unknown.WC.Matched = false
	early := recv
	early.T = 0
	for name, tt := range map[string]struct {
		from tapped
		e    timeline.Event
		want spent
	}{
		"send":      {all, send, spent{requests: 4, again: 1, responses: 1, known: true}},
		"cut":       {cut, send, spent{requests: 2, responses: 1, known: true, more: true}},
		"missed":    {missed, send, spent{requests: 4, again: 1, responses: 1, known: true, more: true}},
		"recv":      {all, recv, spent{requests: 3, known: true}},
		"unmatched": {all, unknown, spent{}},
		"before":    {all, early, spent{}},
		"none":      {tapped{}, send, spent{}},
	} {
		p := packetCount{since: tt.from.since}
		if got := p.of(&tt.e, view); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// Text that a spreadsheet would take for a formula is escaped.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{"cq": "cq", "": "", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1",
		"@SUM(A1)": "'@SUM(A1)", "a=b": "a=b"} {
		if got := cell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"\t=1", "\r=1", "\n=1", "\x1b[31m=1"} {
		if got := cell(text); strings.ContainsAny(got, "\t\r\n\x1b") || strings.ContainsAny(got[:1], "=+-@") {
			t.Errorf("%q: %q", text, got)
		}
	}
}
