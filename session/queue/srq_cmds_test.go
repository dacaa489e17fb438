package queue_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// shared makes two queue pairs on one receive queue.
const shared = `
open_device
alloc_pd
reg_mr m length=64 access=LOCAL_WRITE
create_cq sends
create_cq cq
create_srq srq max_wr=8 max_sge=2
create_qp a send_cq=sends recv_cq=cq srq=srq
create_qp b send_cq=cq recv_cq=cq srq=srq
`

func TestSRQCommandsReachTheProvider(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, shared)
	srq := f.Srqs[0]
	for i, qp := range f.Qps {
		if qp.Spec.SRQ != verbs.SRQ(srq) {
			t.Errorf("queue pair %d is made with %v", i, qp.Spec.SRQ)
		}
	}
	for _, tt := range []struct{ line, call, result, check string }{
		{"create_srq max_wr=3", "ibv_create_srq(pd, {.attr = {.max_wr = 3, .max_sge = 1}})", "max_wr 3, max_sge 1", ""},
		{"create_srq max_wr=99999", "", "", "max_wr is more than the device's max_srq_wr 1024"},
		{"create_qp c srq=srq max_recv_wr=9 send_cq=cq", ".recv_cq = cq, .srq = srq, .cap", "",
			"max_recv_wr is ignored: receive requests come from srq"},
		{"modify_srq srq srq_limit=3", "ibv_modify_srq(srq, {.srq_limit = 3}, IBV_SRQ_LIMIT)",
			"0 outstanding, srq_limit 3", ""},
		{"modify_srq srq srq_limit=2 max_wr=7", "IBV_SRQ_MAX_WR|IBV_SRQ_LIMIT)",
			"0 outstanding, max_wr 7, srq_limit 2", ""},
		{"modify_srq srq", "ibv_modify_srq(srq, {}, 0)", "", "nothing to change"},
		{"query_srq srq", "ibv_query_srq(srq, &attr)", "max_wr=7 max_sge=2 srq_limit=2", ""},
		{"post_srq_recv srq wr_id=4 sge=m:0:8 count=3", "ibv_post_srq_recv(srq, {.wr_id = 4, .sg_list = {{.addr = 0x1000, .length = 8, .lkey = 0x11}}, .num_sge = 1}, &bad_wr)", "posted, 3 outstanding", ""},
		{"post_srq_recv srq wr_id=5 sge=m:0:1,m:1:1,m:2:1", "", "posted, 4 outstanding", "3 SGEs: max_sge is 2"},
		{"post_srq_recv srq wr_id=srq.max_wr", ".wr_id = 7", "", ""},
	} {
		d := sessiontest.Execute(t, s, tt.line)
		if !strings.Contains(d.Call(), tt.call) || !strings.Contains(d.Result, tt.result) ||
			!strings.Contains(d.Check, tt.check) || tt.check == "" && d.Check != "" {
			t.Errorf("%s\ncall %s\nresult %s\ncheck %s\nwant %s; %s; %s", tt.line, d.Call(), d.Result, d.Check, tt.call,
				tt.result, tt.check)
		}
	}
	if srq.Attr.MaxWR != 7 || srq.Attr.Limit != 2 || len(srq.Recvs) != 5 || srq.Recvs[4].WRID != 7 {
		t.Errorf("%+v %+v", srq.Attr, srq.Recvs)
	}
}

// TestSRQKeepsWhatWasModified shows the size and the limit that modify_srq set.
func TestSRQKeepsWhatWasModified(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, session.Options{})
	sessiontest.RunScript(t, s, shared+"modify_srq srq max_wr=7\nmodify_srq srq srq_limit=3")
	if v := s.Snapshot().SRQs[0]; v.MaxWR != 7 || v.Limit != 3 {
		t.Errorf("%+v", v)
	}
}

