package session_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestHintOfRefusedModify: where a driver refuses a change in which the session finds nothing wrong, the hint names
// what to look at. On the way to RTR that is the path, otherwise state and limits. What the session has found comes
// first.
func TestHintOfRefusedModify(t *testing.T) {
	const init = "modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE"
	const rtr = "modify_qp a RTR path_mtu=1024 dest_qp_num=18 rq_psn=1 max_dest_rd_atomic=1 min_rnr_timer=12 dlid=8"
	const rts = "modify_qp a RTS sq_psn=1 timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1"
	const path, limits = "check that sgid_index is a row in use", "read the state with query_qp a"
	for _, tt := range []struct {
		name, line string
		before     []string // lines that the driver accepts
		want       string
	}{
		{"to INIT", init, nil, limits},
		{"to RTR", rtr, []string{init}, path},
		{"to RTS", rts, []string{init, rtr}, limits},
		{"no state", "modify_qp a min_rnr_timer=5", []string{init, rtr, rts}, limits},
		{"what was found", rtr, nil, "RESET → RTR"},
	} {
		s, f := sessiontest.Card(t, sessiontest.InfiniBand(verbs.PortActive, 7))
		sessiontest.RunScript(t, s, "open_device\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		for _, line := range tt.before {
			sessiontest.Execute(t, s, line)
		}
		f.Qps[0].SetState(verbs.QPErr)
		done, err := s.Exec(t.Context(), tt.line)
		if !errors.Is(err, syscall.EINVAL) || !strings.Contains(done.Hint, tt.want) {
			t.Errorf("%s: %v, hint %q, want %q", tt.name, err, done.Hint, tt.want)
		}
	}
}
