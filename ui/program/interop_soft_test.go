package program

import (
	bin "encoding/binary"
	"fmt"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// The tests of this file run the software device, on UDP in the network namespace
// "peer" of the virtual machine, against the kernel's rxe0.

// TestSoftPingpongWithStock plays every ping-pong against its stock program.
func TestSoftPingpongWithStock(t *testing.T) {
	vmtest.Need(t)
	for _, g := range games(pingpongs, pingpongSizes, "1") {
		t.Run(g.String(), func(t *testing.T) { g.play(t, softSide(t, peerAddress)) })
	}
	nothingLeft(t)
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
// packets: no byte may be wrong, no completion missing.
func TestSoftOperationsOverBadNetwork(t *testing.T) {
	vmtest.Need(t)
	p := connect(t, softSide(t, peerAddress), kernelSide(t), "", 1024)
	for _, end := range []string{"tc qdisc add dev d0", "tc -n peer qdisc add dev d1"} {
		command(t, end+" root netem loss 5% delay 1ms reorder 25% 50%")
		t.Cleanup(func() { command(t, strings.Replace(end, " add ", " del ", 1)+" root") })
	}
	p.bothWays([]int{1, 4096}, operationsHere(t))
	p.bothWays([]int{512 << 10}, manyAtOnce)
	p.leave()
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
