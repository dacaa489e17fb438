package queue_test

import (
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// TestOtherTypesFields: arguments that do not apply to the queue pair's type are
// refused in one line, and nothing is posted or changed.
func TestOtherTypesFields(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s,
		sessiontest.LoopbackShort+"create_qp c qp_type=UC\n"+
			"create_qp u qp_type=UD\ncreate_ah ah dgid=b.gid\nconnect_qps a b")
	for line, want := range map[string]string{
		"post_send a SEND ah=ah remote_qpn=3 remote_qkey=4": "ah does not apply: a is RC, and only UD requests name a destination",
		"post_send a SEND remote_qpn=3 remote_qkey=4":       "remote_qpn does not apply: a is RC",
		"connect_qps u u rnr_retry=1":                       "rnr_retry does not apply: no transition of a UD queue pair to RTS accepts it",
		"connect_qps u u path_mtu=1024":                     "path_mtu does not apply",
		"connect_qps c c timeout=3":                         "timeout does not apply: no transition of a UC queue pair",
		"connect_qps c c qkey=3":                            "qkey does not apply",
	} {
		done, err := s.Exec(t.Context(), line)
		if err == nil || !strings.HasPrefix(done.Err, want) || strings.Contains(done.Err, "\n") {
			t.Errorf("%s: %q, want %q", line, done.Err, want)
		}
	}
	sessiontest.RunScript(t, s,
		"expect state u RESET\nexpect state c RESET\nconnect_qps u u qkey=3\nconnect_qps c c sl=0 path_mtu=512")
	for _, q := range s.Snapshot().QPs {
		if q.SendOutstanding != 0 {
			t.Errorf("%s has %d requests outstanding", q.Name, q.SendOutstanding)
		}
	}
}
