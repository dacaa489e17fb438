package bringup_test

import (
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/bringup"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/transition"
)

func TestPlanOfEachTransition(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.LoopbackShort)
	need := func(p bringup.Plan, field string) (bringup.Need, string, string) {
		for _, r := range p.Rows {
			if r.Field.Name == field {
				return r.Need, r.Value, r.Source
			}
		}
		t.Fatal("no row", field)
		return 0, "", ""
	}
	for _, to := range queue.BringUp {
		p, err := s.Plan("a", to)
		if err != nil || !p.Valid || p.Peer != "b" {
			t.Fatalf("%+v, %v", p, err)
		}
		tr, _ := transition.Find(verbs.RC, p.From, to)
		for _, r := range p.Rows {
			if want := tr.Allowed()&r.Field.Bit != 0; want != (r.Need != bringup.NotAllowed) {
				t.Errorf("%s → %s: %s is %s", p.From, to, r.Field.Name, r.Need)
			}
			if r.Need == bringup.Required && r.Value == "" {
				t.Errorf("%s → %s: %s is required but has no value", p.From, to, r.Field.Name)
			}
		}
		if !strings.HasPrefix(p.Call(nil), "ibv_modify_qp(a, {.qp_state = IBV_QPS_"+to.String()) {
			t.Error(p.Call(nil))
		}
		if p.Call(nil) != p.Call(p.Values()) || len(p.Values()) > 0 && p.Call(nil) == p.Call(map[string]string{}) {
			t.Errorf("%s lacks the prefilled values", p.Call(nil))
		}
		if to == verbs.QPRTR {
			if n, v, source := need(p, "path_mtu"); n != bringup.Required || v != "1024" || source != "port max 4096" {
				t.Error(n, v, source)
			}
			if n, v, source := need(p, "dest_qp_num"); n != bringup.Required || v == "" || source != "from b" {
				t.Error(n, v, source)
			}
			if n, _, _ := need(p, "sq_psn"); n != bringup.NotAllowed {
				t.Error("sq_psn is", n)
			}
			if n, _, _ := need(p, "traffic_class"); n != bringup.Optional {
				t.Error("traffic_class is", n)
			}
			values := p.Values()
			values["rq_psn"], values["pkey_index"] = "7", "0"
			line := p.Command(values).Text
			if !strings.Contains(line, " dest_qp_num=b.qp_num ") || !strings.Contains(line, " rq_psn=7 ") ||
				!strings.Contains(line, "pkey_index=0") {
				t.Error(line)
			}
		}
		sessiontest.Execute(t, s, p.Command(nil).Text)
	}
	if p, err := s.Plan("a", verbs.QPInit); err != nil || p.Valid {
		t.Error("RTS → INIT is no transition", err)
	}
	if _, err := s.Plan("nobody", verbs.QPInit); err == nil {
		t.Error("a plan without a queue pair")
	}
}

// TestPathOnInfiniBand: LIDs suffice if no GRH is needed.
func TestPathOnInfiniBand(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s,
		"open_device\nalloc_pd\ncreate_cq\ncreate_qp a\npeer p qp_num=0x12 psn=3 lid=9\nconnect_qps a p")
	var rtr string
	for _, d := range sessiontest.Commands(s) {
		if strings.HasPrefix(d.Line, "modify_qp a RTR") {
			rtr = d.Resolved
		}
	}
	if !strings.Contains(rtr, " dlid=9 ") || strings.Contains(rtr, "dgid") || strings.Contains(rtr, "is_global=1") {
		t.Error(rtr)
	}
	if got := s.Snapshot().QPs[0]; got.State != verbs.QPRTS || got.PeerName != "p" || got.Attr.AH.DLID != 9 {
		t.Errorf("%+v", got)
	}
}

