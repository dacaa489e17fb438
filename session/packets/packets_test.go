package packets_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/packets"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// packetsOf returns the packets on the time line.
func packetsOf(s *session.Session) (all []*timeline.Packet) {
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindPacket {
			all = append(all, e.Packet)
		}
	}
	return all
}

// TestCaptureTellsPackets captures the packets of one SEND: each one sent and
// received, recorded before the command that waited for them, with the
// specification's names.
func TestCaptureTellsPackets(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	path := filepath.Join(t.TempDir(), "x.pcapng")
	sessiontest.RunScript(t, s, sessiontest.Loopback+`
capture on file="`+path+`"
post_recv b wr_id=7 sge=dst
post_send a SEND_WITH_IMM wr_id=1 sge=src:0:1500 imm_data=0x1234 send_flags=SIGNALED
poll_cq cq n=2 timeout=20s
capture off
`)
	want := []wire.Opcode{wire.RCSendFirst, wire.RCSendLastImm, wire.RCSendFirst, wire.RCSendLastImm,
		wire.RCAcknowledge, wire.RCAcknowledge}
	got := packetsOf(s)
	if len(got) != len(want) {
		t.Fatalf("%d packets, want %d", len(got), len(want))
	}
	for i, p := range got {
		if p.Wire.BTH.Opcode != want[i] || p.Outgoing != (i < 2 || i == 4) || p.Device != "soft0" || p.Err != nil {
			t.Errorf("packet %d is %s %s", i, p.Direction(), p.Wire.BTH.Opcode)
		}
	}
	done := sessiontest.Commands(s)
	if last := done[len(done)-
		1]; last.Result != "6 packets captured; meanwhile soft0 sent 3 and received 3; written to "+path {
		t.Errorf("%q", last.Result)
	}
	if events := s.Timeline().Snapshot(); events[len(events)-2].Command == nil ||
		!strings.HasPrefix(events[len(events)-2].Command.Line, "poll_cq") {
		t.Errorf("packets recorded after the command that waited for them: %+v", events[len(events)-2])
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 3000 {
		t.Errorf("%v, %v", info, err)
	}
	sessiontest.RunScript(t, s,
		"post_send a RDMA_WRITE wr_id=2 sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey\npoll_cq cq timeout=20s")
	if n := len(packetsOf(s)); n != len(want) {
		t.Errorf("%d more packets after off", n-len(want))
	}
}

func TestPacketEventInJSON(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+`
capture on
post_recv b sge=dst
post_send a SEND_WITH_IMM sge=src:0:5 imm_data=0x1234 send_flags=SIGNALED|SOLICITED
poll_cq cq n=2 timeout=20s
post_send a RDMA_READ sge=src:0:9 remote_addr=dst.addr rkey=dst.rkey
poll_cq cq timeout=20s
`)
	var lines []map[string]any
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindPacket {
			var m map[string]any
			if err := json.Unmarshal(e.AppendJSON(nil), &m); err != nil {
				t.Fatalf("%v: %s", err, e.AppendJSON(nil))
			}
			lines = append(lines, m)
		}
	}
	b := s.Snapshot().QPs[1]
	dst := s.Snapshot().MRs[1]
	for _, tt := range []struct {
		at   int
		want map[string]any
	}{
		{0, map[string]any{"event": "packet", "device": "soft0", "direction": "out", "dst": "127.0.0.1:4791",
			"opcode":  "RC_SEND_ONLY_WITH_IMMEDIATE",
			"dest_qp": float64(b.Num), "ack_req": true, "se": true, "imm_data": float64(0x1234), "payload_len": 5.0,
			"pad": 3.0, "pkey": 65535.0}},
		{1, map[string]any{"direction": "in"}},
		{2, map[string]any{"opcode": "RC_ACKNOWLEDGE", "syndrome": 31.0, "syndrome_text": "ACK",
			"msn": 1.0, "len": 20.0}},
		{4, map[string]any{"opcode": "RC_RDMA_READ_REQUEST", "va": float64(dst.Addr),
			"rkey": float64(dst.RKey), "dma_len": 9.0}},
	} {
		for name, want := range tt.want {
			if got := lines[tt.at][name]; got != want {
				t.Errorf("packet %d: %s is %v, want %v", tt.at, name, got, want)
			}
		}
	}
}

