package post_test

import (
	"strings"
	"testing"

	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
)

// TestChain: the requests of a chain are posted in one call, in order: the last WRITE
// wins, and only the last is SIGNALED.
func TestChain(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, `
write_mem src "onetwoend"
post_recv b wr_id=90 sge=dst:64:64
`)
	const to = " remote_addr=dst.addr rkey=dst.rkey"
	d := sessiontest.Execute(t, s, "chain post_send a RDMA_WRITE wr_id=1 sge=src:0:3 send_flags=0"+to+
		"; post_send a RDMA_WRITE wr_id=2 sge=src:3:3 send_flags=0"+to+" ; post_send a SEND wr_id=3 sge=src:6:3")
	if want := "3 posted in one call, 3 outstanding"; d.Result != want {
		t.Errorf("%q, want %q", d.Result, want)
	}
	if n := strings.Count(d.Call(), ".wr_id"); n != 3 || strings.Count(d.Call(), "ibv_post_send") != 1 {
		t.Errorf("call %s", d.Call())
	}
	sessiontest.RunScript(t, s, `
poll_cq cq n=2 timeout=30s
expect wc wr_id=3 status=SUCCESS
expect wc wr_id=90 status=SUCCESS byte_len=3
expect mem dst 0 "two"
expect mem dst 64 "end"
`)
}

// TestChainOfRECVs: the call lists the requests of a chain in order.
func TestChainOfRECVs(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, "create_srq srq")
	for line, call := range map[string]string{
		"chain post_recv b wr_id=5 sge=dst:0:8 ; post_recv b wr_id=6":             "ibv_post_recv(b, ",
		"chain post_srq_recv srq wr_id=5 sge=dst:0:8 ; post_srq_recv srq wr_id=6": "ibv_post_srq_recv(srq, ",
	} {
		d := sessiontest.Execute(t, s, line)
		first, second := strings.Index(d.Call(), ".wr_id = 5"), strings.Index(d.Call(), ".wr_id = 6")
		if !strings.HasPrefix(d.Call(), call) || first < 0 || second < first ||
			strings.Count(d.Call(), "sg_list") != 1 {
			t.Errorf("%s: %s", line, d.Call())
		}
	}
}

// TestChainTellsBadWR: the error names the index of the refused request; those before
// it are executed.
func TestChainTellsBadWR(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, `write_mem src "abc"`)
	d, err := s.Exec(t.Context(),
		"chain post_send a RDMA_WRITE wr_id=5 sge=src:0:3 remote_addr=dst.addr rkey=dst.rkey ; "+
			"post_send a SEND wr_id=6 sge=src,src,src,src,src ; post_send a SEND wr_id=7 sge=src:0:1")
	if err == nil ||
		!strings.Contains(d.Err, "bad_wr is request 2 of 3 (SEND, wr_id 6); the one before it was posted") {
		t.Fatalf("%v, %q", err, d.Err)
	}
	if !strings.Contains(d.Hint, "5 SGEs: max_send_sge is 4") || strings.Contains(d.Check, "outstanding") ||
		!strings.Contains(d.Check, "request 2: 5 SGEs: max_send_sge is 4") {
		t.Errorf("hint %q, check %q", d.Hint, d.Check)
	}
	sessiontest.RunScript(t, s, `
poll_cq cq n=1 timeout=30s
expect wc wr_id=5 status=SUCCESS
expect mem dst 0 "abc"
`)
	if v := s.Snapshot(); v.QPs[0].SendOutstanding != 0 {
		t.Errorf("%d outstanding", v.QPs[0].SendOutstanding)
	}
}

// TestChainFillsTheQueue: if a chain is longer than the queue, the requests that fit are posted.
func TestChainFillsTheQueue(t *testing.T) {
	s := sessiontest.NewPair(t)
	for n, want := range map[int]bool{8: false, 9: true} {
		s := sessiontest.NewPair(t)
		chain := strings.Repeat("; post_send a RDMA_WRITE sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey send_flags=0",
			n)
		if d, _ := s.Exec(t.Context(), "chain "+chain[2:]); strings.Contains(d.Check, "max_send_wr") != want {
			t.Errorf("%d requests: check %q", n, d.Check)
		}
	}
	links := strings.Repeat("; post_send a RDMA_WRITE sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey send_flags=0", 9)
	d, err := s.Exec(t.Context(), "chain "+links[2:])
	if err == nil || !strings.Contains(d.Err, "bad_wr is request 9 of 9") ||
		d.Check != "request 9: no room: 0 of 8 requests are outstanding, 8 in the chain (max_send_wr)" {
		t.Errorf("%q, check %q", d.Err, d.Check)
	}
}

// TestChainRefusedBehindBind: a refused request after one that binds a window undoes
// only its own changes.
func TestChainRefusedBehindBind(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s,
		"reg_mr shown length=64 access=LOCAL_WRITE|REMOTE_WRITE|MW_BIND\nalloc_mw two type=TYPE_2")
	d, err := s.Exec(t.Context(),
		"chain post_send a BIND_MW mw=two mr=shown length=64 mw_access_flags=REMOTE_WRITE wr_id=1 ; "+
			"post_send a SEND wr_id=2 sge=src,src,src,src,src")
	if err == nil || !strings.Contains(d.Err, "bad_wr is request 2 of 2") {
		t.Fatalf("%v, %q", err, d.Err)
	}
	sessiontest.RunScript(t, s, "poll_cq cq timeout=30s\nexpect wc wr_id=1 opcode=BIND_MW status=SUCCESS")
	if w := s.Snapshot().MWs[0]; w.MR != "shown" {
		t.Errorf("the window shows %q", w.MR)
	}
}

