package program

import (
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// groups sends datagrams to a multicast group, from rdmatui to the stock program and
// back, on rxe0 and on the software device. The stock program sleeps for seconds, so
// the rxe0 cases run in parallel.
func groups(t *testing.T) {
	kernel, soft := kernelSide(t), softSide(t, peerAddress)
	t.Run("all", func(t *testing.T) {
		t.Run("rxe0 sends", func(t *testing.T) { t.Parallel(); groupOf(t, kernel, "239.7.0.1", true) })
		t.Run("rxe0 receives", func(t *testing.T) { t.Parallel(); groupOf(t, kernel, "239.7.0.2", false) })
		t.Run("the software device", func(t *testing.T) {
			t.Parallel()
			groupOf(t, soft, "239.7.0.3", true)
			groupOf(t, soft, "239.7.0.4", false)
		})
	})
	noConnections(t)
	nothingLeft(t)
}

// groupOf plays mckey with the stock program on rxe0. The receiver joins first:
// earlier datagrams are lost.
func groupOf(t *testing.T, us side, group string, weSend bool) {
	ours := []string{"scenario", "mckey", "--bind", us.address, group}
	stock := []string{"-oL", vmtest.Program(t, "mckey"), "-m", group, "-b", address}
	if weSend {
		receiver := prepare(t, "stdbuf", stock...)
		said := receiver.startTold(t)
		eventually(t, "mckey does not join", func() bool { return strings.Contains(said(), "joined dgid") })
		bothDone(t, us.start(t, ours...), receiver)
		return
	}
	receiver := us.prepare(t, append(ours, "--server")...)
	said := receiver.startTold(t)
	eventually(t, "we do not join", func() bool { return strings.Contains(said(), "cm MULTICAST_JOIN") })
	if vmtest.KernelAtLeast(t, 6, 4) {
		// On Linux 6.12 usually only the first datagram of the stock sender leaves rxe; stock receivers wait in vain
		// too.
		bothDone(t, kernelSide(t).start(t, "scenario", "mckey", "--bind", address, group), receiver)
		return
	}
	bothDone(t, start(t, "stdbuf", append(stock, "-s")...), receiver)
}
