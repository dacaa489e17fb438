package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestEveryOpcode posts each operation by keys alone and checks its bytes in both
// memories.
func TestEveryOpcode(t *testing.T) {
	everyOpcode(t, "soft0")
}

func TestEveryOpcodeOnKernel(t *testing.T) {
	vmtest.Need(t)
	everyOpcode(t, device)
	nothingLeft(t)
}

// opcodeLines make the objects that all kinds of requests need.
const opcodeLines = `alloc_pd pd
reg_mr src length=4096 access=LOCAL_WRITE
reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND
alloc_mw w type=TYPE_2
create_cq cq cqe=64
create_qp a send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
create_qp b send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
connect_qps a b qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC`

// opcodeOrder is the order in which t cycles through them.
var opcodeOrder = []string{"SEND", "SEND_WITH_IMM", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM",
	"RDMA_READ", "ATOMIC_CMP_AND_SWP",
	"ATOMIC_FETCH_AND_ADD", "SEND_WITH_INV", "LOCAL_INV", "BIND_MW", "RECV"}

func everyOpcode(t *testing.T, name string) {
	tm := open(t, 120, 40, terminalEnv())
	openDevice(tm, name)
	tm.Keys("3")
	for line := range strings.SplitSeq(opcodeLines, "\n") {
		tm.Type(":" + line + "\r\r")
	}
	tm.Until("a is RTS: SENDs can be posted", "b has no RECV posted")
	p := &poster{tm: tm}
	p.recv()
	p.post("SEND SUCCESS")
	p.both("│hello...........│")
	p.turn("SEND_WITH_IMM")
	p.recv()
	p.post("SEND SUCCESS")
	p.both("│hello again.....│")
	p.turn("RDMA_WRITE")
	p.post("RDMA_WRITE SUCCESS")
	p.both("│writtengain.....│")
	p.turn("RDMA_WRITE_WITH_IMM")
	p.recv()
	p.post("RDMA_WRITE SUCCESS")
	p.both("│written with imm│")
	p.turn("RDMA_READ")
	p.post("RDMA_READ SUCCESS", "0020  77 72 69 74 74 65 6e 20  77 69 74 68 20 69 6d 6d")
	tm.Type(":write_mem dst 0x0000000000000000\r\r")
	tm.Until("0000  00 00 00 00 00 00 00 00  77 69 74 68 20 69 6d 6d")
	p.turn("ATOMIC_CMP_AND_SWP")
	p.post("COMP_SWAP SUCCESS", "0000  01 00 00 00 00 00 00 00  77 69 74 68",
		"0020  00 00 00 00 00 00 00 00  77 69 74 68")
	p.turn("ATOMIC_FETCH_AND_ADD")
	p.post("FETCH_ADD SUCCESS", "0000  02 00 00 00 00 00 00 00  77 69 74 68",
		"0020  01 00 00 00 00 00 00 00  77 69 74 68")

	p.windows()
	tm.Keys("o") // two requests in one call
	p.turn("RDMA_WRITE")
	tm.Keys("a", "a")
	tm.Until("2 collected: s posts them")
	tm.Keys("s")
	tm.Until("2 posted in one call", fmt.Sprintf("wr_id %d RDMA_WRITE SUCCESS", p.id+2))
	tm.Type(":post_send a RDMA_WRITE count=200 outstanding=8 signal_every=4 sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey\r\r")
	tm.Until("200 posted, 50 of them SIGNALED, 200 done")
	leave(t, tm, "objects exist")
}

// windows binds a memory window, and invalidates it from the peer and locally.
func (p *poster) windows() {
	tm := p.tm
	tm.Keys("o") // b shows its region by a window, and a invalidates that
	p.turn("BIND_MW")
	tm.Until("dst has MW_BIND")
	p.post("BIND_MW SUCCESS")
	tm.Keys("o")
	p.turn("SEND_WITH_INV")
	p.recv()
	tm.Until("w.rkey", "w is a window of TYPE_2")
	p.post("SEND SUCCESS")
	p.both("│hello and forget│")
	tm.Keys("o")
	p.turn("BIND_MW")
	p.post("BIND_MW SUCCESS")
	p.turn("LOCAL_INV")
	tm.Until("w.rkey", "w is a window of TYPE_2")
	p.post("LOCAL_INV SUCCESS")
}

// poster posts requests on the Post screen.
type poster struct {
	tm     *uitest.Terminal
	id, at int // the last wr_id; the selected opcode
}

// recv posts a RECV at the far end.
func (p *poster) recv() {
	p.id++
	p.tm.Keys("R")
	p.tm.Until("b has 1 RECV posted")
}

// turn selects an opcode.
func (p *poster) turn(op string) {
	for to := slices.Index(opcodeOrder, op); p.at != to; p.at = (p.at + 1) % len(opcodeOrder) {
		p.tm.Keys("t")
	}
	p.tm.Until(op + " ")
}

// post posts the form and waits for its status, and for the texts shown then.
func (p *poster) post(ends string, shown ...string) {
	p.id++
	p.tm.Keys("enter")
	p.tm.Until(append([]string{fmt.Sprintf("wr_id %d %s", p.id, ends)}, shown...)...)
}

// both checks for a text in both memories.
func (p *poster) both(text string) { p.tm.UntilTimes(2, text) }