func TestCaptureEndsByItself(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s,
		sessiontest.Loopback+"capture soft0 on limit=3\n"+
			"post_recv b sge=dst\npost_send a SEND sge=src\npoll_cq cq n=2 timeout=20s")
	if n := len(packetsOf(s)); n != 3 {
		t.Errorf("%d packets", n)
	}
	events := s.Timeline().Snapshot()
	told := false
	for _, e := range events {
		told = told || e.Note != nil && strings.HasPrefix(e.Note.Text, "capture of soft0: 3 packets captured")
	}
	if !told {
		t.Error("no note that the capture has ended")
	}
	if taps := s.PacketTaps(); len(taps) != 1 || taps[0].On || taps[0].Capture != "" {
		t.Errorf("%+v", taps)
	}
	if _, err := s.Exec(t.Context(), "capture soft0 off"); err == nil ||
		err.Error() != "no capture of soft0 is running" {
		t.Error(err)
	}
}

// TestCaptureFillsUpAtClose closes a session with unread packets that fill its
// capture.
func TestCaptureFillsUpAtClose(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+"capture on limit=1")
	packets.TapsOf(s.Core()).Any.Store(false) // so that nothing reads them earlier
	sessiontest.RunScript(t, s, `
post_recv b sge=dst
post_send a SEND sge=src:0:8
poll_cq cq n=2 timeout=20s
`)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := len(packetsOf(s)); n != 1 {
		t.Errorf("%d packets recorded, want 1", n)
	}
}

func TestCaptureRefuses(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	path := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, says string }{
		{"capture on", "soft0 or soft1"},
		{"capture soft9 on", "soft9"},
		{"capture soft0 on file=" + path, "already exists"},
		{"capture soft0 on file=" + path + "/x", "not a directory"},
		{"save_packets " + path + "2", "no packets are being recorded"},
	} {
		if _, err := s.Exec(t.Context(), tt.line); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.line, err)
		}
	}
	for _, tap := range s.PacketTaps() {
		if tap.On || tap.Capture != "" {
			t.Errorf("a tap is on after a failed command: %+v", tap)
		}
	}
	sessiontest.Execute(t, s, "capture soft0 on")
	if _, err := s.Exec(t.Context(), "capture soft0 on"); err == nil ||
		!strings.Contains(err.Error(), "a capture of soft0 is already running") {
		t.Error(err)
	}
	if mine, err := os.ReadFile(path); err != nil || string(mine) != "mine" {
		t.Errorf("the file is now %q", mine)
	}
}

// TestNativePacketsAreNotSeen: the error says how to capture them otherwise.
func TestNativePacketsAreNotSeen(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	_, err := s.Exec(t.Context(), "capture fake0 on")
	if !errors.Is(err, verbs.ErrUnsupported) || !strings.Contains(err.Error(), "tcpdump") {
		t.Error(err)
	}
	if names, err := s.WatchPackets(true); err != nil || len(names) != 0 {
		t.Errorf("%q, %v", names, err)
	}
}

// tapFake is a fake whose tap a test controls.
type tapFake struct {
	*sessiontest.Fake
	mu   sync.Mutex
	see  func(verbs.Packet)
	sets int // calls of TapPackets
}

func (f *tapFake) TapPackets(_ string, see func(verbs.Packet)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.see = see
	f.sets++
	return nil
}

func (f *tapFake) pour(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly}, Payload: make([]byte, 64)}
	data := append(h.Append(nil), 0, 0, 0, 0)
	at := netip.MustParseAddrPort("127.0.0.1:4791")
	for range n {
		f.see(verbs.Packet{At: time.Now(), Device: "fake0", Outgoing: true, Src: at, Dst: at, Data: data})
	}
}

