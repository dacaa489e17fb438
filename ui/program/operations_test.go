package program

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// wired is two consoles with connected queue pairs.
type wired struct {
	t    testing.TB
	ends [2]*wiredEnd
	ops  int // begun so far
}

// wiredEnd is one of them. Each has a region src, the source of its requests, and a
// region dst, which the peer may access.
type wiredEnd struct {
	*console
	addr uint64 // of dst
	rkey string
}

const (
	// wiredRoom is the length of the regions, longer than any message.
	wiredRoom = 1<<20 + 4096
	// guard is how many bytes after a message must stay unchanged.
	guard = 64
	// wcPatience bounds the wait for completions.
	wcPatience = "50s"
)

var regMRResult = regexp.MustCompile(`^addr (0x[0-9a-f]+), lkey 0x[0-9a-f]+, rkey (0x[0-9a-f]+)$`)

// connect starts a console on each side and connects their queue pairs, with more attributes. The second is
// the server of the exchange; exchangeArg is added to its exchange command.
func connect(t testing.TB, a, b side, exchangeArg string, mtu int, more ...string) *wired {
	t.Helper()
	w := &wired{t: t}
	rights, ops := "REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC", ""
	if hasPlacement(t) {
		rights, ops = rights+"|FLUSH_GLOBAL", " send_ops_flags=FLUSH|ATOMIC_WRITE"
	}
	for i, s := range []side{a, b} {
		e := &wiredEnd{console: s.console(t)}
		e.do("open_device "+s.device, "alloc_pd pd", "create_cq cq cqe=64")
		e.do(fmt.Sprintf("reg_mr src length=%d access=LOCAL_WRITE", wiredRoom))
		reg := e.do(fmt.Sprintf("reg_mr dst length=%d access=LOCAL_WRITE|%s", wiredRoom, rights))
		m := regMRResult.FindStringSubmatch(reg)
		if m == nil {
			e.fail("reg_mr says " + reg)
		}
		fmt.Sscan(m[1], &e.addr)
		e.rkey = m[2]
		e.do("create_qp qp qp_type=RC" + ops)
		w.ends[i] = e
	}
	client, server, port := w.ends[0], w.ends[1], freePort()
	serve := "exchange peer qp=qp port=" + port + exchangeArg
	server.begin(serve)
	server.await("waiting for a peer")
	client.do("exchange peer qp=qp address=" + b.address + " port=" + port)
	server.await(serve)
	for _, e := range w.ends {
		e.do(fmt.Sprintf("connect_qps qp peer path_mtu=%d max_rd_atomic=4 max_dest_rd_atomic=4 "+
			"qp_access_flags=%s %s", mtu, rights, strings.Join(more, " ")))
	}
	return w
}

func (w *wired) leave() {
	w.t.Helper()
	for _, e := range w.ends {
		e.leave()
	}
}

// transfer is one operation to try. Patterns start at different offsets, so that
// bytes of an earlier operation are noticed.
type transfer struct {
	requester, responder *wiredEnd
	size, id             int
}

// there names the responder's memory.
func (x *transfer) there() string { return x.at(0) }

// fill puts the message into one region and other bytes where it should arrive.
func (x *transfer) fill(from *wiredEnd, fromMR string, to *wiredEnd, toMR string) {
	from.do(fmt.Sprintf("write_mem %s pattern:%d:%d", fromMR, x.size, x.id))
	to.do(fmt.Sprintf("write_mem %s pattern:%d:%d", toMR, x.size+guard, x.id+100))
}

// check checks that the message arrived and nothing after it changed.
func (x *transfer) check(at *wiredEnd, mr string) {
	at.do(fmt.Sprintf("expect mem %s 0 pattern:%d:%d", mr, x.size, x.id),
		fmt.Sprintf("expect mem %s %d pattern:%d:%d", mr, x.size, guard, x.id+100+x.size))
}

