package ui

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// ticking is a log whose clock advances by 1.5 ms with every event.
func ticking(capacity int) *timeline.Log {
	t := 14 * time.Second
	return timeline.New(capacity, func() time.Duration { t += 1500 * time.Microsecond; return t })
}

func recvDone(id uint64) timeline.Completion {
	return timeline.Completion{CQ: "cq", QP: "b", Recv: true, Matched: true, Latency: 18 * time.Microsecond,
		WC: verbs.WC{WRID: id, Opcode: verbs.WCRecv, ByteLen: 5, QPNum: 18}}
}

func sendFailed(id uint64) timeline.Completion {
	return timeline.Completion{CQ: "cq", QP: "a", Matched: true, Opcode: verbs.WRRDMAWrite,
		Latency: 3 * time.Millisecond,
		WC:      verbs.WC{WRID: id, Status: verbs.WCRemAccessErr, VendorErr: 0x88, QPNum: 17}}
}

func fillStripLog(l *timeline.Log) {
	l.AppendBatch([]timeline.Completion{recvDone(7), sendFailed(99)})
	l.Append(timeline.Event{Kind: timeline.KindState,
		State: &timeline.StateChange{QP: "a", From: verbs.QPRTS, To: verbs.QPErr, Cause: "completion REM_ACCESS_ERR"}})
	l.Append(timeline.Event{Kind: timeline.KindAsync,
		Async: &timeline.AsyncEvent{Type: verbs.EventQPAccessErr, Device: "soft0", QP: "b"}})
	l.Append(timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Line: "alloc_pd pd"}})
	l.Append(timeline.Event{Kind: timeline.KindCommand,
		Command: &timeline.CommandDone{Line: "modify_qp a RTS", Err: "ibv_modify_qp: EINVAL"}})
	l.Append(timeline.Event{Kind: timeline.KindNote,
		Note: &timeline.Note{Level: timeline.LevelWarn, Text: "peer says \x1b[2J"}})
	for i := range 10 {
		l.AppendBatch([]timeline.Completion{recvDone(uint64(100 + i))})
	}
}

// fillConnectionLog adds a request with hostile private data, and a failed one.
func fillConnectionLog(l *timeline.Log) {
	peer := netip.MustParseAddrPort("10.9.0.2:7471")
	for _, e := range []timeline.CMEvent{
		{Type: verbs.CMAddrResolved, ID: "id", Peer: peer, Step: "resolve_addr", Took: 201 * time.Microsecond},
		{Type: verbs.CMRejected, ID: "id", Peer: peer, Status: 28, StatusText: "reason 28 CONSUMER_DEFINED"},
		{Type: verbs.CMConnectRequest, ID: "listen-1", Peer: peer,
			Conn: &verbs.CMConnParam{PrivateData: []byte("\x1b[2Jhi\x00\x00")}},
	} {
		l.Append(timeline.Event{Kind: timeline.KindCM, CM: &e})
	}
}

