package program

import (
	bin "encoding/binary"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// The tests of this file run the software device, on UDP in the network namespace
// "peer" of the virtual machine, against the kernel's rxe0.

// TestSoftPingpongWithStock plays every ping-pong against its stock program.
func TestSoftPingpongWithStock(t *testing.T) {
	vmtest.Need(t)
	playPingpongs(t, softSide(t, peerAddress), slices.Concat(extremeSizes, sizesBetween))
}

// TestSoftPingpongWithStockIPv6 does the same between IPv6 addresses.
func TestSoftPingpongWithStockIPv6(t *testing.T) {
	vmtest.Need(t)
	for _, g := range games([]string{"rc-pingpong", "ud-pingpong"}, []int{64, 1024, 65536}, global6(t)) {
		t.Run(g.String(), func(t *testing.T) { g.play(t, softSide(t, peerGlobal6)) })
	}
	nothingLeft(t)
}

// TestSoftOperations runs every operation between the software device and the
// kernel's, each end as requester and as responder.
func TestSoftOperations(t *testing.T) {
	vmtest.Need(t)
	sizes := []int{0, 1, 3, 64, 1023, 1024, 1025, 4096, 65536, 1 << 20}
	for _, mtu := range []int{1024, 256} {
		t.Run(fmt.Sprint("MTU ", mtu), func(t *testing.T) {
			p := connect(t, softSide(t, peerAddress), kernelSide(t), "", mtu)
			p.bothWays(sizes, operationsHere(t))
			p.bothWays([]int{64 << 10}, manyAtOnce)
			p.leave()
			sizes = []int{3, 257, 4096} // of the smaller MTU
		})
	}
	nothingLeft(t)
}

// TestSoftOperationsIPv6 does the same between IPv6 addresses.
func TestSoftOperationsIPv6(t *testing.T) {
	vmtest.Need(t)
	p := connect(t, softSide(t, peerGlobal6), kernelSide(t), " sgid_index="+global6(t), 1024)
	p.bothWays([]int{0, 3, 1025, 65536}, operationsHere(t))
	p.leave()
	nothingLeft(t)
}

// TestSoftOperationsOverBadNetwork does the same over a wire that loses and reorders
// packets: no byte may be wrong, no completion missing. TestSoftRefusesRepeatedAtomicWrite tells why ATOMIC_WRITE is
// not among them.
func TestSoftOperationsOverBadNetwork(t *testing.T) {
	vmtest.Need(t)
	p := connect(t, softSide(t, peerAddress), kernelSide(t), "", 1024)
	for _, end := range []string{"tc qdisc add dev d0", "tc -n peer qdisc add dev d1"} {
		command(t, end+" root netem loss 5% delay 1ms reorder 25% 50%")
		t.Cleanup(func() { command(t, strings.Replace(end, " add ", " del ", 1)+" root") })
	}
	p.bothWays([]int{1, 4096}, everyOperation)
	p.bothWays([]int{512 << 10}, manyAtOnce)
	p.leave()
}

// TestSoftRefusesRepeatedAtomicWrite: rxe repeats an ATOMIC_WRITE whose packet was lost with address 0 (rxe_req.c,
// req_retry, in all versions that have the operation), and the software device repeats it with the address it was
// posted with.
func TestSoftRefusesRepeatedAtomicWrite(t *testing.T) {
	vmtest.Need(t)
	if !hasPlacement(t) {
		return
	}
	for _, tt := range []struct {
		requester int
		tc, dev   string
		status    string
	}{
		{0, "tc -n peer", "d1", "SUCCESS"},
		{1, "tc", "d0", "REM_ACCESS_ERR"},
	} {
		// the packets are lost until tc has run twice, which takes long in an emulated machine
		p := connect(t, softSide(t, peerAddress), kernelSide(t), "", 1024, "timeout=19")
		from, to := p.ends[tt.requester], p.ends[1-tt.requester]
		command(t, fmt.Sprintf("%s qdisc add dev %s root netem loss 100%%", tt.tc, tt.dev))
		from.do(fmt.Sprintf("post_send qp ATOMIC_WRITE wr_id=1 sge=src:0:8 remote_addr=0x%x rkey=%s", to.addr, to.rkey))
		eventually(t, "no packet is lost", func() bool {
			show := strings.Fields(fmt.Sprintf("%s -s qdisc show dev %s", tt.tc, tt.dev))
			out, _ := exec.Command(show[0], show[1:]...).Output()
			return regexp.MustCompile(`netem(?s:.*)dropped [1-9]`).Match(out)
		})
		command(t, fmt.Sprintf("%s qdisc del dev %s root", tt.tc, tt.dev))
		from.do("poll_cq cq n=1 timeout="+wcPatience, "expect wc wr_id=1 status="+tt.status)
		p.leave()
	}
}

// atomicStart, atomicArg and atomicSwap are the operands of the atomic operations.
const (
	atomicStart = 0x1122334455667788
	atomicArg   = 0x0102030405060708
	atomicSwap  = 0xfeedfacecafebeef
)

// native64 formats a number as it is in memory, in hex.
func native64(n uint64) string {
	return fmt.Sprintf("0x%x", bin.NativeEndian.AppendUint64(nil, n))
}
