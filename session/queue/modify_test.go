package queue_test

import (
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestModified: a modify without a state keeps the requests and the other attributes; RESET clears them.
func TestModified(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\ncreate_qp b\nconnect_qps a b\npost_recv a\npost_recv a")
	q := s.Core().Graph.ByName["a"].Body.(*queue.QP)
	before := s.Snapshot()
	dest := before.QP("a").Attr.DestQPNum
	for _, tt := range []struct {
		name  string
		attr  verbs.QPAttr
		dest  verbs.QPN
		recvs int
		state verbs.QPState
		moves int
	}{
		{"no state", verbs.QPAttr{Mask: verbs.AttrMinRNRTimer, MinRNRTimer: 5}, dest, 2, verbs.QPRTS, 0},
		{"the same state", verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrMinRNRTimer, QPState: verbs.QPRTS,
			MinRNRTimer: 5}, dest, 2, verbs.QPRTS, 0},
		{"RESET", verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}, 0, 0, verbs.QPReset, 1},
	} {
		c := &core.Call{S: s.Core()}
		queue.Modified(c, q, q.StateAt(), &tt.attr)
		snap := s.Snapshot()
		v := (&snap).QP("a")
		if v.Attr.DestQPNum != tt.dest || v.RecvPosted != tt.recvs || v.State != tt.state ||
			v.Attr.MinRNRTimer != tt.attr.MinRNRTimer || len(c.After) != tt.moves {
			t.Errorf("%s: %s, %d RECVs, dest_qp_num %s, min_rnr_timer %d, %d moves", tt.name, v.State, v.RecvPosted,
				v.Attr.DestQPNum, v.Attr.MinRNRTimer, len(c.After))
		}
	}
}
