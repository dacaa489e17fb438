package soft

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// ways are the pairs of devices that must reach each other.
var ways = []struct{ from, to string }{{"soft0", "soft0"}, {"soft0", "soft1"}, {"soft1", "soft0"}, {"soft1", "soft1"}}

func TestSendReachesEveryDevice(t *testing.T) {
	for _, w := range ways {
		for _, gid := range []int{-1, 1} {
			t.Run(fmt.Sprint(w.from, " to ", w.to, " GID ", max(gid, 0)), func(t *testing.T) {
				a, b := connect(t, New(Options{}), w.from, w.to, pairOptions{gidIndex: gid})
				src, dst := a.newMR(100, verbs.LocalWrite), b.newMR(100, verbs.LocalWrite)
				fill(t, src, pattern(100, 1), 0)
				b.recv(verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, 100)})
				a.send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 100)})
				if wc := b.want(1, verbs.WCSuccess); wc.ByteLen != 100 || wc.Opcode != verbs.WCRecv {
					t.Errorf("%+v", wc)
				}
				a.want(2, verbs.WCSuccess)
				wantBytes(t, dst, pattern(100, 1), 0)
			})
		}
	}
}
