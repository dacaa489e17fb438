package soft

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"testing"

	"rdmatui/verbs"
)

// loopbackProvider makes a provider with both devices on addresses of 127.0.0.0/8 that no other test is likely to use
// at the moment.
func loopbackProvider(t testing.TB) *Provider {
	t.Helper()
	for range 20 {
		var addrs []netip.Addr
		for range maxDevices {
			addrs = append(addrs,
				netip.AddrFrom4([4]byte{127, byte(1 + rand.N(250)), byte(rand.N(250)), byte(1 + rand.N(250))}))
		}
		if p := New(Options{UDP: &UDPOptions{Addrs: addrs}}); len(p.Notes()) == 0 {
			return p
		}
	}
	t.Skip("UDP port 4791 is not available here")
	return nil
}

// peerVariable makes this test binary the peer of TestTwoProcesses.
const peerVariable = "RDMATUI_TEST_SOFT_PEER"

// peerSize is the length of a message: several packets.
const peerSize = 5000

// TestTwoProcesses connects a queue pair of this process with one of another and sends a message each way.
func TestTwoProcesses(t *testing.T) {
	if os.Getenv(peerVariable) != "" {
		talk(t, os.Stdin, os.Stdout, "child", "parent")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcesses$", "-test.v=false")
	cmd.Env = append(os.Environ(), peerVariable+"=1")
	cmd.Stderr = os.Stderr
	in := must(cmd.StdinPipe())(t)
	out := must(cmd.StdoutPipe())(t)
	ok(t, cmd.Start())
	talk(t, out, in, "parent", "child")
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error("the other process:", err)
	}
}

// talk is one side: it exchanges queue pair numbers over pipes, and then sends and receives messages.
func talk(t *testing.T, in io.Reader, out io.Writer, me, other string) {
	o := pairOptions{GIDIndex: -1, Timeout: patient}.WithDefaults()
	s := newSide(t, loopbackProvider(t), "soft0", o)
	src, dst := s.NewMR(peerSize, verbs.LocalWrite), s.NewMR(peerSize, verbs.LocalWrite)
	fill(t, src, pattern(peerSize, me[0]), 0)
	fmt.Fprintln(out, uint32(s.QP.Num()), s.GID.GID)
	var num uint32
	var text string
	words := bufio.NewReader(in)
	if _, err := fmt.Fscan(words, &num, &text); err != nil {
		t.Fatal(err)
	}
	gid := must(verbs.ParseGID(text))(t)
	ok(t, s.ToInit(o))
	ok(t, s.QP.Modify(s.RtrAttr(o, gid, verbs.QPN(num), 0)))
	ok(t, s.QP.Modify(rtsAttr(o, 0)))
	s.Recv(verbs.RecvWR{WRID: 2, SGList: sge(dst, 0, peerSize)})
	fmt.Fprintln(out, "ready")
	if _, err := fmt.Fscan(words, &text); err != nil {
		t.Fatal(err)
	}
	s.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, peerSize)})
	for _, wc := range s.Wait(2) {
		if wc.Status != verbs.WCSuccess {
			t.Errorf("%+v", wc)
		}
	}
	wantBytes(t, dst, pattern(peerSize, other[0]), 0)
	// The last acknowledgement must not be lost with the process.
	fmt.Fprintln(out, "done")
	if _, err := fmt.Fscan(words, &text); err != nil {
		t.Fatal(err)
	}
}