func TestStripGolden(t *testing.T) {
	l := ticking(64)
	fillStripLog(l)
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{80, 1}, {120, 1}, {200, 1}, {40, 1}, {80, 5}, {120, 5}, {200, 5}, {60, 5}} {
			s := newStrip(theme.New("none", uni))
			s.refresh(l, &screen.State{Counts: l.Counts()})
			got := widget.Render(s.th, s, size[0], size[1])
			uitest.Exact(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
	l = ticking(64)
	fillConnectionLog(l)
	s := newStrip(theme.New("none", true))
	s.refresh(l, &screen.State{Counts: l.Counts(),
		Session: session.Snapshot{IDs: []session.IDView{{State: session.IDRequest}, {State: session.IDConnected}}}})
	uitest.Golden(t, "connections", uitest.Text(widget.Render(s.th, s, 120, 5)))
	uitest.Golden(t, "connections-line", uitest.Text(widget.Render(s.th, s, 120, 1)))
	if !s.refresh(l, &screen.State{Counts: l.Counts()}) {
		t.Error("a request that has its answer is still told of")
	}
	s = newStrip(theme.New("none", true))
	s.refresh(timeline.New(4, nil), &screen.State{})
	uitest.Golden(t, "empty", uitest.Text(widget.Render(s.th, s, 80, 5)))
	uitest.Golden(t, "empty-line", uitest.Text(widget.Render(s.th, s, 80, 1)))
}

// Completions of a loop are counted without rows: the counts show, though no completion does.
func TestStripCountedOnly(t *testing.T) {
	for ok, want := range map[uint64]string{0: "none yet", 2000: "counted only"} {
		s := newStrip(theme.New("none", true))
		s.counts.WCOK = ok
		if view := uitest.Text(widget.Render(s.th, s, 120, 4)); !strings.Contains(view, want) {
			t.Errorf("%d completions: %q is not in\n%s", ok, want, view)
		}
	}
}

func TestStripRefresh(t *testing.T) {
	l := ticking(64)
	s := newStrip(theme.New("none", true))
	if s.refresh(l, &screen.State{}) {
		t.Error("an empty log is something new")
	}
	l.AppendBatch([]timeline.Completion{recvDone(1)})
	if !s.refresh(l, &screen.State{Counts: l.Counts()}) || s.refresh(l, &screen.State{Counts: l.Counts()}) {
		t.Error("something new must be told once")
	}
}

// During a flood the only failed completion, and the events, stay visible.
func TestStripInAFlood(t *testing.T) {
	l := ticking(64)
	s := newStrip(theme.New("none", true))
	s.refresh(l, &screen.State{})
	l.Append(timeline.Event{Kind: timeline.KindAsync,
		Async: &timeline.AsyncEvent{Type: verbs.EventPortErr, Device: "rxe0", PortNum: 1}})
	flood := make([]timeline.Completion, 500)
	for i := range flood {
		flood[i] = recvDone(uint64(i))
	}
	flood[100] = sendFailed(4711)
	for range 10 {
		l.AppendBatch(flood)
	}
	s.refresh(l, &screen.State{Counts: l.Counts()})
	view := uitest.Text(widget.Render(s.th, s, 120, 4))
	for _, want := range []string{"4,990 ok", "10 failed", "wr 4711", "REM_ACCESS_ERR", "wr 499",
		"PORT_ERR", "1 async"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not in\n%s", want, view)
		}
	}
}

// A bad event is shown with its meaning, if there is room.
func TestStripExplains(t *testing.T) {
	l := ticking(64)
	l.Append(timeline.Event{Kind: timeline.KindCM,
		CM: &timeline.CMEvent{Type: verbs.CMAddrChange, ID: "id", Hint: "the interface has another hardware address"}})
	l.Append(timeline.Event{Kind: timeline.KindCM,
		CM: &timeline.CMEvent{Type: verbs.CMEstablished, ID: "id", Hint: "both ends may send"}})
	s := newStrip(theme.New("none", true))
	s.refresh(l, &screen.State{Counts: l.Counts()})
	view := uitest.Text(widget.Render(s.th, s, 200, 5))
	if !strings.Contains(view, "ADDR_CHANGE  id id  the interface has another hardware address") ||
		strings.Contains(view, "may send") {
		t.Error(view)
	}
}

func BenchmarkStrip(b *testing.B) {
	l := ticking(0)
	s := newStrip(theme.New("dark", true))
	flood := make([]timeline.Completion, 16384)
	buf := line.New(s.th)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		l.AppendBatch(flood)
		b.StartTimer()
		s.refresh(l, &screen.State{Counts: l.Counts()})
		buf.Reset()
		widget.Draw(buf, s, 200, 1)
	}
}

// The address at which a command waits for a peer is told whole, in as many lines as it needs, and no longer.
func TestStripTellsAddress(t *testing.T) {
	const first, second = "192.0.2.101", "2001:db8:1234:5678:9abc:def0:1234:5678"
	for _, tt := range []struct {
		w, lines int
		mode     stripMode
	}{{80, 2, stripLine}, {110, 1, stripLine}, {200, 0, stripLine}, {80, 0, stripPane}, {40, 3, stripLine}} {
		log := timeline.New(16, func() time.Duration { return 0 })
		s := newStrip(theme.New("none", true))
		s.mode = tt.mode
		s.refresh(log, &screen.State{})
		log.Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Ready: true,
			Text: "waiting for a peer on TCP port 18515 of " + first + ", " + second}})
		s.refresh(log, &screen.State{})
		told := s.told(tt.w)
		if len(told) != tt.lines {
			t.Errorf("%d columns: %q, want %d lines", tt.w, told, tt.lines)
		}
		s.SetSize(tt.w, max(len(told), 1))
		got := uitest.Text(widget.Render(s.th, s, tt.w, max(len(told), 1)))
		if tt.mode == stripLine && (!strings.Contains(got, first) || !strings.Contains(got, second)) {
			t.Errorf("%d columns: an address is cut:\n%s", tt.w, got)
		}
		log.Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "a peer connected"}})
		if s.refresh(log, &screen.State{}); s.told(tt.w) != nil {
			t.Errorf("%d columns: still told", tt.w)
		}
	}
}
