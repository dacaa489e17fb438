package eventline

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

func draw(w int, f func(b *line.Buf)) string {
	b := line.New(theme.New("none", true))
	r := b.Begin(w)
	f(b)
	b.Stop(r)
	b.Finish()
	return b.String()
}

func TestNumbers(t *testing.T) {
	plain := theme.Style{}
	for _, tt := range []struct {
		want string
		f    func(b *line.Buf)
	}{
		{"0.000", func(b *line.Buf) { Time(b, 0, 3, plain) }},
		{"61.031", func(b *line.Buf) { Time(b, 61*time.Second+31999*time.Microsecond, 3, plain) }},
		{"1.000000001", func(b *line.Buf) { Time(b, time.Second+1, 9, plain) }},
		{"-0.250", func(b *line.Buf) { Time(b, -250*time.Millisecond, 3, plain) }},
		{"-9223372036.854", func(b *line.Buf) { Time(b, math.MinInt64, 3, plain) }},
		{"0 ns", func(b *line.Buf) { Took(b, 0, plain) }},
		{"999 ns", func(b *line.Buf) { Took(b, 999, plain) }},
		{"18.3 µs", func(b *line.Buf) { Took(b, 18290, plain) }},
		{"450 ms", func(b *line.Buf) { Took(b, 450*time.Millisecond, plain) }},
		{"3600 s", func(b *line.Buf) { Took(b, time.Hour, plain) }},
		{"999", func(b *line.Buf) { Count(b, 999, plain) }},
		{"1,234,567", func(b *line.Buf) { Count(b, 1234567, plain) }},
		{"18,446,744,073,709,551,615", func(b *line.Buf) { Count(b, 1<<64-1, plain) }},
	} {
		if got := draw(80, tt.f); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		e    timeline.Event
		want string
		bad  bool
	}{
		{timeline.Event{Kind: timeline.KindWC,
			WC: timeline.Completion{QP: "b", Matched: true, Recv: true, Latency: 18 * time.Microsecond,
				WC: verbs.WC{WRID: 7, Opcode: verbs.WCRecv, ByteLen: 5}}},
			"wr 7  RECV  SUCCESS  5 B  qp b  18 µs", false},
		{timeline.Event{Kind: timeline.KindWC, WC: timeline.Completion{Opcode: verbs.WRSend, Matched: true,
			WC: verbs.WC{WRID: 1, Status: verbs.WCRetryExcErr, Opcode: verbs.WCRecv, ByteLen: 99, QPNum: 17}}},
			"wr 1  RETRY_EXC_ERR  SEND  qp 0x000011  0 ns", true},
		{timeline.Event{Kind: timeline.KindCommand,
			Command: &timeline.CommandDone{Line: "alloc_pd pd", Result: "handle 1"}}, "alloc_pd pd → handle 1", false},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Line: "alloc_pd pd",
			Err: "no\x1b[2Jmemory"}}, `alloc_pd pd ✗ no\x1b[2Jmemory`, true},
		{timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{Type: verbs.EventPortErr, Device: "rxe0",
			PortNum: 1}}, "PORT_ERR  rxe0 port 1  a port went down", false},
		{timeline.Event{Kind: timeline.KindAsync,
			Async: &timeline.AsyncEvent{Type: verbs.EventSRQLimitReached, Device: "rxe0", SRQ: "q"}},
			"SRQ_LIMIT_REACHED  srq q  rxe0  the shared receive queue is running low", false},
		{timeline.Event{Kind: timeline.KindCM,
			CM: &timeline.CMEvent{Type: verbs.CMEstablished, ID: "id", Peer: netip.MustParseAddrPort("10.9.0.2:7471"),
				Step: "connect", Took: 1200 * time.Microsecond,
				Conn: &verbs.CMConnParam{PrivateData: []byte("\x1b[2J")}}},
			"ESTABLISHED  id id  10.9.0.2:7471  1.2 ms  0x1b5b324a", false},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMConnectRequest, ID: "id",
			Conn: &verbs.CMConnParam{PrivateData: []byte("\"hi\"\x00\x00")}}},
			`CONNECT_REQUEST  id id  "\"hi\""`, false},
		{timeline.Event{Kind: timeline.KindCM,
			CM: &timeline.CMEvent{Type: verbs.CMEstablished, Conn: &verbs.CMConnParam{PrivateData: make([]byte, 196)}}},
			"ESTABLISHED", false},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMRejected, Status: 28,
			StatusText: "reason 28 CONSUMER_DEFINED", ID: "id"}},
			"REJECTED  reason 28 CONSUMER_DEFINED  id id", true},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMAddrError}}, "ADDR_ERROR", true},
		{timeline.Event{Kind: timeline.KindCM}, "", false},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", From: verbs.QPRTS,
			To: verbs.QPErr, Cause: "x"}}, "qp a  RTS → ERR  x", true},
		{timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "hi", Level: timeline.LevelError}}, "hi",
			true},
		{timeline.Event{Kind: timeline.KindPacket}, "", false},
		{timeline.Event{Kind: timeline.KindCommand}, "", false},
	} {
		raw := draw(80, func(b *line.Buf) { Text(b, &tt.e) })
		uitest.Fits(t, raw, 80, 1)
		if got := uitest.Text(raw); got != tt.want || Bad(&tt.e) != tt.bad {
			t.Errorf("got %q, bad %v; want %q, %v", got, Bad(&tt.e), tt.want, tt.bad)
		}
	}
}
