package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestEveryOpcode posts each operation by keys alone and sees its bytes in the
// memories.
func TestEveryOpcode(t *testing.T) {
	everyOpcode(t, "soft0")
}

func TestEveryOpcodeOnKernel(t *testing.T) {
	vmtest.Need(t)
	everyOpcode(t, device)
	nothingLeft(t)
}

// opcodeLines make what requests of every kind need.
const opcodeLines = `alloc_pd pd
reg_mr src length=4096 access=LOCAL_WRITE
reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND
alloc_mw w type=TYPE_2
create_cq cq cqe=64
create_qp a send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
create_qp b send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
connect_qps a b qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC`

// opcodeOrder is that in which o goes through them.
var opcodeOrder = []string{"SEND", "SEND_WITH_IMM", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ", "ATOMIC_CMP_AND_SWP",
	"ATOMIC_FETCH_AND_ADD", "SEND_WITH_INV", "LOCAL_INV", "BIND_MW", "RECV"}

func everyOpcode(t *testing.T, name string) {
	tm := open(t, 120, 40, terminalEnv())
	openDevice(tm, name)
	tm.Keys("3")
	for line := range strings.SplitSeq(opcodeLines, "\n") {
		tm.Type(":" + line + "\r")
	}
	tm.Until("a is RTS: SENDs can be posted", "b has no RECV posted")
	id := 0
	recv := func() {
		id++
		tm.Keys("R")
		tm.Until("b has 1 RECV posted")
	}
	at := 0
	turn := func(op string) {
		for to := slices.Index(opcodeOrder, op); at != to; at = (at + 1) % len(opcodeOrder) {
			tm.Keys("o")
		}
		tm.Until(op + " ")
	}
	post := func(ends string, shown ...string) {
		id++
		tm.Keys("enter")
		tm.Until(append([]string{fmt.Sprintf("wr_id %d %s", id, ends)}, shown...)...)
	}
	both := func(text string) { tm.UntilTimes(2, text) }

	recv()
	post("SEND SUCCESS")
	both("│hello...........│")
	turn("SEND_WITH_IMM")
	recv()
	post("SEND SUCCESS")
	both("│hello again.....│")
	turn("RDMA_WRITE")
	post("RDMA_WRITE SUCCESS")
	both("│writtengain.....│")
	turn("RDMA_WRITE_WITH_IMM")
	recv()
	post("RDMA_WRITE SUCCESS")
	both("│written with imm│")
	turn("RDMA_READ")
	post("RDMA_READ SUCCESS", "0020  77 72 69 74 74 65 6e 20  77 69 74 68 20 69 6d 6d")
	tm.Type(":write_mem dst 0x0000000000000000\r")
	tm.Until("0000  00 00 00 00 00 00 00 00  77 69 74 68 20 69 6d 6d")
	turn("ATOMIC_CMP_AND_SWP")
	post("COMP_SWAP SUCCESS", "0000  01 00 00 00 00 00 00 00  77 69 74 68", "0020  00 00 00 00 00 00 00 00  77 69 74 68")
	turn("ATOMIC_FETCH_AND_ADD")
	post("FETCH_ADD SUCCESS", "0000  02 00 00 00 00 00 00 00  77 69 74 68", "0020  01 00 00 00 00 00 00 00  77 69 74 68")

	tm.Keys("u") // b shows its region by a window, and a makes that void
	turn("BIND_MW")
	tm.Until("dst has MW_BIND")
	post("BIND_MW SUCCESS")
	tm.Keys("u")
	turn("SEND_WITH_INV")
	recv()
	tm.Until("w.rkey", "w is a window of TYPE_2")
	post("SEND SUCCESS")
	both("│hello and forget│")
	tm.Keys("u")
	turn("BIND_MW")
	post("BIND_MW SUCCESS")
	turn("LOCAL_INV")
	tm.Until("w.rkey", "w is a window of TYPE_2")
	post("LOCAL_INV SUCCESS")

	tm.Keys("u") // two requests in one call
	turn("RDMA_WRITE")
	tm.Keys("a", "a")
	tm.Until("2 collected: x posts them")
	id++
	tm.Keys("x")
	tm.Until("2 posted in one call", fmt.Sprintf("wr_id %d RDMA_WRITE SUCCESS", id+1))
	tm.Type(":post_send a RDMA_WRITE count=200 outstanding=8 signal_every=4 sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey\r")
	tm.Until("200 posted, 50 of them SIGNALED, 200 done")
	tm.Keys("q")
	tm.Until("objects are alive")
	tm.Keys("y")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}
