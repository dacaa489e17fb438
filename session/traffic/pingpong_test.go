package traffic_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestPingpongRefuses: invalid arguments are refused before anything is posted.
func TestPingpongRefuses(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, `open_device soft0
alloc_pd pd
create_cq cq
reg_mr buf length=4136 access=LOCAL_WRITE
create_qp a
create_qp b
create_qp u qp_type=UD
create_qp idle
connect_qps a b
connect_qps u u
create_ah ah dgid=u.gid
alloc_pd other
create_qp v qp_type=UD pd=other
connect_qps v v`)
	const there = " remote_qpn=u.qp_num remote_qkey=0x11111111"
	for line, want := range map[string]string{
		"pingpong idle role=client":                      "idle is in RESET: connect it first",
		"pingpong a role=client n=0":                     "n must be at least 1",
		"pingpong a role=client size=4137 mr=buf":        "buf has 4,136 bytes, but a message has 4,137",
		"pingpong a role=client event=1":                 "cq has no completion channel",
		"pingpong a role=client ah=ah":                   "ah does not apply: a is RC",
		"pingpong u role=client remote_qkey=1":           "remote_qpn is missing",
		"pingpong u role=client remote_qpn=1":            "remote_qkey is missing",
		"pingpong u role=client size=4097" + there:       "a datagram is one packet, and the port's MTU is 4096 bytes",
		"pingpong u role=client size=4096 mr=no" + there: `no mr "no"`,
		"pingpong v role=client mr=buf" + there:          "no ah exists yet", // in its domain
	} {
		if done, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(done.Err, want) {
			t.Errorf("%s: %q, want %q", line, done.Err, want)
		}
	}
	for _, q := range s.Snapshot().QPs {
		if q.SendOutstanding != 0 || q.RecvPosted != 0 {
			t.Errorf("%s has %d SENDs and %d RECVs outstanding", q.Name, q.SendOutstanding, q.RecvPosted)
		}
	}
}

// TestPingpongForeignCompletion: a queue with completions of other queue pairs cannot be used for a ping-pong.
func TestPingpongForeignCompletion(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, `
create_qp c qp_type=RC send_cq=cq recv_cq=cq
create_qp d qp_type=RC send_cq=cq recv_cq=cq
connect_qps c d
post_recv d sge=dst
post_send c SEND sge=src:0:8
`)
	done, err := s.Exec(t.Context(), "pingpong a role=server mr=src size=64 n=1 timeout=20s")
	if err == nil || !strings.Contains(done.Err, "a completion of another queue pair") ||
		!strings.HasSuffix(done.Err, "give a its own completion queue") {
		t.Errorf("%v", err)
	}
}

// TestPingpongEarlyMessage starts after a message was taken live: it counts as the first, or ends the ping-pong if it
// does not fit. What other queue pairs of the queue have completed does not count.
func TestPingpongEarlyMessage(t *testing.T) {
	for name, tt := range map[string]struct {
		others string // requests of other queue pairs
		came   int    // completions before the ping-pong
		size   int
		want   string
	}{
		"the first":          {"", 1, 64, ""},
		"the first of these": {"post_recv b sge=dst\npost_send a SEND sge=src:0:8 send_flags=SIGNALED", 3, 64, ""},
		"too short":          {"", 1, 8, "message 0 has 8 bytes instead of 64"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewPair(t)
			sessiontest.RunScript(t, s, fmt.Sprintf(`
create_cq cqb cqe=16
create_cq sends cqe=16
create_qp c qp_type=RC send_cq=sends recv_cq=cq
create_qp d qp_type=RC send_cq=cqb recv_cq=cqb
connect_qps c d
post_recv c sge=dst
post_recv d sge=dst
%s
live on
post_send d SEND sge=src:0:%d
poll_cq cqb n=1 timeout=20s
expect wc qp=d opcode=SEND
`, tt.others, tt.size))
			cq := s.Core().Graph.ByName["cq"].Body.(*queue.CQ)
			for came := 0; came < tt.came; runtime.Gosched() {
				cq.Mu.Lock()
				came = cq.Inbox.Len()
				cq.Mu.Unlock()
			}
			done, err := s.Exec(t.Context(), "pingpong c role=server mr=src size=64 n=1 timeout=20s")
			if tt.want != "" {
				if err == nil || !strings.Contains(done.Err, tt.want) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := "a loop of ibv_post_send, ibv_poll_cq and ibv_post_recv"; done.Call() != want {
				t.Errorf("%s, want %s", done.Call(), want)
			}
			sessiontest.Execute(t, s, "poll_cq cqb n=1 timeout=20s")
			sessiontest.Execute(t, s, "expect wc qp=d opcode=RECV byte_len=64") // the reply
		})
	}
}

// TestPingpongCountsFailures: the completion that ends a ping-pong, and those polled with it, are counted by their
// outcome.
func TestPingpongCountsFailures(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\nreg_mr m length=64\ncreate_cq cq\ncreate_qp a\nconnect_qps a a")
	num := f.Qps[0].Number
	wcs := []verbs.WC{{WRID: 2, Status: verbs.WCRetryExcErr, QPNum: num},
		{WRID: 1, Opcode: verbs.WCRecv, ByteLen: 8, QPNum: num}, {WRID: 1, Status: verbs.WCWRFlushErr, QPNum: num}}
	next := func(to []verbs.WC) int { n := copy(to, wcs); wcs = wcs[n:]; return n }
	f.Cqs[0].Next.Store(&next)
	if done, err := s.Exec(t.Context(), "pingpong a role=client n=3 size=8 mr=m timeout=1h"); err == nil ||
		!strings.Contains(done.Err, "RETRY_EXC_ERR") {
		t.Errorf("%v", err)
	} else if !strings.Contains(done.Hint, "packets are lost") { // why it failed, not why others were flushed
		t.Errorf("hint %q", done.Hint)
	}
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindWC && (e.WC.Cause != nil) != e.WC.WC.Failed() {
			t.Errorf("%s has cause %+v", e.WC.WC.Status, e.WC.Cause)
		}
	}
	if q := s.Snapshot().QPs[0]; q.RecvPosted != 14 { // 2 of 16 have completed
		t.Errorf("%d RECVs outstanding", q.RecvPosted)
	}
	if v := s.Snapshot().CQs[0]; v.Failed != 2 || v.Completed != 1 {
		t.Errorf("%d failed, %d completed", v.Failed, v.Completed)
	}
}
