package post_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
)

// TestPlacementIsChecked: FLUSH and ATOMIC_WRITE are checked against the known peer, and the checks suggest
// alternatives.
func TestPlacementIsChecked(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	if d := sessiontest.Execute(t, s,
		"create_qp ex send_ops_flags=FLUSH|ATOMIC_WRITE|SEND max_send_sge=2"); !strings.Contains(
		d.Check, "lacks FLUSH_GLOBAL") || !strings.Contains(d.Check, "lacks ATOMIC_WRITE") ||
		!strings.HasPrefix(d.Call(), "ibv_create_qp_ex(fake0, {") ||
		!strings.HasSuffix(d.Call(), ".comp_mask = IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd, .send_ops_flags = IBV_QP_EX_WITH_SEND|IBV_QP_EX_WITH_FLUSH|IBV_QP_EX_WITH_ATOMIC_WRITE})") {
		t.Errorf("%q, %s", d.Check, d.Call())
	}
	for line, want := range map[string]struct{ check, call string }{
		"post_send ex FLUSH wr_id=1 remote_addr=0x1000 rkey=1 length=8 type=GLOBAL|PERSISTENT": {"", "ibv_wr_flush(qpx, 0x1, 0x1000, 8, IBV_FLUSH_GLOBAL|IBV_FLUSH_PERSISTENT, IBV_FLUSH_RANGE); ibv_wr_complete(qpx)"},
		"post_send ex FLUSH wr_id=1 remote_addr=0 rkey=1 level=MR type=0": {
			"type 0 flushes nothing", "IBV_FLUSH_MR"},
		"post_send ex ATOMIC_WRITE sge=mr:0:4 remote_addr=0x1008 rkey=1": {
			"ATOMIC_WRITE writes 8 bytes, the SGEs have 4", "ibv_wr_atomic_write(qpx, 0x1, 0x1008, (void *)0x1000)"},
		"post_send ex ATOMIC_WRITE sge=mr:0:8 remote_addr=0x1004 rkey=1": {
			"remote_addr 0x1004 is not a multiple of 8", ""},
		"post_send ex SEND wr_id=4 sge=mr:0:8 send_flags=FENCE": {"", "qpx = ibv_qp_to_qp_ex(ex); ibv_wr_start(qpx); qpx->wr_id = 4; qpx->wr_flags = IBV_SEND_FENCE; ibv_wr_send(qpx); ibv_wr_set_sge(qpx, 0x11, 0x1000, 8)"},
		"post_send ex SEND wr_id=4 sge=mr:0:8,mr:8:8 send_flags=INLINE|SIGNALED": {"",
			"wr_flags = IBV_SEND_SIGNALED; ibv_wr_send(qpx); ibv_wr_set_inline_data_list(qpx, 2, {"},
		"post_send ex SEND wr_id=4": {"",
			"ibv_wr_set_sge_list(qpx, 0, NULL)"},
		"post_send ex RDMA_READ wr_id=4 sge=mr:0:8 remote_addr=8 rkey=1": {"",
			"ibv_post_send(ex, {.wr_id = 4"},
	} {
		d := sessiontest.Execute(t, s, line)
		if !strings.Contains(d.Check, want.check) || !strings.Contains(d.Call(), want.call) {
			t.Errorf("%s: %q, want %q; %s, want %s", line, d.Check, want.check, d.Call(), want.call)
		}
	}
	d, err := s.Exec(t.Context(), "chain post_send ex SEND ; post_send ex RDMA_READ remote_addr=8 rkey=1")
	if err == nil || !strings.Contains(err.Error(), "request 2 needs another function than the first") {
		t.Errorf("%v, %s", err, d.Call())
	}
}

// TestExtendedCQCall: the call lists the extra fields of an extended queue's completions.
func TestExtendedCQCall(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, session.Options{})
	sessiontest.Execute(t, s, "open_device")
	want := "ibv_create_cq_ex(fake0, {.cqe = 4, .channel = NULL, .comp_vector = 0, .wc_flags = IBV_WC_STANDARD_FLAGS|IBV_WC_EX_WITH_COMPLETION_TIMESTAMP})"
	if d := sessiontest.Execute(t, s, "create_cq cq cqe=4 wc_flags=COMPLETION_TIMESTAMP"); d.Call() != want {
		t.Errorf("%s, want %s", d.Call(), want)
	}
	sessiontest.Execute(t, s, "create_cq plain cqe=4")
	for line, want := range map[string]string{
		"poll_cq cq n=2":    "up to 2 times ibv_start_poll(cq, &attr), ibv_wc_read_…, ibv_end_poll(cq)",
		"poll_cq plain n=2": "ibv_poll_cq(plain, 2, wc)",
	} {
		if d := sessiontest.Execute(t, s, line); d.Call() != want {
			t.Errorf("%s, want %s", d.Call(), want)
		}
	}
}

