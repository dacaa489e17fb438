package post_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

const writeByte = " sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey"

// TestStreamKeepsOutstanding posts many more requests than the queue holds, keeping a
// few outstanding and every fourth SIGNALED; exactly the completions of those appear.
func TestStreamKeepsOutstanding(t *testing.T) {
	s := sessiontest.NewPair(t)
	d := sessiontest.Execute(t, s, "post_send a RDMA_WRITE wr_id=100 count=1001 outstanding=8 signal_every=4"+writeByte)
	if !strings.HasPrefix(d.Result, "1001 posted, 251 of them SIGNALED, 1001 done in ") {
		t.Errorf("%q", d.Result)
	}
	v := s.Snapshot()
	if v.QPs[0].SendOutstanding != 0 || v.CQs[0].Completed != 251 {
		t.Errorf("%d outstanding, %d completed", v.QPs[0].SendOutstanding, v.CQs[0].Completed)
	}
	sessiontest.RunScript(t, s, "expect wc wr_id=1100 status=SUCCESS opcode=RDMA_WRITE\nexpect wc wr_id=103")
	if _, err := s.Exec(t.Context(), "expect wc wr_id=102"); err == nil {
		t.Error("one that is not SIGNALED has completed")
	}
	if d := sessiontest.Execute(t, s, "post_send a RDMA_WRITE wr_id=50 count=3 outstanding=1"+
		writeByte); !strings.HasPrefix(d.Result, "3 posted, 3 of them SIGNALED, 3 done in ") {
		t.Errorf("one at a time: %q", d.Result)
	}
	if d := sessiontest.Execute(t, s,
		"post_send a RDMA_WRITE wr_id=60 outstanding=1"+writeByte); !strings.HasPrefix(d.Result,
		"1 posted, 1 of them SIGNALED, 1 done in ") {
		t.Errorf("without a count: %q", d.Result)
	}
	if d := sessiontest.Execute(t, s, "post_send a RDMA_WRITE"+writeByte); !strings.Contains(d.Resolved, "wr_id=1101") {
		t.Errorf("the next number: %s", d.Resolved)
	}
}

// TestStreamIsSeen: a running stream shows its outstanding requests.
func TestStreamIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessiontest.NewPair(t)
		ctx, stop := context.WithCancel(t.Context())
		if n := s.Snapshot().QPs[0].SendOutstanding; n != 0 {
			t.Fatal(n)
		}
		done := make(chan error)
		go func() {
			_, err := s.Exec(ctx, "post_send a SEND count=0 outstanding=3")
			done <- err
		}()
		synctest.Wait()
		if n := s.Snapshot().QPs[0].SendOutstanding; n != 3 {
			t.Errorf("%d outstanding, want 3", n)
		}
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestStreamNumbersGoRound: a wr_id wraps around, and the session's own numbers do
// not continue from it.
func TestStreamNumbersGoRound(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.Execute(t, s, "post_send a RDMA_WRITE wr_id=18446744073709551614 count=4 outstanding=2"+writeByte)
	sessiontest.RunScript(t, s, "expect wc wr_id=18446744073709551615\nexpect wc wr_id=1")
	if d := sessiontest.Execute(t, s, "post_send a RDMA_WRITE wr_id=0 count=1"+writeByte); !strings.Contains(d.Result,
		"1 posted") {
		t.Errorf("%q", d.Result)
	}
	if _, err := s.Exec(t.Context(), "post_send a RDMA_WRITE wr_id=0 count=0 outstanding=99 sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey send_flags=0"); err == nil {
		t.Error("the stream was posted")
	}
	if d := sessiontest.Execute(t, s, "post_send a RDMA_WRITE"+writeByte); !strings.Contains(d.Resolved, "wr_id=2 ") {
		t.Errorf("the next number: %s", d.Resolved)
	}
}

// TestStreamLive: in a live session the poller stays away, and the counts are the
// same.
func TestStreamLive(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, "live on")
	sessiontest.Execute(t, s, "post_send a RDMA_WRITE count=500 outstanding=3"+writeByte)
	if v := s.Snapshot(); v.CQs[0].Completed != 500 || v.QPs[0].SendOutstanding != 0 {
		t.Errorf("%+v", v.CQs[0])
	}
	if sessiontest.QueueOfName(t, s, "cq").Claimed {
		t.Error("the queue stays claimed")
	}
}

// TestStreamAtOnce: without outstanding= all are posted at once, until the queue is
// full.
func TestStreamAtOnce(t *testing.T) {
	s := sessiontest.NewPair(t)
	d, err := s.Exec(t.Context(), "post_send a RDMA_WRITE wr_id=1 count=9 send_flags=0"+writeByte)
	if err == nil || d.Errno != "ENOMEM" || !strings.Contains(d.Err, "after 8 of 9") {
		t.Errorf("%q %s", d.Err, d.Errno)
	}
}

