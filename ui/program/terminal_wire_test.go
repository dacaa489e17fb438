package program

import (
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/ui/uitest"
	"rdmatui/verbs/wire"
)

// TestWireJourney sees a SEND on the wire by keys alone, then one that is lost on
// purpose until its queue pair gives up, and writes the capture to a file.
func TestWireJourney(t *testing.T) {
	dir, err := os.MkdirTemp("", "") // a short path, so that the line that names it is not broken
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "w.pcapng")
	tm := open(t, 120, 40, terminalEnv(), "--provider", "soft")
	openDevice(tm, "soft0")
	tm.Keys("6")
	tm.Until("No packets yet", "soft0   0 sent  0 received  no faults")
	tm.Keys("2")
	tm.Until("no queue pair yet", "alloc_pd pd")
	tm.Keys("b")
	tm.Until("a: RESET → INIT")
	tm.Keys("c")
	tm.Until("a is connected to b")
	tm.Keys("3")
	tm.Until("b has no RECV posted")
	tm.Keys("R")
	tm.Until("b has 1 RECV posted", "ibv_post_recv(b")
	tm.Keys("enter")
	tm.Until("2 ok")
	tm.Keys("6")
	tm.Until("2 sent  2 received", "qp a 127.0.0.", "SEND_ONLY 0x", "ACK msn 1", "RC_ACKNOWLEDGE")
	tm.Keys("f")
	tm.Until("fault soft0 off")
	tm.Keys("e", "1", "0", "0", "%", "enter")
	tm.Until("fault soft0 loss=100%")
	tm.Keys("f")
	tm.Until("faults loss=100%")
	tm.Keys("3")
	tm.Until("b has no RECV posted")
	tm.Keys("enter", "6")
	tm.Until("lost retry", "retransmits", "RETRY_EXC_ERR")
	tm.Keys("f", "C", "f")
	tm.Until("no faults")
	tm.Keys("w")
	tm.Until(":save_packets wire.pcapng")
	for range len("wire.pcapng") {
		tm.Keys("backspace")
	}
	tm.Type(path)
	tm.Keys("enter")
	tm.Until("packets written to ")
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	leave(t, tm, "6 objects exist")
}

// captureOf writes a capture of n SENDs of 10.0.0.1, of which the last is sent twice.
func captureOf(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sends.pcapng")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := capture.NewWriter(f)
	src, dst := netip.MustParseAddrPort("10.0.0.1:4791"), netip.MustParseAddrPort("10.0.0.2:4791")
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	for i := range n + 1 {
		p := wire.Packet{
			BTH:     wire.BTH{Opcode: wire.RCSendOnly, DestQP: 0x22, PSN: wire.PSN(min(i, n-1))},
			Payload: []byte("hello world!"),
		}
		err = errors.Join(err, w.Write(&timeline.Packet{
			At: time.Unix(int64(i), 0), Device: "eth0", Src: src, Dst: dst, Data: icrc.Append(0, p.Append(nil)),
		}))
	}
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWireOnTerminal looks at a capture: from a file, from a pipe that stays open, and
// with what cannot be read.
func TestWireOnTerminal(t *testing.T) {
	path := captureOf(t, 5000)
	t.Run("file", func(t *testing.T) {
		tm := open(t, 120, 40, terminalEnv(), "wire", path)
		tm.Until("5,001 RoCE packets", "1 conversation", "SEND_ONLY", "retry",
			"The first trouble: packet 5,001 of 5,001")
		tm.Keys("g")
		tm.Until("packet 1 of the capture", "SEND of 12 bytes in 1 packet")
		tm.Keys("n")
		tm.Until("packet 5,001 of the capture", "retry: retransmitted")
		tm.Keys("/")
		tm.Type("psn==7")
		tm.Keys("enter")
		tm.Until("1 of 5,001 packets")
		tm.Keys("1")
		tm.Until("Devices has nothing to show of a capture")
		tm.Keys("w")
		tm.Until("these are of a capture")
		leaveNothing(t, tm)
	})
	t.Run("pipe", func(t *testing.T) {
		cmd := exec.Command("sh", "-c",
			`mkfifo "$2"; (cat "$1"; exec sleep 1000) >"$2" & "$0" wire - <"$2"; status=$?; kill $!; exit $status`,
			binary(t), path, filepath.Join(t.TempDir(), "pipe"))
		cmd.Env = terminalEnv()
		tm := uitest.StartTerminal(t, cmd, 120, 40)
		tm.Until("standard input", "reading", "5,001 RoCE packets")
		leaveNothing(t, tm)
	})
	for _, x := range []struct {
		name, says string
		args       []string
	}{
		{"no file", "open /nowhere.pcap: no such file or directory", []string{"wire", "/nowhere.pcap"}},
		{"not a capture", "not a pcap or pcapng file", []string{"wire", binary(t)}},
		{"second is missing", "open /nowhere.pcap: no such file or directory", []string{"wire", path, "/nowhere.pcap"}},
		{"no interface", "nosuch0", []string{"wire", "-i", "nosuch0"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			tm := open(t, 120, 40, terminalEnv(), x.args...)
			tm.Until(x.says)
			if status := tm.Wait(); status != 1 {
				t.Errorf("exit status %d", status)
			}
		})
	}
}
