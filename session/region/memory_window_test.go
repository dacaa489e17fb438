package region_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// windows is a loopback with a region that peers can access through windows only.
const windows = sessiontest.Loopback + `
reg_mr shown length=4096 access=LOCAL_WRITE|MW_BIND
alloc_mw one
alloc_mw two type=TYPE_2
write_mem src "hello"
`

// TestWindowsByScript exercises all window operations; each line names its objects by
// reference.
func TestWindowsByScript(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, windows+`
bind_mw b one mr=shown addr=shown.addr+1024 length=64 mw_access_flags=REMOTE_WRITE|REMOTE_READ wr_id=1
poll_cq cq timeout=5s
expect wc wr_id=1 opcode=BIND_MW status=SUCCESS
post_send a RDMA_WRITE sge=src:0:5 remote_addr=one.addr rkey=one.rkey wr_id=2
poll_cq cq timeout=5s
expect wc wr_id=2 status=SUCCESS
expect mem shown 1024 "hello"
bind_mw b one length=0 wr_id=3
poll_cq cq timeout=5s
expect wc wr_id=3 status=SUCCESS
post_send b BIND_MW mw=two mr=shown length=128 mw_access_flags=REMOTE_WRITE|ZERO_BASED wr_id=4
poll_cq cq timeout=5s
expect wc wr_id=4 opcode=BIND_MW
post_send a RDMA_WRITE sge=src:0:5 remote_addr=16 rkey=two.rkey wr_id=5
poll_cq cq timeout=5s
expect wc wr_id=5 status=SUCCESS
expect mem shown 16 "hello"
post_send b LOCAL_INV invalidate_rkey=two.rkey wr_id=6
poll_cq cq timeout=5s
expect wc wr_id=6 opcode=LOCAL_INV status=SUCCESS
post_send b BIND_MW mw=two mw_access_flags=REMOTE_READ wr_id=7
poll_cq cq timeout=5s
post_recv b sge=dst wr_id=8
post_send a SEND_WITH_INV sge=src:0:5 invalidate_rkey=two.rkey wr_id=9
poll_cq cq n=2 timeout=5s
expect wc wr_id=8 status=SUCCESS byte_len=5
dereg_mr shown
dealloc_mw two
dealloc_mw one
`)
	for _, c := range sessiontest.Commands(s) {
		if c.Check != "" {
			t.Errorf("%s: %s", c.Line, c.Check)
		}
	}
}

// windowStep is a line and the expected snapshot of the window two after it.
type windowStep struct {
	line   string
	fails  bool
	mr, qp string
	length uint64
}

// TestWindowView follows a window's view through successful and failed requests, and
// the destruction of its region and queue pair.
func TestWindowView(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, windows)
	for _, st := range []windowStep{
		{line: "post_send b BIND_MW mw=two mr=shown length=128", mr: "shown", qp: "b", length: 128},
		{line: "poll_cq cq timeout=5s", mr: "shown", qp: "b", length: 128},
		{line: "dereg_mr shown", fails: true, mr: "shown", qp: "b", length: 128},
		{line: "destroy_qp b", fails: true, mr: "shown", qp: "b", length: 128},
		{line: "post_send b LOCAL_INV invalidate_rkey=two.rkey"},
		{line: "poll_cq cq timeout=5s"},
		{line: "post_send b BIND_MW mw=two mr=dst length=8", mr: "dst", qp: "b", length: 8}, // region lacks MW_BIND
		{line: "poll_cq cq timeout=5s"},
		{line: "modify_qp b RESET"},
		{line: "modify_qp a RESET"},
		{line: "connect_qps a b"},
		{line: "post_send b BIND_MW mw=two mr=shown length=64", mr: "shown", qp: "b", length: 64},
		{line: "post_recv b", mr: "shown", qp: "b", length: 64},
		{line: "post_send a SEND_WITH_INV invalidate_rkey=two.rkey", mr: "shown", qp: "b", length: 64},
		{line: "poll_cq cq n=3 timeout=5s"},
		// to the region's end
		{line: "post_send b BIND_MW mw=two mr=shown addr=shown.addr+96", mr: "shown", qp: "b", length: 4000},
		{line: "poll_cq cq timeout=5s", mr: "shown", qp: "b", length: 4000},
		{line: "modify_qp b RESET"},
	} {
		done, err := s.Exec(t.Context(), st.line)
		if (err != nil) != st.fails {
			t.Fatalf("%s: %v", st.line, err)
		}
		at := slices.IndexFunc(s.Snapshot().MWs, func(v core.MWView) bool { return v.Name == "two" })
		v := s.Snapshot().MWs[at]
		if v.MR != st.mr || v.QP != st.qp || v.Length != st.length || v.Type != verbs.MWType2 {
			t.Errorf("after %s: %+v", st.line, v)
		}
		if st.fails && !(errors.Is(err, syscall.EBUSY) && strings.Contains(done.Err, "two")) {
			t.Errorf("%s: %s", st.line, done.Err)
		}
		if st.line == "destroy_qp b" && done.Took != 0 {
			t.Errorf("%s: the device was called", st.line)
		}
	}
}

