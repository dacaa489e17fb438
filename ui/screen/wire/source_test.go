package wire

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

// TestTotalsOfACapture: two lines, or one, say what a capture is, how far it has been read and what it lacks. The
// narrower they are, the less remains: first other packets go, then conversations, then what the capture lacks.
func TestTotalsOfACapture(t *testing.T) {
	done := func(totals capture.Totals, talks int, from uint64) conversation.TraceState {
		return conversation.TraceState{Totals: totals, Name: "a.pcap", Talks: talks, From: from, To: totals.RoCE,
			Done: true}
	}
	reading := done(capture.Totals{Packets: 1, RoCE: 1}, 1, 0)
	reading.Done = false
	broken := done(capture.Totals{Packets: 7, RoCE: 7}, 1, 0)
	broken.Err = errors.New("a.pcap: unexpected EOF")
	all := done(capture.Totals{Packets: 1300, RoCE: 1250, Cut: 3, Dropped: 1002}, 2, 9)
	for _, tt := range []struct {
		name  string
		state conversation.TraceState
		w, h  int
		want  []string
	}{
		{"empty", done(capture.Totals{}, 0, 0), 90, 2, []string{"a.pcap", "0 RoCE packets  0 conversations"}},
		{"one packet", reading, 90, 2, []string{"a.pcap  reading", "1 RoCE packet  1 conversation"}},
		{"one line", reading, 90, 1, []string{"a.pcap  reading  1 RoCE packet  1 conversation"}},
		{"stopped", broken, 90, 2, []string{"a.pcap  a.pcap: unexpected EOF; what came before it was read",
			"7 RoCE packets  1 conversation"}},
		{"everything", all, 140, 2, []string{"a.pcap", "1,250 RoCE packets  50 other packets  2 conversations  " +
			"3 cut by the capture  1,002 dropped by the capturing side  9 oldest not kept"}},
		{"everything in one line", all, 140, 1, []string{"a.pcap  1,250 RoCE packets  50 other packets  " +
			"2 conversations  3 cut by the capture  1,002 dropped by the capturing side  9 oldest not kept"}},
		{"without other packets", all, 117, 2, []string{"a.pcap", "1,250 RoCE packets  2 conversations  " +
			"3 cut by the capture  1,002 dropped by the capturing side  9 oldest not kept"}},
		{"without conversations", all, 100, 2, []string{"a.pcap", "1,250 RoCE packets  " +
			"3 cut by the capture  1,002 dropped by the capturing side  9 oldest not kept"}},
		{"packets alone", all, 20, 2, []string{"a.pcap", "1,250 RoCE packets"}},
		{"three lines", all, 20, 3, []string{"a.pcap", "1,250 RoCE packets", ""}},
	} {
		x := &taps{th: &theme.Theme{}, traced: &traced{state: tt.state}}
		x.SetSize(tt.w, tt.h)
		for y, want := range tt.want {
			b := line.New(x.th)
			b.Begin(tt.w)
			if x.DrawLine(b, y); strings.TrimSpace(b.String()) != want {
				t.Errorf("%s, line %d: %q, want %q", tt.name, y, b.String(), want)
			}
		}
		if x.Below() != 0 || x.rowsWanted(tt.w) != 2 {
			t.Errorf("%s: %d rows below, %d wanted", tt.name, x.Below(), x.rowsWanted(tt.w))
		}
	}
	broken.Totals, broken.From, broken.Talks = all.Totals, 9, 2
	x := &taps{th: uitest.Tokens(), traced: &traced{state: broken}}
	for _, err := range []error{broken.Err, nil} {
		x.traced.state.Err, x.traced.state.Done = err, false
		b := line.New(x.th)
		b.Begin(300)
		x.SetSize(300, 1)
		x.DrawLine(b, 0)
		b.Finish()
		said := map[bool]string{true: "  ‹Info›reading", false: "  ‹Err›a.pcap: unexpected EOF; what came before it " +
			"was read"}
		want := " ‹Value›a.pcap" + said[err == nil] + "  ‹Value›1,250 RoCE packets  ‹Dim›50 other packets" +
			"  ‹Value›2 conversations  ‹Warn›3 cut by the capture  1,002 dropped by the capturing side  9 oldest not " +
			"kept\n"
		if got := uitest.Marked(t, b.String(), "a.pcap"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestRowsOfACapture: rows that were decoded are kept until more have been looked at than a screen shows, or until more
// of the capture has been read. Others are none.
func TestRowsOfACapture(t *testing.T) {
	c := newCaptured(t)
	const packets = 2*maxDecoded + 10
	for i := range packets {
		c.add(i%2 == 0, 0x22, time.Microsecond, request(wire.RCSendOnly, wire.PSN(i), 4))
	}
	x := &traced{Trace: c.traceOf(), rows: map[uint64]*row{}}
	if !x.refresh() || x.refresh() {
		t.Error("the capture was read once and for all")
	}
	if from, to := x.Span(); from != 0 || to != packets {
		t.Errorf("packets %d to %d", from, to)
	}
	for n := range uint64(packets) {
		r := x.Packet(n)
		if r == nil || r.N != n || r.Wire.BTH.PSN != wire.PSN(n) || x.Packet(n) != r {
			t.Fatalf("packet %d is %+v", n, r)
		}
		if len(x.rows) > maxDecoded || n < maxDecoded && len(x.rows) != int(n)+1 {
			t.Fatalf("%d rows are kept after %d", len(x.rows), n+1)
		}
		if r := x.Trial(n); r == nil || r.N != n || r.Wire.BTH.PSN != wire.PSN(n) {
			t.Fatalf("packet %d on trial is %+v", n, r)
		}
	}
	for _, n := range []uint64{packets, packets + 1, 1 << 63} {
		if x.Packet(n) != nil || x.Trial(n) != nil {
			t.Errorf("there is a packet %d", n)
		}
	}
	was := x.Packet(7)
	x.state.To-- // as if the last one had come later
	if !x.refresh() || x.Packet(7) == was {
		t.Error("a row does not go on with its request")
	}
}