// TestStreamStopsAtAFailure: the first failure ends the stream, and the error names
// it.
func TestStreamStopsAtAFailure(t *testing.T) {
	s := sessiontest.NewPair(t)
	d, err := s.Exec(t.Context(),
		"post_send a RDMA_WRITE wr_id=1 count=100 outstanding=4 sge=src:0:1 remote_addr=dst.addr rkey=0x1")
	if err == nil || !strings.Contains(d.Err, "wr_id 1 ended with REM_ACCESS_ERR: 0 were done") || d.Hint == "" {
		t.Errorf("%q, hint %q", d.Err, d.Hint)
	}
	if v := s.Snapshot(); v.QPs[0].SendOutstanding != 0 || v.QPs[0].State != verbs.QPErr {
		t.Errorf("%d outstanding in %s", v.QPs[0].SendOutstanding, v.QPs[0].State)
	}
}

// TestStreamIsStopped: an endless stream reports its progress, and ends when it is
// stopped.
func TestStreamIsStopped(t *testing.T) {
	s := sessiontest.NewPair(t)
	done := make(chan error, 1)
	go func() {
		_, err := s.Exec(context.Background(), "post_send a RDMA_WRITE count=0 outstanding=8"+writeByte)
		done <- err
	}()
	for w, ok := s.Waiting(); !ok || w.Progress == "" || strings.HasPrefix(w.Progress, "0 "); w, ok = s.Waiting() {
		select {
		case err := <-done:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	s.StopWaiting()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "posted, ") {
		t.Errorf("%v", err)
	}
	sessiontest.Execute(t, s, "poll_cq cq")
}

func TestStreamRefuses(t *testing.T) {
	s := sessiontest.NewPair(t)
	for args, want := range map[string]string{
		"count=0":                                   "needs outstanding=",
		"count=5 outstanding=0":                     "outstanding is at least 1",
		"count=5 signal_every=0":                    "signal_every is at least 1",
		"count=5 outstanding=4 signal_every=5":      "no outstanding request would be SIGNALED",
		"count=5 outstanding=4 send_flags=0":        "no request would generate",
		"count=18446744073709551615":                "too large",
		"count=9223372036854775807":                 "too many at once",
		"count=9 outstanding=9":                     "after 8 of 9",
		"count=5 outstanding=4 remote_addr=dst.len": "dst",
	} {
		d, err := s.Exec(t.Context(), "post_send a RDMA_WRITE sge=src:0:1 rkey=dst.rkey "+remoteAddr(args))
		if err == nil || !strings.Contains(d.Err, want) {
			t.Errorf("%s: %q, want %q", args, d.Err, want)
		}
	}
}

func remoteAddr(args string) string {
	if strings.Contains(args, "remote_addr") {
		return args
	}
	return "remote_addr=dst.addr " + args
}

// TestStreamIsStoppedAmongCompletions: a stream can be stopped even if every poll
// returns a completion.
func TestStreamIsStoppedAmongCompletions(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\nreg_mr src length=64 access=LOCAL_WRITE\ncreate_cq cq\n"+
		"create_qp a send_cq=cq recv_cq=cq\nmodify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0")
	f.Qps[0].SetState(verbs.QPRTS)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wrID, polls := uint64(7), 0
	next := func(wcs []verbs.WC) int {
		if polls++; polls == 10 {
			cancel()
		}
		if polls > 1000 {
			t.Error("the run continues")
			return 0
		}
		wcs[0] = verbs.WC{WRID: wrID, QPNum: f.Qps[0].Number, Opcode: verbs.WCSend}
		wrID++
		return 1
	}
	f.Cqs[0].Next.Store(&next)
	d, err := s.Exec(ctx, "post_send a SEND wr_id=7 sge=src:0:1 count=0 outstanding=1 send_flags=SIGNALED")
	if !errors.Is(err, context.Canceled) || polls > 11 {
		t.Errorf("%q after %d polls: %v", d.Err, polls, err)
	}
	f.Cqs[0].Next.Store(nil)
}

// TestPollExplainsTheFirstFailure: a poll explains the first failed completion that
// it takes, even after successful ones.
func TestPollExplainsTheFirstFailure(t *testing.T) {
	s := sessiontest.NewPair(t)
	sessiontest.RunScript(t, s, "post_send a RDMA_WRITE wr_id=1"+writeByte+
		"\npost_send a RDMA_WRITE wr_id=2 sge=src:0:1 remote_addr=dst.addr rkey=0x1\npost_send a RDMA_WRITE wr_id=3"+
		writeByte)
	if d := sessiontest.Execute(t, s, "poll_cq cq n=3 timeout=30s"); !strings.HasPrefix(d.Hint,
		"rkey 0x1 belongs to no region of b; dst's rkey is 0x") {
		t.Errorf("hint %q of %s", d.Hint, d.Result)
	}
	sessiontest.RunScript(t, s,
		"modify_qp a RESET\nmodify_qp b RESET\nconnect_qps a b\npost_send a RDMA_WRITE"+writeByte)
	if d := sessiontest.Execute(t, s, "poll_cq cq timeout=30s"); d.Hint != "" {
		t.Errorf("hint %q of %s", d.Hint, d.Result)
	}
}