func TestSRQRefusals(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, shared)
	for _, tt := range []struct{ line, errno, hint string }{
		{"post_recv a", "EINVAL", "post_srq_recv srq"},
		{"post_srq_recv srq count=9", "ENOMEM", "no room for 9: 0 of 8 RECVs are posted to srq (max_wr)"},
		{"destroy_srq srq", "EBUSY", "close a, b first"},
		{"create_qp x srq=cq send_cq=cq", "", ""},
		{"create_qp x srq=nothing send_cq=cq", "", ""},
		{"pingpong a role=client", "", ""},
	} {
		d, err := s.Exec(t.Context(), tt.line)
		if err == nil || d.Errno != tt.errno || !strings.Contains(d.Hint, tt.hint) {
			t.Errorf("%s: %v, errno %q, hint %q", tt.line, err, d.Errno, d.Hint)
		}
	}
	if got := s.Snapshot().SRQs[0].RecvPosted; got != 8 {
		t.Errorf("%d requests counted, 8 were accepted before the queue was full", got)
	}
	f.Fail["srq"], f.Fail["modify_srq"] = syscall.EOPNOTSUPP, syscall.EINVAL
	for line, hint := range map[string]string{"create_srq y": "no shared receive queues",
		"modify_srq srq srq_limit=99": "less than max_wr"} {
		if d, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(d.Hint, hint) {
			t.Errorf("%s: %v, hint %q", line, err, d.Hint)
		}
	}
	if v := s.Snapshot().SRQs[0]; v.Limit != 0 {
		t.Errorf("a refused limit is shown: %+v", v)
	}
}

// TestSRQCompletionsFindTheirRequests: completions of both queue pairs arrive in
// another order than the requests were posted.
func TestSRQCompletionsFindTheirRequests(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, shared+`
post_srq_recv srq wr_id=1
post_srq_recv srq wr_id=2
post_srq_recv srq wr_id=3
post_srq_recv srq wr_id=4`)
	v := s.Snapshot()
	if v.QPs[0].SRQ != "srq" || v.QPs[0].RecvPosted != 4 || v.QPs[1].RecvPosted != 4 || v.CQs[1].Outstanding != 4 ||
		v.CQs[0].Outstanding != 0 {
		t.Errorf("%+v %+v", v.QPs, v.CQs)
	}
	a, b := f.Qps[0].Number, f.Qps[1].Number
	wcs := []verbs.WC{
		{WRID: 2, Opcode: verbs.WCRecv, QPNum: b},
		{WRID: 1, Opcode: verbs.WCRecv, QPNum: a},
		{WRID: 4, Status: verbs.WCWRFlushErr, QPNum: b}, // only the number of its queue pair is known
	}
	next := func(to []verbs.WC) int { n := copy(to, wcs); wcs = wcs[n:]; return n }
	f.Cqs[1].Next.Store(&next)
	sessiontest.Execute(t, s, "poll_cq cq n=3 timeout=10s")
	var got []timeline.Completion
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindWC {
			got = append(got, e.WC)
		}
	}
	want := []struct {
		id uint64
		qp string
	}{{2, "b"}, {1, "a"}, {4, "b"}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if c := got[i]; c.WC.WRID != w.id || c.QP != w.qp || !c.Recv || !c.Matched {
			t.Errorf("%+v, want wr_id %d of %s's receive queue, matched", c, w.id, w.qp)
		}
	}
	if v := s.Snapshot().SRQs[0]; v.RecvPosted != 1 {
		t.Errorf("%+v, one request should be left", v)
	}
}