// request posts a request and waits for its completion.
func (x *transfer) request(opcode, rest string) {
	x.requester.do(fmt.Sprintf("post_send qp %s wr_id=%d sge=src:0:%d %s", opcode, x.id, x.size, rest),
		"poll_cq cq n=1 timeout="+wcPatience, fmt.Sprintf("expect wc wr_id=%d status=SUCCESS", x.id))
}

// received waits for the completion of a RECV.
func (x *transfer) received(want string) {
	x.responder.do("poll_cq cq n=1 timeout="+wcPatience,
		fmt.Sprintf("expect wc wr_id=%d status=SUCCESS %s", x.id, want))
}

// operation tries one kind of request.
type operation struct {
	name string
	try  func(*transfer)
}

// everyOperation is every RC operation on the memory of both ends.
var everyOperation = []operation{
	{"WRITE", func(x *transfer) {
		x.fill(x.requester, "src", x.responder, "dst")
		x.request("RDMA_WRITE", x.there())
		x.check(x.responder, "dst")
	}},
	{"READ", func(x *transfer) {
		x.fill(x.responder, "dst", x.requester, "src")
		x.request("RDMA_READ", x.there())
		x.check(x.requester, "src")
	}},
	{"SEND", func(x *transfer) {
		x.fill(x.requester, "src", x.responder, "dst")
		x.responder.do(fmt.Sprintf("post_recv qp wr_id=%d sge=dst:0:%d", x.id, x.size+guard))
		x.request("SEND", "")
		x.received(fmt.Sprintf("opcode=RECV byte_len=%d", x.size))
		x.check(x.responder, "dst")
	}},
	{"SEND_WITH_IMM", func(x *transfer) {
		x.fill(x.requester, "src", x.responder, "dst")
		// exactly the size of the message
		x.responder.do(fmt.Sprintf("post_recv qp wr_id=%d sge=dst:0:%d", x.id, x.size))
		x.request("SEND_WITH_IMM", fmt.Sprintf("imm_data=%d", x.id+7))
		x.received(fmt.Sprintf("opcode=RECV byte_len=%d imm_data=%d", x.size, x.id+7))
		x.check(x.responder, "dst")
	}},
	{"WRITE_WITH_IMM", func(x *transfer) {
		x.fill(x.requester, "src", x.responder, "dst")
		x.responder.do(fmt.Sprintf("post_recv qp wr_id=%d", x.id))
		x.request("RDMA_WRITE_WITH_IMM", fmt.Sprintf("imm_data=%d %s", x.id+9, x.there()))
		x.received(fmt.Sprintf("opcode=RECV_RDMA_WITH_IMM byte_len=%d imm_data=%d", x.size, x.id+9))
		x.check(x.responder, "dst")
	}},
	{"FETCH_AND_ADD", func(x *transfer) { x.atomic("ATOMIC_FETCH_AND_ADD", "", atomicStart+atomicArg) }},
	{"CMP_AND_SWP, not equal", func(x *transfer) {
		x.atomic("ATOMIC_CMP_AND_SWP", fmt.Sprintf(" swap=%d", uint64(atomicSwap)), atomicStart)
	}},
	{"CMP_AND_SWP, equal", func(x *transfer) {
		x.responder.do("write_mem dst " + native64(atomicArg))
		x.fetch("ATOMIC_CMP_AND_SWP", fmt.Sprintf(" swap=%d", uint64(atomicSwap)), atomicArg, atomicSwap)
	}},
}

// placementOperations are those of annex A19, in Linux since 6.2. FLUSH is not among them: rxe's opcode table lacks its
// payload offset, so its ICRC covers the headers twice and matches no other implementation's.
var placementOperations = []operation{
	{"ATOMIC_WRITE", func(x *transfer) {
		x.size = 8
		x.fill(x.requester, "src", x.responder, "dst")
		x.request("ATOMIC_WRITE", x.there())
		x.check(x.responder, "dst")
	}},
}

