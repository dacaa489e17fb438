package program

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// The two ends in the virtual machine: the kernel's device on d0, and the software device at d1, in the network
// namespace "peer".
const (
	device        = "rxe0"
	address       = "10.9.0.1"
	kernelGlobal6 = "fd00:9::1"
	peerAddress   = "10.9.0.2"
	peerGlobal6   = "fd00:9::2"
)

// side is one of the two ends of an interop test: how to start a program there, on
// which device, and where the other side reaches it.
type side struct {
	command []string // prepended to a program's arguments
	device  string
	address string
}

// kernelSide runs rdmatui on the kernel's device.
func kernelSide(t testing.TB) side {
	return side{[]string{vmtest.Binary(t)}, device, address}
}

// softSide runs rdmatui on the software device with the given address.
func softSide(t testing.TB, addr string) side {
	command := []string{"ip", "netns", "exec", "peer", vmtest.Binary(t), "--provider", "soft", "--soft", addr}
	return side{command, "soft0", peerAddress}
}

// prepare makes the command of rdmatui without starting it.
func (s side) prepare(t testing.TB, args ...string) *program {
	t.Helper()
	return prepare(t, s.command[0], slices.Concat(s.command[1:], args)...)
}

// start starts rdmatui on the side.
func (s side) start(t testing.TB, args ...string) *program {
	t.Helper()
	return start(t, s.command[0], slices.Concat(s.command[1:], args)...)
}

// rowOf returns the index in rxe0's GID table of the GID with this suffix.
func rowOf(suffix string) string {
	return rowWhere(device, func(gid string) bool { return strings.HasSuffix(gid, suffix) })
}

// rowWhere returns the first index in a device's GID table whose GID, as the kernel formats it,
// satisfies is; "" for none.
func rowWhere(device string, is func(gid string) bool) string {
	for _, i := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		b, _ := os.ReadFile("/sys/class/infiniband/" + device + "/ports/1/gids/" + i)
		if is(strings.TrimSpace(string(b))) {
			return i
		}
	}
	return ""
}

// global6 gives both ends of the wire a global IPv6 address, and returns its index in
// rxe0's GID table.
func global6(t testing.TB) string {
	t.Helper()
	command(t, "ip addr replace "+kernelGlobal6+"/64 dev d0 nodad")
	command(t, "ip -n peer addr replace "+peerGlobal6+"/64 dev d1 nodad")
	var row string
	eventually(t, "rxe0 has no GID "+kernelGlobal6, func() bool {
		row = rowOf("fd00:0009:0000:0000:0000:0000:0000:0001")
		return row != ""
	})
	return row
}

// command runs a command that must succeed, such as ip.
func command(t testing.TB, line string) {
	t.Helper()
	words := strings.Fields(line)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
}

// nothingLeft checks that the kernel has no object left that a program made. rxe
// itself keeps a QP, a CQ and a PD for management.
func nothingLeft(t *testing.T) {
	t.Helper()
	nothingLeftOn(t, device)
}

// nothingLeftOn is nothingLeft for one device.
func nothingLeftOn(t *testing.T, device string) {
	t.Helper()
	var out []byte
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var err error
		out, err = exec.Command("rdma", "resource", "show", device).CombinedOutput()
		if err != nil {
			t.Fatalf("rdma resource: %v: %s", err, out)
		}
		if strings.Contains(string(out), "pd 1 cq 1 qp 1 cm_id 0 mr 0 ctx 0 srq 0") {
			return
		}
	}
	t.Errorf("objects are left: %s", out)
}
