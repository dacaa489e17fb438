package program

import (
	"os"
	"path/filepath"
	"testing"
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
	tm.Until(":fault soft0 loss=10%")
	tm.Keys("backspace", "backspace", "backspace", "1", "0", "0", "%", "enter")
	tm.Until("faults loss=100%")
	tm.Keys("3")
	tm.Until("b has no RECV posted")
	tm.Keys("enter", "6")
	tm.Until("lost again", "retransmits", "RETRY_EXC_ERR")
	tm.Keys("f")
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