// TestWindowUndo: a failed binding undoes those posted after it, but not one posted
// after the failure.
func TestWindowUndo(t *testing.T) {
	for name, steps := range map[string]string{ // 1 to 9: post; A to I: that one fails
		"0": "", "1": "1", "2": "12", "one fails": "1A", "the second fails": "12B",
		"both fail": "12AB", "the last, then the first": "12BA",
		"the first, which takes the second": "12A", "again after a failure": "1A2", "again, and it fails": "1A2B",
		"a third time": "1A2B3C", "between": "123BC",
	} {
		want := map[string]uint32{"1": 1, "2": 2, "the second fails": 1, "again after a failure": 2, "between": 1}[name]
		w, undo := &region.MW{}, map[rune]func(){}
		for _, step := range steps {
			if step < 'A' {
				undo[step-'1'+'A'] = w.Show(region.Binding{RKey: uint32(step - '0')})
			} else {
				undo[step]()
			}
		}
		if got := w.Now().RKey; got != want {
			t.Errorf("%s: shows %d, want %d", name, got, want)
		}
	}
}

// TestWindowsGoFirst closes a session whose window is older than its region and queue pair: the window is closed first.
func TestWindowsGoFirst(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, `
open_device soft0
alloc_pd pd
alloc_mw w type=TYPE_2
create_cq cq
create_qp a
create_qp b
connect_qps a b
reg_mr shown length=64 access=LOCAL_WRITE|MW_BIND
post_send b BIND_MW
poll_cq cq timeout=5s
expect wc opcode=BIND_MW status=SUCCESS
`)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestWindowChecks: each mistake is warned of before the call.
func TestWindowChecks(t *testing.T) {
	for line, want := range map[string]string{
		"bind_mw b one mr=dst":                                                                   "dst lacks MW_BIND",
		"bind_mw b one mr=shown addr=shown.addr+4000 length=97":                                  "97 bytes at 4000 are not inside shown",
		"bind_mw b one mw_access_flags=ZERO_BASED":                                               "ZERO_BASED",
		"post_send b LOCAL_INV invalidate_rkey=shown.rkey":                                       "belongs to no window: only a window of TYPE_2",
		"post_send a SEND_WITH_INV invalidate_rkey=1":                                            "invalidate_rkey 0x1 belongs to no window",
		"post_send a RDMA_READ sge=src:0:1 remote_addr=0 rkey=two.rkey":                          "two is not bound",
		"post_send b BIND_MW mw=two mr=shown rkey=0x1":                                           "only the low 8 bits",
		"expect error EINVAL post_send b BIND_MW mw=two mr=shown mw_access_flags=LOCAL_WRITE":    "",
		"expect error EPERM bind_mw b one mr=elsewhere":                                          "",
		"post_send a RDMA_WRITE sge=src:0:1 remote_addr=shown.addr+4095 rkey=shown.rkey wr_id=5": "shown lacks REMOTE_WRITE",
	} {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunScript(t, s, windows+"alloc_pd other\nreg_mr elsewhere pd=other length=64 access=MW_BIND\n")
		done, _ := s.Exec(t.Context(), line)
		if !strings.Contains(done.Check, want) || want == "" && done.Err != "" {
			t.Errorf("%s: %q, %s; want %q", line, done.Check, done.Err, want)
		}
	}
}

