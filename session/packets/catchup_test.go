package packets

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// slowTap is a tap with one packet that has arrived. It passes it on when it is switched off, or, if it is not stuck,
// has been asked for it some times.
type slowTap struct {
	stuck  bool
	asked  int
	passed bool
	see    func(verbs.Packet)
}

func (s *slowTap) TapPackets(_ string, see func(verbs.Packet)) error {
	if see == nil {
		s.pass()
	}
	return nil
}

func (s *slowTap) behind() bool {
	if s.asked++; s.asked == 3 && !s.stuck {
		s.pass()
	}
	return !s.passed
}

func (s *slowTap) pass() {
	if !s.passed {
		s.passed = true
		s.see(verbs.Packet{At: time.Now(), Device: "rxe0", Outgoing: true, Data: make([]byte, 20)})
	}
}

// TestLastPacket: what has arrived is in the file of a capture that ends and in that of save_packets, although the tap
// is slow.
func TestLastPacket(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		stuck      bool
		watch      bool // the tap stays on for the screen
		end        func(*core.Call) error
		says       string
	}{
		{"a capture ends", "capture rxe0 off", true, false, Capture,
			"1 packet captured; meanwhile rxe0 sent 1 and received 0"},
		{"a capture ends while the screen watches", "capture rxe0 off", false, true, Capture,
			"1 packet captured; meanwhile rxe0 sent 1 and received 0"},
		{"packets are saved", "save_packets saved.pcapng", false, true, SavePackets,
			"1 packet written to "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			file, err := createPacketFile(filepath.Join(t.TempDir(), "last.pcapng"))
			if err != nil {
				t.Fatal(err)
			}
			s := core.New(core.Options{}, core.Wiring{Record: func(*core.Session) core.Recorder { return nil }})
			p := TapsOf(s)
			p.watch = tt.watch
			p.Any.Store(true)
			tap := &packetTap{Tap: p.intake.NewTap("rxe0"), device: "rxe0", on: true,
				capture: &packetCapture{file: file}}
			tap.provider, p.taps["rxe0"] = &slowTap{stuck: tt.stuck, see: tap.See}, tap
			cmd, err := command.Parse(tt.line)
			if err != nil {
				t.Fatal(err)
			}
			c := &core.Call{S: s, Ctx: t.Context(), Cmd: cmd}
			if err := tt.end(c); err != nil || !strings.HasPrefix(c.Done.Result, tt.says) {
				t.Errorf("%q, %v", c.Done.Result, err)
			}
		})
	}
}
