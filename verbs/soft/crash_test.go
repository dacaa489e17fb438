package soft

import (
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// TestCrashIsTold makes the engine panic on its first packet. The device
// must still close.
func TestCrashIsTold(t *testing.T) {
	type crash struct {
		reason any
		stack  string
	}
	told := make(chan crash, 2)
	p := New(Options{Crashed: func(reason any, stack []byte) { told <- crash{reason, string(stack)} }})
	a, _ := connect(t, p, "soft0", "soft0", pairOptions{})
	p.Fabric().SetTap(func(*link.Packet) { panic("fell over") })
	must(a.QP.PostSend(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}))(t)
	if c := <-told; c.reason != "fell over" || !strings.Contains(c.stack, ".(*Engine).run(") {
		t.Errorf("reported %v at\n%s", c.reason, c.stack)
	}
}