// TestReregByScript changes a region, and warns of requests that still use it.
func TestReregByScript(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+`
write_mem src "hello"
rereg_mr dst access=LOCAL_WRITE|REMOTE_READ length=8192
post_send a RDMA_READ sge=src:0:5 remote_addr=dst.addr+8000 rkey=dst.rkey wr_id=1
poll_cq cq timeout=5s
expect wc wr_id=1 status=SUCCESS
alloc_pd other
rereg_mr dst pd=other
expect error EBUSY dealloc_pd other
rereg_mr dst pd=pd
dealloc_pd other
post_recv b sge=dst count=3
`)
	done, err := s.Exec(t.Context(), "rereg_mr dst access=LOCAL_WRITE")
	if err != nil || !strings.Contains(done.Check, "3 of b") {
		t.Errorf("%v, %q", err, done.Check)
	}
	for _, v := range s.Snapshot().MRs {
		if v.Name == "dst" && (v.Length != 8192 || v.Access != verbs.LocalWrite || v.PD != "pd") {
			t.Errorf("%+v", v)
		}
	}
	sessiontest.RunScript(t, s, "post_recv b sge=src")
	if done, err = s.Exec(t.Context(), "dereg_mr src"); err != nil || !strings.Contains(done.Check, "src: 1 of b") {
		t.Errorf("%v, %q", err, done.Check)
	}
}

// TestReregKeepsKeys: keys that a change replaces are remembered as invalid, and those that it keeps are not.
func TestReregKeepsKeys(t *testing.T) {
	keeping, _ := sessiontest.NewFaked(t, core.Options{}) // whose end counts goroutines
	replacing := sessiontest.NewSoft(t, core.Options{})
	for device, want := range map[string]int{"soft0": 1, "fake0": 0} {
		s := map[string]*session.Session{"soft0": replacing, "fake0": keeping}[device]
		sessiontest.RunScript(t, s,
			"open_device "+device+"\nalloc_pd pd\nreg_mr m pd=pd length=64\nrereg_mr m access=LOCAL_WRITE")
		if got := s.Core().Departed().MRs; len(got) != want || s.Snapshot().MRs[0].Access != verbs.LocalWrite {
			t.Errorf("%s: %d regions with invalid keys, want %d: %+v", device, len(got), want, got)
		}
	}
}

// TestBindWithoutCompletion: the completion of a later request with the same number is not that of a bind that
// completes silently.
func TestBindWithoutCompletion(t *testing.T) {
	for flags, want := range map[string]verbs.WROpcode{"0": verbs.WRRDMAWrite, "SIGNALED": verbs.WRBindMW} {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunScript(t, s,
			windows+"bind_mw b one mr=shown length=64 mw_access_flags=REMOTE_WRITE wr_id=5 send_flags="+
				flags+
				"\npost_send b RDMA_WRITE wr_id=5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED\npoll_cq cq timeout=5s")
		events := s.Timeline().Snapshot()
		found := slices.IndexFunc(events, func(e timeline.Event) bool { return e.Kind == timeline.KindWC })
		if found < 0 || events[found].WC.Opcode != want {
			t.Errorf("send_flags=%s: the first completion is of %s, want %s", flags, events[found].WC.Opcode, want)
		}
	}
}
