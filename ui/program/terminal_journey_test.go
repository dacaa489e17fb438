package program

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// sizes are the window sizes of the journeys.
var sizes = []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}}

// TestJourney goes from the list of devices to the completions of SEND, WRITE
// and READ by keys alone.
func TestJourney(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			tm := open(t, size.w, size.h, terminalEnv())
			journey(tm, "soft0")
			leave(t, tm, "6 objects exist")
		})
	}
}

func TestJourneyOnKernel(t *testing.T) {
	vmtest.Need(t)
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			tm := open(t, size.w, size.h, terminalEnv())
			journey(tm, device)
			leave(t, tm, "6 objects exist")
			nothingLeft(t)
		})
	}
}

func journey(tm *uitest.Terminal, name string) {
	openDevice(tm, name)
	tm.Keys("2")
	tm.Until("no queue pair yet", "alloc_pd pd")
	tm.Keys("b")
	bringUp(tm, "a")
	tm.Keys("o")
	bringUp(tm, "b")
	tm.Keys("<", "3")
	postEach(tm)
	tm.Keys("4")
	everyField(tm)
}

// openDevice finds a device in the list and opens it.
func openDevice(tm *uitest.Terminal, name string) {
	tm.Until("no device is open")
	tm.Keys("1")
	tm.Until("no device is open", name, "ibv_query_device")
	for !strings.Contains(tm.Screen(), "▸ "+name) {
		tm.Keys("down")
		tm.Until("▸ ")
	}
	tm.Keys("enter")
	tm.Until("▸●"+name, "port 1 ACTIVE")
}

// bringUp takes a queue pair through its states, one transition at a time.
func bringUp(tm *uitest.Terminal, qp string) {
	tm.Until(qp+": RESET → INIT", "Ready. enter runs it.", "ibv_modify_qp("+qp+", {.qp_state = IBV_QPS_INIT")
	tm.Keys("enter")
	tm.Until(qp+": INIT → RTR", "Ready. enter runs it.", "✓       ibv_modify_qp("+qp, "=       INIT · ")
	tm.Keys("enter")
	tm.Until(qp+": RTR → RTS", "Ready. enter runs it.", "✓       ibv_modify_qp("+qp, "=       RTR · ")
	tm.Keys("enter")
	tm.Until(qp+": attributes that can change in RTS", "=       RTS · ")
}

// Dumps of the bytes sent and written.
const (
	helloDump   = "0000  68 65 6c 6c 6f 00"
	writtenDump = " 77 72 69 74 74 65 6e 00"
)

// postEach posts a RECV and a SEND, a WRITE and a READ, and checks each one's
// completion and its bytes in both memories.
func postEach(tm *uitest.Terminal) {
	tm.Until("b has no RECV posted", "will it work?")
	tm.Keys("R")
	tm.Until("b has 1 RECV posted", "ibv_post_recv(b")
	tm.Keys("enter")
	tm.Until("wr_id 2 SEND SUCCESS", "2 ok")
	tm.UntilTimes(2, helloDump)
	tm.Keys("t", "t")
	tm.Until("RDMA_WRITE", "dst grants REMOTE_WRITE")
	tm.Keys("enter")
	tm.Until("wr_id 3 RDMA_WRITE SUCCESS", "3 ok")
	tm.UntilTimes(2, "0000 "+writtenDump)
	tm.Keys("t", "t")
	tm.Until("RDMA_READ", "dst grants REMOTE_READ")
	tm.Keys("enter")
	tm.Until("wr_id 4 RDMA_READ SUCCESS", "4 ok")
	// Each window has scrolled to the bytes of the READ: to their source, and to their
	// destination.
	tm.Until("0000 "+writtenDump, "0020 "+writtenDump)
}

// everyField checks all fields of ibv_wc of the READ on the Completions screen.
func everyField(tm *uitest.Terminal) {
	tm.Until("completion wr 4  SUCCESS")
	tm.Keys("]", "z")
	tm.Until("wr_id", "status", "SUCCESS", "opcode", "RDMA_READ", "vendor_err", "byte_len",
		"imm_data", "invalidated_rkey",
		"qp_num", "src_qp", "wc_flags", "pkey_index", "slid", "sl ", "dlid_path_bits")
}

// leave quits, answering the question that objects cause.
func leave(t *testing.T, tm *uitest.Terminal, question string) {
	t.Helper()
	tm.Keys("q")
	tm.Until(question)
	tm.Keys("y")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}