func TestCCalls(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd pd\nreg_mr m length=64\ncreate_comp_channel ch\ncreate_cq cq cqe=8 channel=ch\ncreate_qp a max_inline_data=16 sq_sig_all=1\ncreate_qp u qp_type=UD\ncreate_ah h dlid=9 sl=2")
	for line, want := range map[string]string{
		"modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_READ": "ibv_modify_qp(a, {.qp_state = IBV_QPS_INIT, .pkey_index = 0, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_READ}, IBV_QP_STATE|IBV_QP_ACCESS_FLAGS|IBV_QP_PKEY_INDEX|IBV_QP_PORT)",
		"modify_qp u INIT port_num=1 pkey_index=0 qkey=5":                      "ibv_modify_qp(u, {.qp_state = IBV_QPS_INIT, .pkey_index = 0, .port_num = 1, .qkey = 0x000005}, IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_QKEY)",
		"post_send u SEND wr_id=3 remote_qpn=0x12 remote_qkey=5":               "ibv_post_send(u, {.wr_id = 3, .num_sge = 0, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .wr.ud = {.ah = h, .remote_qpn = 0x000012, .remote_qkey = 0x5}}, &bad_wr)",
		"post_recv a wr_id=4 sge=m:8:8,@0x2000:4:0x9":                          "ibv_post_recv(a, {.wr_id = 4, .sg_list = {{.addr = 0x1008, .length = 8, .lkey = 0x11}, {.addr = 0x2000, .length = 4, .lkey = 0x9}}, .num_sge = 2}, &bad_wr)",
		"req_notify_cq cq solicited_only=1":                                    "ibv_req_notify_cq(cq, 1)",
		"create_cq other cqe=4":                                                "ibv_create_cq(fake0, 4, NULL, NULL, 0)",
		"create_ah g dgid=::1 is_global=1 sgid_index=3":                        `ibv_create_ah(pd, {.grh = {.dgid = "::1", .sgid_index = 3, .hop_limit = 64}, .dlid = 0, .sl = 0, .is_global = 1, .port_num = 1})`,
	} {
		if line[:9] == "post_send" {
			line += " ah=h"
		}
		done := sessiontest.Execute(t, s, line)
		if got := done.Call(); got != want {
			t.Errorf("%s\n got  %s\n want %s", line, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	for line, want := range map[string]string{
		"alloc_pd":            "create one first: open_device soft0",
		"modify_qp a INIT":    "create one first: create_qp a",
		"reg_mr lenght=5":     "length",
		"close nobody":        "",
		"poll_cq":             "create one first: create_cq cq cqe=64",
		"rdma_create_ep ep":   "create one first: rdma_getaddrinfo ADDRESS 7471",
		"write_mem m \"x\"":   "create one first: reg_mr",
		"open_device nothere": "",
	} {
		done, err := s.Exec(t.Context(), line)
		if err == nil || !strings.Contains(done.Hint+done.Err, want) || done.Err == "" {
			t.Errorf("%s: %q, hint %q, want %q", line, done.Err, done.Hint, want)
		}
	}
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\nreg_mr m length=64\ncreate_cq\ncreate_qp a max_send_wr=2 max_inline_data=8\nconnect_qps a a\npost_send a SEND\npost_send a SEND")
	f.Fail["post_send"] = verbs.NewOpError("ibv_post_send", "", syscall.ENOMEM)
	for line, want := range map[string]string{
		"post_send a SEND": "the queue is full: 2 requests outstanding, max_send_wr is 2",
		"post_send a SEND sge=m:0:9 send_flags=INLINE":             "INLINE carries at most max_inline_data, 8 bytes",
		"post_send a SEND sge=m:0:1,m:1:1 send_flags=SIGNALED":     "2 SGEs, but max_send_sge is 1",
		"post_send a SEND sge=m:60:9 wr_id=1 send_flags=SIGNALED ": "the queue is full",
	} {
		done, err := s.Exec(t.Context(), line)
		if err == nil || done.Errno != "ENOMEM" || !strings.Contains(done.Hint, want) {
			t.Errorf("%s: %q %q, want %q", line, done.Err, done.Hint, want)
		}
	}
	if n := s.Snapshot().QPs[0].SendOutstanding; n != 2 {
		t.Errorf("%d outstanding after posts that failed", n)
	}
}

func TestExpect(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+"write_mem src \"hello\"\npost_recv b wr_id=7 sge=dst\npost_send a SEND wr_id=1 sge=src:0:5\npoll_cq n=2 timeout=5s")
	for _, c := range [][2]string{
		{"expect wc wr_id=7 status=SUCCESS byte_len=5 opcode=RECV", ""},
		{"expect wc qp=b wr_id=7", ""},
		{"expect wc qp=a wr_id=7", "no polled completion"},
		{"expect wc wr_id=7 byte_len=6", "byte_len 5, not 6"},
		{"expect wc wr_id=7 status=LOC_LEN_ERR", "status SUCCESS, not LOC_LEN_ERR"},
		{"expect wc wr_id=1 byte_len=5", "not defined"},
		{"expect wc wr_id=9", "no polled completion"},
		{`expect mem dst 0 "hello"`, ""},
		{`expect mem dst 1 "hxllo"`, "differs at offset 1: 65"},
		{`expect mem dst 4095 "ab"`, "which has 4,096"},
		{"expect state a RTS", ""},
		{"expect state a ERR", "a is in RTS, not ERR"},
		{"expect error poll_cq", "succeeded, but should have failed"},
		{"expect error EBUSY close src", "succeeded, but should have failed"},
		{"expect error EPERM close pd", "not with EPERM"},
	} {
		line, want := c[0], c[1]
		_, err := s.Exec(t.Context(), line)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if _, err := s.Exec(t.Context(), "poll_cq n=1 timeout=1ms"); err == nil ||
		!strings.Contains(err.Error(), "0 of 1 completions") {
		t.Error(err)
	}
	if _, err := s.Exec(t.Context(), "expect wc wr_id=7"); err == nil {
		t.Error("a completion matched by expect is found again after poll_cq")
	}
}

// TestLivePollCQ: poll_cq returns what was taken live since the last call.
func TestLivePollCQ(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+"live on\nrepeat 3 post_recv b sge=dst\nrepeat 3 post_send a SEND sge=src:0:8\npoll_cq n=6 timeout=5s\nexpect wc opcode=RECV byte_len=8\nlive off")
	if got := s.Snapshot().CQs[0]; got.Completed != 6 || got.Outstanding != 0 {
		t.Errorf("%+v", got)
	}
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindWC && (!e.WC.Matched || e.WC.Latency <= 0 || e.WC.Posted <= 0) {
			t.Errorf("%+v has no request", e.WC)
		}
	}
	if _, err := s.Exec(t.Context(), "poll_cq timeout=1ms"); err == nil {
		t.Error("a completion was returned twice")
	}
}
