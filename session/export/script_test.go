package export

import (
	"strings"
	"testing"
)

// TestScriptOfRepeats writes repeats that succeeded, were cut short, or never began.
func TestScriptOfRepeats(t *testing.T) {
	const line = `repeat 5 post_send a SEND sge=m:0:4`
	failed := func(s *Step, asked bool) *Step {
		s.Done.Err, s.Done.Errno, s.Asked = "the queue is full", "ENOMEM", asked
		return s
	}
	inner := func(times uint64, later *Step) *Step {
		s := stepOf(t, "post_send a SEND sge=m:0:4")
		s.Times, s.Later = times, later
		return s
	}
	for name, tt := range map[string]struct {
		inner []*Step
		asked bool // Asked of the repeat itself
		want  []string
	}{
		"refused before the first round": {nil, false, []string{"# refused: " + line + ": the queue is full"}},
		"refused by the provider":        {nil, true, []string{"expect error ENOMEM " + line}},
		"the first round fails":          {[]*Step{failed(inner(0, nil), true)}, false, []string{"expect error ENOMEM post_send a SEND sge=m:0:4"}},
		"the first round is refused":     {[]*Step{failed(inner(0, nil), false)}, false, []string{"# refused: post_send a SEND sge=m:0:4: the queue is full"}},
		"the fourth round fails": {[]*Step{inner(3, failed(inner(0, nil), true))}, false,
			[]string{`repeat 3 post_send a SEND sge=m:0:4`, "expect error ENOMEM post_send a SEND sge=m:0:4"}},
		"stopped after three rounds": {[]*Step{inner(3, nil)}, false, []string{`repeat 3 post_send a SEND sge=m:0:4`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := failed(stepOf(t, line), tt.asked)
			s.Inner = tt.inner
			var got []string
			for _, l := range strings.Split(Script(Recording{Steps: []*Step{s}}), "\n") {
				if strings.HasPrefix(l, "# refused") || l != "" && l[0] != '#' && !strings.HasPrefix(l, "version") {
					got = append(got, l)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestPollOfNoTime: a poll without a timeout may find nothing, and fails only if poll_cq fails.
func TestPollOfNoTime(t *testing.T) {
	for name, tt := range map[string]struct {
		line, want string
		fails      bool
	}{
		"at once, succeeded":     {"poll_cq cq n=2 timeout=0s", "poll_cq(cq, 2, 0);", false},
		"at once, failed":        {"poll_cq cq n=2 timeout=0s", "poll_cq(cq, 2, 0) >= 0", true},
		"with a timeout, failed": {"poll_cq cq n=2 timeout=3s", "poll_cq(cq, 2, 3000) == 2", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := recordingOf(t, []string{"open_device soft0", "create_cq cq cqe=4", tt.line}, func(n int, s *Step) {
				if n == 2 && tt.fails {
					s.Done.Err, s.Done.Errno, s.Asked = "it failed", "EINVAL", true
				}
			})
			if text := C(r); !strings.Contains(text, tt.want) {
				t.Errorf("no %s in\n%s", tt.want, text[strings.LastIndex(text, "ibv_create_cq"):])
			}
		})
	}
}

// TestLinesInC exports a few lines and checks for code that must, or must not, be in the program.
func TestLinesInC(t *testing.T) {
	const device = "open_device soft0\nalloc_pd pd\n"
	const listener = "rdma_create_id l ps=UDP mode=sync\nrdma_listen l\n"
	for name, tt := range map[string]struct{ lines, want, not string }{
		"made in a block that may fail":       {"open_device soft0\ntry\nalloc_pd pd\nend", "if (pd) {", ""},
		"made outside such a block":           {device, "ibv_dealloc_pd(pd)", "if (pd) {"},
		"an unnamed request":                  {listener + "rdma_get_request l", "l_1 = get_request(l);", ""},
		"a datagram request":                  {listener + "rdma_get_request l name=r\nrdma_accept r qp_num=5", "rdma_accept(r, ", "rdma_disconnect"},
		"a synchronous request":               {"rdma_create_id l ps=TCP mode=sync\nrdma_listen l\nrdma_get_request l name=r\nrdma_accept r\nrdma_disconnect r", "rdma_disconnect(r)", "want_cm_event"},
		"an exchange for several queue pairs": {device + "create_srq srq max_wr=4\nexchange p srq=srq listen=127.0.0.1 port=1", "the exchange for several queue pairs at once has no function here", ""},
		"a number of the device":              {device + "create_cq cq cqe=soft0.max_qp_wr", "device_attr_of(soft0).max_qp_wr", ""},
		"not a number of the device":          {device + "create_cq cq cqe=soft0.atomic_cap", "ibv_create_cq", "device_attr_of"},
	} {
		t.Run(name, func(t *testing.T) {
			text := C(recordingOf(t, strings.Split(tt.lines, "\n"), func(int, *Step) {}))
			if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
				t.Errorf("the program needs %q, without %q:\n%s", tt.want, tt.not, text)
			}
		})
	}
}

// TestUnreadableReferences: a reference without an equivalent in C becomes a number.
func TestUnreadableReferences(t *testing.T) {
	r := recordingOf(t, []string{"open_device soft0", "alloc_pd pd", "reg_mr m pd=pd length=64", "create_cq cq cqe=4",
		"create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC", "modify_qp a RTR dest_qp_num=m.nothing rq_psn=a.qp_num+3",
		"modify_qp a RTS sq_psn=a.nothing"}, func(int, *Step) {})
	text := C(r)
	for _, want := range []string{".dest_qp_num = 1,", ".sq_psn = 1 }", "rq_psn = a->qp_num + 3"} {
		if !strings.Contains(strings.ReplaceAll(text, "attr.", "."), want) {
			t.Errorf("no %q in\n%s", want, text[strings.LastIndex(text, "ibv_create_qp"):])
		}
	}
}