// hasPlacement reports whether the machine's kernel has them.
func hasPlacement(t testing.TB) bool { return vmtest.KernelAtLeast(t, 6, 2) }

// operationsHere is every operation that the machine's kernel has.
func operationsHere(t testing.TB) []operation {
	if hasPlacement(t) {
		return slices.Concat(everyOperation, placementOperations)
	}
	return everyOperation
}

// atomic tries an atomic operation on a number that differs from its operand.
func (x *transfer) atomic(opcode, rest string, after uint64) {
	x.responder.do("write_mem dst " + native64(atomicStart))
	x.fetch(opcode, rest, atomicStart, after)
}

// fetch checks the old number at the requester and the new one at the responder.
func (x *transfer) fetch(opcode, rest string, before, after uint64) {
	x.requester.do("write_mem src 0x0000000000000000")
	x.size = 8
	x.request(opcode, fmt.Sprintf("%s compare_add=%d%s", x.there(), uint64(atomicArg), rest))
	x.requester.do("expect mem src 0 " + native64(before))
	x.responder.do("expect mem dst 0 " + native64(after))
}

// manyAtOnce are operations with several requests outstanding.
var manyAtOnce = []operation{
	{"WRITEs", func(x *transfer) {
		x.fill(x.requester, "src", x.responder, "dst")
		x.pieces("RDMA_WRITE", x.at)
		x.check(x.responder, "dst")
	}},
	{"READs", func(x *transfer) {
		x.fill(x.responder, "dst", x.requester, "src")
		x.pieces("RDMA_READ", x.at)
		x.check(x.requester, "src")
	}},
	{"SENDs", func(x *transfer) {
		x.fill(x.requester, "src", x.responder, "dst")
		n := x.size / outstanding
		for i := range outstanding {
			x.responder.do(fmt.Sprintf("post_recv qp wr_id=%d sge=dst:%d:%d", x.piece(i), i*n, n))
		}
		x.pieces("SEND", func(int) string { return "" })
		x.arrived(x.responder, fmt.Sprintf("opcode=RECV byte_len=%d", n))
		x.check(x.responder, "dst")
	}},
}

// outstanding is how many requests manyAtOnce posts before it waits.
const outstanding = 8

// piece returns the wr_id of a part of the transfer.
func (x *transfer) piece(i int) int { return x.id*outstanding + i }

// at names the responder's memory from an offset.
func (x *transfer) at(offset int) string {
	return fmt.Sprintf("remote_addr=0x%x rkey=%s", x.responder.addr+uint64(offset), x.responder.rkey)
}

// pieces posts the transfer in parts and waits for all completions.
func (x *transfer) pieces(opcode string, rest func(offset int) string) {
	n := x.size / outstanding
	for i := range outstanding {
		x.requester.do(fmt.Sprintf("post_send qp %s wr_id=%d sge=src:%d:%d %s", opcode, x.piece(i), i*n, n, rest(i*n)))
	}
	x.arrived(x.requester, "")
}

// arrived waits for the completion of every part.
func (x *transfer) arrived(at *wiredEnd, want string) {
	at.do(fmt.Sprintf("poll_cq cq n=%d timeout=%s", outstanding, wcPatience))
	for i := range outstanding {
		at.do(fmt.Sprintf("expect wc wr_id=%d status=SUCCESS %s", x.piece(i), want))
	}
}

// bothWays tries operations with each end as the requester.
func (w *wired) bothWays(sizes []int, ops []operation) {
	w.t.Helper()
	for i, requester := range w.ends {
		for _, size := range sizes {
			for _, op := range ops {
				if (strings.Contains(op.name, "_AND_") || op.name == "ATOMIC_WRITE") && size != sizes[0] {
					continue // atomics have a fixed size
				}
				w.ops++
				w.t.Logf("end %d, %s of %d bytes", i, op.name, size)
				op.try(&transfer{requester, w.ends[1-i], size, w.ops})
			}
		}
	}
}