// TestDeviceNeverWaits sends packets while the time line's reader is blocked: the tap
// accepts them all, and the counts are exact.
func TestDeviceNeverWaits(t *testing.T) {
	f := &tapFake{Fake: sessiontest.NewFake()}
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	s := session.New(core.Options{Providers: []verbs.Provider{f}, Out: func(e timeline.Event) {
		if e.Kind == timeline.KindPacket {
			select {
			case held <- struct{}{}:
			default:
			}
			<-hold
		}
	}})
	sessiontest.Execute(t, s, "capture fake0 on")
	f.pour(1)
	<-held // the reader is blocked
	const n = 20000
	f.pour(n)
	close(hold)
	done := sessiontest.Execute(t, s, "capture fake0 off")
	taps := s.PacketTaps()[0].Counts
	if taps.Sent != n+1 || taps.Missed == 0 || taps.Missed >= n {
		t.Errorf("%+v", taps)
	}
	var missed uint64
	kept := packetsOf(s)
	for _, p := range kept {
		missed += p.Missed
	}
	if uint64(len(kept))+taps.Missed != n+1 || missed > taps.Missed {
		t.Errorf("%d kept, %d reported as missed, %+v", len(kept), missed, taps)
	}
	if !strings.Contains(done.Result, "too many at once") {
		t.Errorf("%q", done.Result)
	}
	if err := s.Close(); err != nil || f.see != nil {
		t.Errorf("%v, the tap is still on: %v", err, f.see != nil)
	}
}

// TestTapIsSetOnce: a tap is switched on by the first that wants packets and off after the last; what comes between
// does not interrupt it.
func TestTapIsSetOnce(t *testing.T) {
	f := &tapFake{Fake: sessiontest.NewFake()}
	s := session.New(core.Options{Providers: []verbs.Provider{f}})
	defer s.Close()
	watch := func(on bool) func() {
		return func() {
			if _, err := s.WatchPackets(on); err != nil {
				t.Error(err)
			}
		}
	}
	for i, tt := range []struct {
		do   func()
		sets int // up to now
		on   bool
	}{
		{watch(false), 0, false},
		{watch(true), 1, true},
		{watch(true), 1, true},
		{func() { sessiontest.Execute(t, s, "capture fake0 on") }, 1, true},
		{watch(false), 1, true},
		{func() { sessiontest.Execute(t, s, "capture fake0 off") }, 2, false},
		{watch(false), 2, false},
	} {
		if tt.do(); f.sets != tt.sets || (f.see != nil) != tt.on || s.PacketTaps()[0].On != tt.on {
			t.Errorf("%d: set %d times, on: %t", i, f.sets, f.see != nil)
		}
	}
}

// TestWatchKeepsWithoutTelling: packets that the screen watches are kept, but not put
// on the time line.
func TestWatchKeepsWithoutTelling(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	names, err := s.WatchPackets(true)
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	sessiontest.RunScript(t, s,
		sessiontest.Loopback+"post_recv b sge=dst\npost_send a SEND sge=src\npoll_cq cq n=2 timeout=20s")
	path := filepath.Join(t.TempDir(), "kept.pcapng")
	// including those that were not read yet
	if done := sessiontest.Execute(t, s,
		"save_packets "+path+" device=soft0"); done.Result != "10 packets written to "+path {
		t.Errorf("%q", done.Result)
	}
	kept := s.PacketsSince(0, 0, nil)
	if len(kept) != 10 || len(packetsOf(s)) != 0 { // 4096 bytes in packets of 1024, one ACK, in both directions
		t.Errorf("%d kept, %d on the time line", len(kept), len(packetsOf(s)))
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 8*1024 { // eight of them have 1024 bytes
		t.Errorf("%v, %v", info, err)
	}
	if _, err := s.Exec(t.Context(), "save_packets "+path+"2 device=soft1"); err == nil {
		t.Error("soft1 had no packets")
	}
	if _, err := s.WatchPackets(false); err != nil {
		t.Fatal(err)
	}
	for _, tap := range s.PacketTaps() {
		if tap.On {
			t.Errorf("%+v", tap)
		}
	}
}