func TestAtomicsAreChecked(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	for line, want := range map[string]string{
		"post_send qp ATOMIC_FETCH_AND_ADD sge=mr:0:8 remote_addr=0x1008 rkey=1 compare_add=1":         "",
		"post_send qp ATOMIC_FETCH_AND_ADD sge=mr:0:8 remote_addr=0x1004 rkey=1 compare_add=1":         "remote_addr 0x1004 is not a multiple of 8",
		"post_send qp ATOMIC_CMP_AND_SWP sge=mr:0:4 remote_addr=0x1008 rkey=1 compare_add=1 swap=2":    "an atomic fetches 8 bytes, the SGEs have 4",
		"post_send qp RDMA_READ sge=mr:0:4 remote_addr=0x1004 rkey=1":                                  "",
		"post_send qp SEND_WITH_INV sge=mr:0:4 invalidate_rkey=mr.rkey":                                "",
		"post_send qp ATOMIC_CMP_AND_SWP sge=mr:0:16 remote_addr=0x1008 rkey=1 compare_add=1 swap=0x2": "the SGEs have 16",
	} {
		d := sessiontest.Execute(t, s, line)
		if !strings.Contains(d.Check, want) || want == "" && strings.Contains(d.Check, "8") {
			t.Errorf("%s: %q, want %q", line, d.Check, want)
		}
	}
	f.Fail["post_send"] = syscall.EINVAL
	f.Qps[0].SetState(3)
	queue.ReadState(s.Core(), s.Core().Graph.ByName["qp"].Body.(*queue.QP), "test")
	d, err := s.Exec(t.Context(),
		"post_send qp ATOMIC_FETCH_AND_ADD sge=mr:0:8 remote_addr=0x1004 rkey=1 compare_add=1")
	if err == nil || !strings.Contains(d.Hint, "multiple of 8") {
		t.Errorf("%v, hint %q", err, d.Hint)
	}
}

// TestPathIsChecked: modify_qp also checks an address vector against the GID table.
func TestPathIsChecked(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd\ncreate_cq cq\ncreate_qp a\nmodify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0")
	const rtr = "modify_qp a RTR path_mtu=1024 dest_qp_num=a.qp_num rq_psn=1 max_dest_rd_atomic=1 min_rnr_timer=12 "
	for args, want := range map[string]string{
		"dgid=a.gid sgid_index=9": "sgid_index 9",
		"is_global=0 dlid=1":      "is_global is 0",
	} {
		if d, _ := s.Exec(t.Context(), rtr+args); !strings.Contains(d.Check, want) {
			t.Errorf("%s: check %q", args, d.Check)
		}
	}
}

// TestWhatIsLeftOut: a call omits limits that were not requested, and names chosen values.
func TestWhatIsLeftOut(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd")
	if d := sessiontest.Execute(t, s, "create_cq cq"); !strings.Contains(d.Resolved, "device=") {
		t.Errorf("resolved %q", d.Resolved)
	}
	for line, want := range map[string]bool{"create_qp a": false, "create_qp b max_inline_data=1": true} {
		if d := sessiontest.Execute(t, s, line); strings.Contains(d.Call(), "max_inline_data") != want {
			t.Errorf("%s: %s", line, d.Call())
		}
	}
	words := scenario.Params{Messages: []string{"a", "disconnect"}, Size: 32}.Words()
	if len(words) != 2 || words[0].Last || !words[1].Last {
		t.Errorf("%+v", words)
	}
}

// TestShare: the share of a core, if time has passed.
func TestShare(t *testing.T) {
	for wall, want := range map[time.Duration]float64{0: 0, 1: 1, 4: 0.25} {
		if got := (&core.CQStats{CPU: 1, Wall: wall}).Share(); got != want {
			t.Errorf("1 ns of %d: %g, want %g", wall, got, want)
		}
	}
}
