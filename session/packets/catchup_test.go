package packets

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// slowTap passes a packet on when it has been asked for it some times.
type slowTap struct {
	asked int
	see   func(verbs.Packet)
}

func (s *slowTap) TapPackets(string, func(verbs.Packet)) error { return nil }

func (s *slowTap) behind() bool {
	if s.asked++; s.asked == 3 {
		s.see(verbs.Packet{At: time.Now(), Device: "rxe0", Outgoing: true, Data: make([]byte, 20)})
	}
	return s.asked < 3
}

// TestCaptureEndsWithLastPacket: what has arrived before a capture ends is in its file, although the tap is slow.
func TestCaptureEndsWithLastPacket(t *testing.T) {
	file, err := createPacketFile(filepath.Join(t.TempDir(), "last.pcapng"))
	if err != nil {
		t.Fatal(err)
	}
	s := core.New(core.Options{}, core.Wiring{Record: func(*core.Session) core.Recorder { return nil }})
	p := &packets{s: s, intake: capture.NewIntake(time.Now()), taps: map[string]*packetTap{}}
	tap := &packetTap{Tap: p.intake.NewTap("rxe0"), device: "rxe0", on: true, capture: &packetCapture{file: file}}
	slow := &slowTap{see: tap.See}
	tap.provider, p.taps["rxe0"] = slow, tap
	p.readAll()
	if text, err := p.finish(tap); err != nil || !strings.HasPrefix(text, "1 packet captured; meanwhile rxe0 sent 1 ") {
		t.Errorf("%q, %v", text, err)
	}
}
