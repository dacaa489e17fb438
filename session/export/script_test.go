package export

import (
	"strings"
	"testing"

	"rdmatui/session/oob"
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
		"the first round fails": {[]*Step{failed(inner(0, nil), true)}, false,
			[]string{"expect error ENOMEM post_send a SEND sge=m:0:4"}},
		"the first round is refused": {[]*Step{failed(inner(0, nil), false)}, false,
			[]string{"# refused: post_send a SEND sge=m:0:4: the queue is full"}},
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
	const pair = device + "create_cq cq cqe=4\ncreate_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC\n"
	long := strings.Repeat("x", oob.MaxRegionName) // only its beginning is sent
	const listener = "rdma_create_id l ps=UDP mode=sync\nrdma_listen l\n"
	for name, tt := range map[string]struct{ lines, want, not string }{
		"made in a block that may fail": {"open_device soft0\ntry\nalloc_pd pd\nend", "if (pd) {", ""},
		"made outside such a block":     {device, "ibv_dealloc_pd(pd)", "if (pd) {"},
		"an unnamed request":            {listener + "rdma_get_request l", "l_1 = get_request(l);", ""},
		"a datagram request": {listener + "rdma_get_request l name=r\nrdma_accept r qp_num=5",
			"rdma_accept(r, ", "rdma_disconnect"},
		"a synchronous request": {"rdma_create_id l ps=TCP mode=sync\nrdma_listen l\nrdma_get_request l name=r\nrdma_accept r\nrdma_disconnect r", "rdma_disconnect(r)", "want_cm_event"},
		"an exchange for several queue pairs": {device +
			"create_srq srq max_wr=4\nexchange p srq=srq listen=127.0.0.1 port=1",
			"the exchange for several queue pairs at once has no function here", ""},
		"regions with one name for the peer": {pair + "reg_mr " + long +
			"1 pd=pd length=8 access=LOCAL_WRITE|REMOTE_READ\nreg_mr " + long +
			"2 pd=pd length=8 access=LOCAL_WRITE|REMOTE_READ\n" +
			"exchange p qp=a listen=127.0.0.1 port=1", long + "1, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);",
			long + "2, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);"},
		"a PSN of the session's own choice": {pair + "modify_qp a RTR rq_psn=a.sq_psn", ".rq_psn = a_psn",
			"attr_of(a).sq_psn"},
		"a PSN that was set": {pair + "modify_qp a RTS sq_psn=0x222\nmodify_qp a RTR rq_psn=a.sq_psn",
			"attr_of(a).sq_psn", ""},
		"the type of a queue pair": {pair + "modify_qp a RTR rq_psn=a.qp_type", "a->qp_type", ""},
		"a number of the device": {device + "create_cq cq cqe=soft0.max_qp_wr",
			"device_attr_of(soft0).max_qp_wr", ""},
		"not a number of the device": {device + "create_cq cq cqe=soft0.atomic_cap", "ibv_create_cq",
			"device_attr_of"},
	} {
		t.Run(name, func(t *testing.T) {
			text := C(recordingOf(t, strings.Split(tt.lines, "\n"), func(int, *Step) {}))
			if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) {
				t.Errorf("the program needs %q, without %q:\n%s", tt.want, tt.not, text)
			}
		})
	}
}

// TestExpectedErrors: the program asks for the error that a line failed with, or for none.
func TestExpectedErrors(t *testing.T) {
	for errno, want := range map[string]string{"": "", "ENOMEM": "ENOMEM"} {
		r := recordingOf(t, []string{"open_device soft0", "expect error ENOMEM alloc_pd pd"}, func(n int, s *Step) {
			if n == 1 {
				inner := stepOf(t, "alloc_pd pd")
				if inner.Done.Errno = errno; errno != "" {
					inner.Done.Err, inner.Asked = "no", true
				}
				s.Inner = []*Step{inner}
			}
		})
		_, main, called := strings.Cut(C(r), "ibv_alloc_pd(")
		if !called || (want != "") != strings.Contains(main, "ENOMEM") {
			t.Errorf("%q: %s", errno, main)
		}
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

// TestScriptOfChoices: outside of loops a script has the names and numbers that were chosen for its lines.
func TestScriptOfChoices(t *testing.T) {
	chosen := func(s *Step, name, text string) *Step {
		s.Full = s.Full.With(name, text)
		return s
	}
	onDevice := func(line string) *Step { return chosen(stepOf(t, line), "device", "soft0") }
	recv := func() *Step { return chosen(stepOf(t, "post_recv a"), "wr_id", "9") }
	failed := func(s *Step) *Step {
		s.Done.Err, s.Done.Errno, s.Asked = "it was refused", "EINVAL", true
		return s
	}
	loop, connect := stepOf(t, "loop n=2"), stepOf(t, "connect_qps a b")
	loop.Inner = []*Step{recv()}
	connect.Inner = []*Step{failed(recv())}
	connect.Done.Err = "it was refused"
	unread := &Step{Done: failed(&Step{}).Done}
	unread.Done.Line = "nonsense"
	poll := stepOf(t, "poll_cq cq n=3 timeout=0s")
	poll.Came = map[string]uint64{"cq": 2}
	noted := stepOf(t, "note x")
	noted.Why = "a\x01b\x7fc"
	for name, tt := range map[string]struct {
		step *Step
		want string
	}{
		"a number":                   {recv(), "post_recv a wr_id=9\n"},
		"a number in a loop":         {loop, "loop 2\npost_recv a\nend\n"},
		"a number in a failed line":  {failed(recv()), "expect error EINVAL post_recv a wr_id=9\n"},
		"a number in a failed step":  {connect, "expect error EINVAL post_recv a wr_id=9\n"},
		"a device":                   {onDevice("alloc_pd pd"), "alloc_pd pd device=soft0\n"},
		"an identifier's device":     {onDevice("alloc_pd pd id=i"), "alloc_pd pd id=i\n"},
		"a channel's device":         {onDevice("create_cq c channel=h"), "create_cq c channel=h\n"},
		"a domain and an identifier": {chosen(stepOf(t, "create_ah x id=i"), "pd", "pd"), "create_ah x pd=pd id=i\n"},
		"completions taken before":   {poll, "poll_cq cq n=2 timeout=10000ms\npoll_cq cq n=1 timeout=0s\n"},
		"a comment":                  {noted, "# a b c\nnote x\n"},
		"a line that cannot be read": {unread, "# refused: nonsense: it was refused\n"},
	} {
		if got := Script(Recording{Steps: []*Step{tt.step}}); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestTakenAtTheEnd: a script and a program wait for the completions that came after the last line.
func TestTakenAtTheEnd(t *testing.T) {
	r := recordingOf(t, []string{"open_device soft0", "create_cq cq device=soft0"}, func(int, *Step) {})
	r.Came = map[string]uint64{"cq": 2}
	if text, want := Script(r), "\npoll_cq cq n=2 timeout=10000ms\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in %q", want, text)
	}
	if text, want := C(r), "expect(poll_cq(cq, 2, 10000) == 2, "; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
