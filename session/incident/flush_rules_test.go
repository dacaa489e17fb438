package incident

import (
	"testing"
	"time"

	"rdmatui/verbs"
)

// TestCauseOfFlush: what flushed a request is the newest change of its queue pair to a state that flushes, also if the
// queue pair was reset later, but not if it was brought up again.
func TestCauseOfFlush(t *testing.T) {
	at := 1100 * time.Millisecond // after the request was posted
	by := func(qp string, to verbs.QPState) moment {
		at += time.Millisecond
		return move(qp, to, "modify_qp", "modify_qp "+qp+" "+to.String(), at)
	}
	found := func(qp string, to verbs.QPState, cause string) moment {
		at += time.Millisecond
		return move(qp, to, cause, "", at)
	}
	const toErr = "modify_qp a ERR moved a to ERR while the request was queued"
	for _, tt := range []struct {
		name    string
		history []moment
		want    string
	}{
		{"nothing happened", nil, ""},
		{"to ERR", []moment{by("a", verbs.QPErr)}, toErr},
		{"to SQE", []moment{by("a", verbs.QPSQE)}, "modify_qp a SQE moved a to SQE while the request was queued"},
		{"reset", []moment{by("a", verbs.QPErr), by("a", verbs.QPReset)}, toErr},
		{"reset and INIT", []moment{by("a", verbs.QPErr), by("a", verbs.QPReset), by("a", verbs.QPInit)}, toErr},
		{"only reset", []moment{by("a", verbs.QPReset)}, ""},
		{"only brought up", []moment{by("a", verbs.QPInit), by("a", verbs.QPRTR), by("a", verbs.QPRTS)}, ""},
		{"receives again", []moment{by("a", verbs.QPErr), by("a", verbs.QPReset), by("a", verbs.QPInit),
			by("a", verbs.QPRTR)}, ""},
		{"sends again", []moment{by("a", verbs.QPSQE), by("a", verbs.QPRTS)}, ""},
		{"is drained", []moment{by("a", verbs.QPSQD)}, ""},
		{"another's move", []moment{by("a", verbs.QPErr), by("b", verbs.QPRTS)}, toErr},
		{"only another's move", []moment{by("b", verbs.QPErr)}, ""},
		{"to ERR by itself", []moment{found("a", verbs.QPErr, "rdma_disconnect")},
			"a went from RTS to ERR: rdma_disconnect"},
		{"to SQE by itself", []moment{found("a", verbs.QPSQE, "async QP_REQ_ERR")},
			"a went from RTS to SQE: async QP_REQ_ERR"},
		{"seen by a query", []moment{found("a", verbs.QPErr, "query_qp")}, ""},
		{"seen by a completion", []moment{found("a", verbs.QPErr, "completion WR_FLUSH_ERR")}, ""},
		{"sends again by itself", []moment{by("a", verbs.QPErr), found("a", verbs.QPRTS, "rdma_connect")}, ""},
	} {
		s := newScene(verbs.WCWRFlushErr, verbs.WRSend)
		s.history = tt.history
		got := ""
		if f := s.cause(); f != nil {
			got = f.text
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
