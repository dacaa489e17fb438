package bringup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestConnectTaken: a queue pair in RTS keeps its peer: connecting it to another is
// refused and moves neither; connecting it to the same peer has no effect.
func TestConnectTaken(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s,
		sessiontest.LoopbackShort+"create_qp c\nconnect_qps a b\nconnect_qps a b\nconnect_qps b a")
	for _, line := range []string{"connect_qps a c", "connect_qps c a"} {
		done, err := s.Exec(t.Context(), line)
		if err == nil || !strings.HasPrefix(done.Err, "a is in RTS and has another peer") ||
			done.Hint != "modify_qp a RESET first" {
			t.Errorf("%s: %q, %q", line, done.Err, done.Hint)
		}
	}
	sessiontest.RunScript(t, s, "expect state c RESET\nmodify_qp a RESET\nconnect_qps a c\nexpect state c RTS")
}

// TestConnectedByHand: an end that was brought to RTS step by step also shows as
// connected.
func TestConnectedByHand(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s,
		sessiontest.LoopbackShort+"modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=0\n"+
			"modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=b.psn max_dest_rd_atomic=1 min_rnr_timer=12 is_global=1 dgid=b.gid hop_limit=64\n"+
			"modify_qp a RTS sq_psn=a.psn timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1\nconnect_qps a b")
	for _, q := range s.Snapshot().QPs {
		if want := map[string]string{"a": "b", "b": "a"}[q.Name]; q.PeerName != want {
			t.Errorf("%s: peer %q, want %q", q.Name, q.PeerName, want)
		}
	}
}

// TestConnectMovedOn: a queue pair that has exchanged packets cannot be connected to
// a fresh one: it is refused, moves neither, and works once both have been reset. If
// no packets were exchanged, they are connected.
func TestConnectMovedOn(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.LoopbackShort+"connect_qps a b\nmodify_qp a RESET\nconnect_qps a b")
	const send = "\npost_recv %[2]s sge=dst\npost_send %[1]s SEND sge=src:0:8\npoll_cq cq n=2 timeout=5s\nexpect wc qp=%[1]s status=SUCCESS\n"
	for _, tt := range []struct{ from, to, want string }{
		{"a", "b", "b is in RTS and expects PSN "},
		{"b", "a", "b is in RTS and continues at PSN "},
	} {
		sessiontest.RunScript(t, s, fmt.Sprintf(send, tt.from, tt.to)+"modify_qp a RESET")
		for _, line := range []string{"connect_qps a b", "connect_qps b a"} {
			done, err := s.Exec(t.Context(), line)
			if err == nil || !strings.HasPrefix(done.Err, tt.want) || done.Hint != "modify_qp b RESET first" {
				t.Errorf("%s after a message from %s: %q, %q", line, tt.from, done.Err, done.Hint)
			}
		}
		sessiontest.RunScript(t, s, "expect state a RESET\nexpect state b RTS\nmodify_qp b RESET\nconnect_qps a b"+
			fmt.Sprintf(send, "a", "b")+
			"modify_qp a RESET\nmodify_qp b RESET\nconnect_qps a b")
	}
}

// TestConnectUnreliable: an unreliable queue pair accepts any PSN, so it can be
// connected again after receiving.
func TestConnectUnreliable(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const send = "post_recv d sge=dst\npost_send c SEND sge=src:0:8\npoll_cq cq n=2 timeout=5s\nexpect wc qp=d status=SUCCESS\n"
	sessiontest.RunScript(t, s,
		sessiontest.LoopbackShort+"create_qp c qp_type=UC\ncreate_qp d qp_type=UC\nconnect_qps c d\n"+send+
			"modify_qp c RESET\nconnect_qps c d\n"+send)
}

// TestConnectAnew: two queue pairs that were connected before, by connect_qps or by
// hand, start at new PSNs, so that a late packet of the earlier connection is not
// accepted. The first time they start at the PSNs that their peers were sent.
func TestConnectAnew(t *testing.T) {
	byHand := ""
	for _, to := range []string{
		"%[1]s INIT pkey_index=0 port_num=1 qp_access_flags=0",
		"%[1]s RTR path_mtu=1024 dest_qp_num=%[2]s.qp_num rq_psn=%[2]s.psn max_dest_rd_atomic=1 min_rnr_timer=12 is_global=1 dgid=%[2]s.gid hop_limit=64",
		"%[1]s RTS sq_psn=%[1]s.psn timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1",
	} {
		byHand += fmt.Sprintf("modify_qp "+to+"\n", "a", "b") + fmt.Sprintf("modify_qp "+to+"\n", "b", "a")
	}
	for _, tt := range []struct{ name, first, reset string }{
		{"connect_qps", "connect_qps a b", "modify_qp a RESET\nmodify_qp b RESET\n"},
		{"by hand", byHand, "modify_qp a RESET\nmodify_qp b RESET\n"},
		{"by hand, to INIT", byHand,
			"modify_qp a RESET\nmodify_qp b RESET\nmodify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sessiontest.NewSoft(t, core.Options{})
			sessiontest.RunScript(t, s, sessiontest.LoopbackShort)
			psns := func() (p []verbs.PSN) {
				for _, q := range s.Snapshot().QPs {
					p = append(p, q.PSN)
				}
				return p
			}
			told := psns()
			sessiontest.RunScript(t, s, tt.first)
			if first := psns(); !slices.Equal(first, told) {
				t.Errorf("connected at PSNs %v, want %v", first, told)
			}
			sessiontest.RunScript(t, s, tt.reset+"connect_qps a b")
			for i, psn := range psns() {
				if psn == told[i] {
					t.Errorf("connected again at PSN %v", psn)
				}
			}
			sessiontest.RunScript(t, s, "post_recv b sge=dst\npost_send a SEND sge=src:0:8\npoll_cq cq n=2 timeout=5s\nexpect wc qp=b status=SUCCESS")
		})
	}
}

// TestPeerGone: a queue pair whose peer was destroyed has none, also when another takes the name.
func TestPeerGone(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.LoopbackShort+"connect_qps a b")
	for _, line := range []string{"destroy_qp a", "create_qp a"} {
		sessiontest.RunScript(t, s, line)
		snap := s.Snapshot()
		if q := snap.QP("b"); q.PeerName != "" || snap.ConnectedTo(q) != "" {
			t.Errorf("after %s the peer is %q, %q", line, q.PeerName, snap.ConnectedTo(q))
		}
	}
}
