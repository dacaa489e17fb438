package completions

import (
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
)

// TestEntriesNeeded: a queue needs an entry for each request whose completion it gets. The RECVs of a shared receive
// queue complete where a queue pair that takes them has its receive queue, however many such queue pairs there are.
func TestEntriesNeeded(t *testing.T) {
	caps := verbs.QPCap{MaxSendWR: 10, MaxRecvWR: 100}
	v := &session.Snapshot{
		QPs: []session.QPView{
			{Name: "a", SendCQ: "send", RecvCQ: "recv", Cap: caps},
			{Name: "b", SendCQ: "both", RecvCQ: "both", Cap: caps},
			{Name: "c", SendCQ: "send", RecvCQ: "shared", SRQ: "s", Cap: caps},
			{Name: "d", SendCQ: "send", RecvCQ: "shared", SRQ: "s", Cap: caps},
			{Name: "e", SendCQ: "send", RecvCQ: "shared", SRQ: "t", Cap: caps},
		},
		SRQs: []session.SRQView{{Name: "s", MaxWR: 1000}, {Name: "t", MaxWR: 2000}, {Name: "unused", MaxWR: 4000}},
	}
	for cq, want := range map[string]int{"send": 40, "recv": 100, "both": 110, "shared": 3000, "idle": 0} {
		if got := entriesNeeded(cq, v); got != want {
			t.Errorf("%s: %d, want %d", cq, got, want)
		}
	}
}
