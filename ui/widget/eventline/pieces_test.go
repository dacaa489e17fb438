package eventline

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestFitTime: a time has microseconds where an hour of them fits, else milliseconds.
func TestFitTime(t *testing.T) {
	for w, want := range map[int]string{12: "7.123456", 11: "7.123456", 10: "7.123", 9: "7.123"} {
		if got := draw(w, func(b *line.Buf) { FitTime(b, 7123456789, theme.Style{}) }); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}

// TestDropped: where an event does not fit, what is least important is left out first, and the rest stays whole.
func TestDropped(t *testing.T) {
	cm := &timeline.CMEvent{Type: verbs.CMRejected, StatusText: "reason 28", ID: "id", Status: 28, Hint: "a hint",
		Peer: netip.MustParseAddrPort("10.9.0.2:7"), Step: "connect", Took: time.Millisecond,
		Conn: &verbs.CMConnParam{PrivateData: []byte("hi")}}
	wc := timeline.Completion{QP: "b", Matched: true, Recv: true, Latency: 18 * time.Microsecond,
		WC: verbs.WC{WRID: 7, Opcode: verbs.WCRecv, ByteLen: 5}}
	for _, tt := range []struct {
		e    timeline.Event
		want string // all parts; the number after each but those that stay is when it goes, the highest first
	}{
		{timeline.Event{Kind: timeline.KindCM, CM: cm},
			"REJECTED  reason 28;1  id id;2  10.9.0.2:7;3  1 ms;5  \"hi\";4  a hint;6"},
		{timeline.Event{Kind: timeline.KindWC, WC: wc}, "wr 7  RECV;2  SUCCESS  5 B;3  qp b;1  18 µs;4"},
		{timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{Type: verbs.EventCQErr, Device: "rxe0",
			CQ:      "c",
			PortNum: 1}}, "CQ_ERR  cq c;1  rxe0 port 1;2  MEANS;3"},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", From: verbs.QPRTS,
			To:    verbs.QPErr,
			Cause: "a cause"}}, "qp a  RTS → ERR  a cause;1"},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Line: "alloc_pd pd", Result: "ok"}},
			"alloc_pd pd;0;1  → ok;1"},
	} {
		full := uitest.Text(draw(200, func(b *line.Buf) { Short(b, &tt.e) }))
		type part struct {
			text string
			drop int
		}
		var parts []part
		for text := range strings.SplitSeq(strings.ReplaceAll(tt.want, ";0;1", ""), "  ") {
			name, level, _ := strings.Cut(text, ";")
			if name == "MEANS" {
				name = strings.TrimPrefix(full, "CQ_ERR  cq c  rxe0 port 1  ")
			}
			drop := 0
			if level != "" {
				drop = int(level[0] - '0')
			}
			parts = append(parts, part{name, drop})
		}
		joined := func() string {
			var out []string
			for _, p := range parts {
				out = append(out, p.text)
			}
			return strings.ReplaceAll(strings.Join(out, "  "), "alloc_pd pd  →", "alloc_pd pd →")
		}
		for {
			want := joined()
			w := line.Width(want)
			if got := uitest.Text(draw(w, func(b *line.Buf) { Short(b, &tt.e) })); got != want {
				t.Errorf("%d cells: %q, want %q", w, got, want)
			}
			last := -1
			for i, p := range parts {
				if p.drop > 0 && (last < 0 || p.drop > parts[last].drop) {
					last = i
				}
			}
			if last < 0 {
				break
			}
			parts = append(parts[:last:last], parts[last+1:]...)
			if got := uitest.Text(draw(w-1, func(b *line.Buf) { Short(b, &tt.e) })); got != joined() {
				t.Errorf("%d cells: %q, want %q", w-1, got, joined())
			}
		}
	}
}

// TestStylesOfEvents: what failed is an error, what needs a look a warning.
func TestStylesOfEvents(t *testing.T) {
	th := uitest.Tokens()
	broken := &timeline.Packet{Device: "soft0", Err: wire.ErrTruncated}
	for _, tt := range []struct {
		e    timeline.Event
		want string
	}{
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMEstablished, Hint: "h"}},
			"‹OK›ESTABLISHED"},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMRejected, Status: 28, Hint: "h"}},
			"‹Err›REJECTED  ‹Dim›h"},
		{timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "n"}}, "‹Value›n"},
		{timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "n", Level: timeline.LevelWarn}},
			"‹Warn›n"},
		{timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "n", Level: timeline.LevelError}},
			"‹Err›n"},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", From: verbs.QPInit,
			To: verbs.QPRTR}},
			"‹Label›qp ‹Value›a  INIT ‹Dim›→ ‹Value›RTR"},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", From: verbs.QPRTS,
			To: verbs.QPSQE}},
			"‹Label›qp ‹Value›a  RTS ‹Dim›→ ‹Err›SQE"},
		{timeline.Event{Kind: timeline.KindWC, WC: timeline.Completion{WC: verbs.WC{Status: verbs.WCGeneralErr}}},
			"‹Label›wr ‹Value›0  ‹Err›GENERAL_ERR  ‹Label›qp ‹Value›0x000000"},
		{timeline.Event{Kind: timeline.KindPacket, Packet: broken}, "‹Value›soft0 ‹Dim›← invalid IP  ‹Err›" +
			wire.ErrTruncated.Error()},
	} {
		b := line.New(th)
		b.Begin(120)
		Text(b, &tt.e)
		b.Finish()
		text := strings.TrimSuffix(uitest.Marked(t, b.String(), ""), "\n")
		if text == "" || text != tt.want {
			t.Errorf("%q, want %q", text, tt.want)
		}
	}
	for failed, want := range map[uint64]string{0: "  ‹Value›1,200‹Dim› ok  ‹Value›0‹Dim› failed",
		3: "  ‹Value›1,200‹Dim› ok  ‹Err›3 failed"} {
		b := line.New(th)
		Completions(b, &timeline.Counts{WCOK: 1200, WCFailed: failed}, th)
		b.Finish()
		if got := strings.TrimSuffix(uitest.Marked(t, b.String(), "ok"), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