func TestChainOfRecvs(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, `
chain post_recv b wr_id=1 sge=dst:0:8 ; post_recv b wr_id=2 sge=dst:8:8
write_mem src "firstsecond"
chain post_send a SEND sge=src:0:5 ; post_send a SEND sge=src:5:6
poll_cq cq n=4 timeout=30s
expect wc wr_id=1 byte_len=5
expect wc wr_id=2 byte_len=6
expect mem dst 0 "first"
expect mem dst 8 "second"
`)
}

func TestChainRefuses(t *testing.T) {
	s := sessiontest.NewPair(t)
	for line, want := range map[string]string{
		"chain post_send a SEND ; post_recv a":         "do not go into one chain",
		"chain post_send a SEND ; alloc_pd x":          "alloc_pd cannot be in a chain",
		"chain post_send a SEND ;":                     "there is no request between",
		"chain ; post_send a SEND":                     "there is no request between",
		"chain post_send a SEND ; post_send a SEND n=": "has no argument",
		"chain post_send a SEND ; post_send b SEND":    "for another queue than the first",
		"chain post_send a SEND count=2":               "count does not apply to a request in a chain",
		"chain post_send a SEND ; post_send c SEND":    "request 2 of 2",
	} {
		d, err := s.Exec(t.Context(), line)
		if err == nil || !strings.Contains(d.Err, want) {
			t.Errorf("%s: %q, want %q", line, d.Err, want)
		}
	}
	if n := s.Snapshot().QPs[0].SendOutstanding; n != 0 {
		t.Errorf("%d were posted", n)
	}
}

// TestChainChecks: a line in a chain gets the same warnings as a line of its own.
func TestChainChecks(t *testing.T) {
	for _, line := range []string{
		"post_send a RDMA_WRITE sge=src:0:8 remote_addr=src.addr rkey=src.rkey",
		"post_send u SEND sge=src:0:8 ah=ah remote_qpn=1 remote_qkey=1 send_flags=INLINE",
		"post_recv b sge=none", "post_recv u sge=src", "post_srq_recv srq sge=none",
	} {
		check := func(before string) string {
			s := sessiontest.NewPair(t)
			sessiontest.RunScript(t, s, "reg_mr none length=8 access=0\ncreate_srq srq\ncreate_qp u qp_type=UD send_cq=cq recv_cq=cq\ncreate_ah ah dgid=a.gid")
			done, _ := s.Exec(t.Context(), before+line)
			return done.Check
		}
		if alone := check(""); alone == "" || !strings.Contains(check("chain "), alone) {
			t.Errorf("%s: %q in a chain, %q alone", line, check("chain "), alone)
		}
	}
}

// TestPostingWakesPollers: every post wakes the poller of the completion queue in
// which the request will complete, and no other.
func TestPostingWakesPollers(t *testing.T) {
	for line, want := range map[string]string{
		"post_send a SEND sge=src:0:8": "sends", "post_recv a sge=src": "recvs", "post_srq_recv srq sge=src": "shared",
		"chain post_send a SEND sge=src:0:8": "sends", "chain post_recv a sge=src": "recvs",
		"chain post_srq_recv srq sge=src":      "shared",
		"post_send a SEND sge=src:0:8 count=3": "sends", "post_recv a sge=src count=3": "recvs",
		"post_srq_recv srq sge=src count=3": "shared",
	} {
		s := sessiontest.NewPair(t)
		sessiontest.RunScript(t, s, "destroy_qp a\ncreate_cq sends\ncreate_cq recvs\ncreate_cq shared\ncreate_srq srq\ncreate_qp c srq=srq send_cq=cq recv_cq=shared\n"+
			"create_qp a send_cq=sends recv_cq=recvs\nmodify_qp b RESET\nconnect_qps a b")
		sessiontest.Execute(t, s, line)
		woken := ""
		for _, name := range []string{"cq", "sends", "recvs", "shared"} {
			if len(s.Core().Graph.ByName[name].Body.(*queue.CQ).Wake) > 0 {
				woken += name
			}
		}
		if woken != want {
			t.Errorf("%s: woken %q, want %s", line, woken, want)
		}
	}
}

// TestChainHint: the hint is about the refused request, not the chain.
func TestChainHint(t *testing.T) {
	s := sessiontest.NewPair(t)
	d, err := s.Exec(t.Context(),
		"chain post_recv b wr_id=5 sge=dst ; post_recv b wr_id=6 sge=dst,dst,dst,dst,dst,dst,dst,dst")
	one, _ := s.Exec(t.Context(), "post_recv b wr_id=6 sge=dst,dst,dst,dst,dst,dst,dst,dst")
	if err == nil || one.Hint == "" || d.Hint != one.Hint {
		t.Errorf("%v: hint %q, alone %q", err, d.Hint, one.Hint)
	}
}