func TestSRQLimitEvent(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, shared+"create_srq other\nmodify_srq srq srq_limit=5")
	if got := s.Snapshot().SRQs[0].Limit; got != 5 {
		t.Errorf("srq_limit %d", got)
	}
	f.Events <- verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: f.Srqs[0]}
	if _, err := s.Exec(t.Context(), "expect async SRQ_LIMIT_REACHED srq=other timeout=1ms"); err == nil {
		t.Error("the event was attributed to the other queue")
	}
	if got := sessiontest.Execute(t, s, "expect async SRQ_LIMIT_REACHED srq=srq timeout=10s").
		Result; got != "SRQ_LIMIT_REACHED srq srq" {
		t.Error(got)
	}
	if got := s.Snapshot().SRQs[0].Limit; got != 0 {
		t.Errorf("after the event srq_limit is still %d", got)
	}
	f.Events <- verbs.AsyncEvent{Type: verbs.EventSRQErr} // a destroyed one
	if got := sessiontest.Execute(t, s, "get_async_event timeout=10s").Result; got != "SRQ_ERR" {
		t.Error(got)
	}
	f.Events <- verbs.AsyncEvent{Type: verbs.EventQPLastWQEReached, QP: f.Qps[1]}
	sessiontest.Execute(t, s, "expect async QP_LAST_WQE_REACHED qp=b timeout=10s")
}

func TestMulticastCommands(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	u := f.Qps[1]
	d := sessiontest.Execute(t, s, "attach_mcast u gid=239.1.2.3")
	if d.Call() != `ibv_attach_mcast(u, "::ffff:239.1.2.3", 0)` || d.Check != "" || len(u.Groups) != 1 {
		t.Errorf("%+v %v", d, u.Groups)
	}
	sessiontest.Execute(t, s, "attach_mcast gid=ff0e::7 lid=0xc001") // u is the only candidate
	want := []core.GroupView{{QP: "u", GID: u.Groups[0], LID: 0}, {QP: "u", GID: u.Groups[1], LID: 0xc001}}
	if got := s.Snapshot().Groups; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, tt := range []struct{ line, errno, check, hint string }{
		{"attach_mcast qp gid=239.1.2.3", "EINVAL", "only UD queue pairs", "must be UD"},
		{"detach_mcast u gid=239.9.9.9", "EINVAL", "", "not attached"},
		{"destroy_qp u", "EBUSY", "", "detach_mcast u gid=::ffff:239.1.2.3 first"},
		{"close u", "EBUSY", "", "detach_mcast u"},
		{"attach_mcast u", "", "", ""},
	} {
		d, err := s.Exec(t.Context(), tt.line)
		if err == nil || d.Errno != tt.errno || !strings.Contains(d.Check, tt.check) ||
			!strings.Contains(d.Hint, tt.hint) {
			t.Errorf("%s: %v, errno %q, check %q, hint %q", tt.line, err, d.Errno, d.Check, d.Hint)
		}
	}
	if d := sessiontest.Execute(t, s, "attach_mcast u gid=10.0.0.1"); !strings.Contains(d.Check,
		"not a multicast address") {
		t.Errorf("%+v", d)
	}
	sessiontest.Execute(t, s, "detach_mcast u gid=239.1.2.3")
	if got := s.Snapshot().Groups; len(got) != 2 || len(u.Groups) != 2 {
		t.Errorf("%v, and at the provider %v", got, u.Groups)
	}
	// Close leaves the other groups; otherwise the queue pair could not be destroyed.
	if err := s.Close(); err != nil || len(u.Groups) != 0 {
		t.Errorf("%v, %v", u.Groups, err)
	}
}

// TestRefusedLimit: if the provider refuses a limit, the previous one stays.
func TestRefusedLimit(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\ncreate_srq srq max_wr=8\nmodify_srq srq srq_limit=4")
	f.Fail["modify_srq"] = syscall.EINVAL
	for _, line := range []string{"modify_srq srq srq_limit=2", "modify_srq srq max_wr=16",
		"modify_srq srq srq_limit=2 max_wr=16"} {
		if _, err := s.Exec(t.Context(), line); err == nil {
			t.Error(line)
		}
		if v := s.Snapshot().SRQs[0]; v.Limit != 4 || v.MaxWR != 8 {
			t.Errorf("after %s: %+v", line, v)
		}
	}
}
