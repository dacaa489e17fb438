package queue_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestResizeCQ resizes a queue that holds a completion.
func TestResizeCQ(t *testing.T) {
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	sessiontest.RunScript(t, s, `open_device soft0
alloc_pd pd
create_cq cq cqe=8
create_qp a
create_qp b
connect_qps a b
reg_mr src length=64
post_recv b sge=src
post_recv b sge=src
post_send a SEND send_flags=SIGNALED
post_send a SEND send_flags=SIGNALED
sleep 100ms
resize_cq cqe=4`)
	for _, tt := range []struct {
		line, call, result, check string
		err                       error
	}{
		{"resize_cq cq cqe=cq.cqe", "ibv_resize_cq(cq, 4)", "cq with 4 entries", "", nil},
		{"resize_cq cq cqe=3", "ibv_resize_cq(cq, 3)", "", "the queue holds 4 completions, more than cqe",
			syscall.EINVAL},
		{"resize_cq cq cqe=0", "ibv_resize_cq(cq, 0)", "",
			"cqe must be at least 1; the queue holds 4 completions, more than cqe", syscall.EINVAL},
		{"resize_cq cq cqe=soft0.max_cqe", "ibv_resize_cq(cq, 131072)", "cq with 131,072 entries", "", nil},
		{"resize_cq cq cqe=131073", "ibv_resize_cq(cq, 131073)", "", "cqe is more than max_cqe 131072", syscall.EINVAL},
		{"poll_cq cq n=4 timeout=5s", "", "wr_id 1 RECV SUCCESS", "", nil},
		{"resize_cq cq cqe=1", "ibv_resize_cq(cq, 1)", "cq with 1 entry", "", nil},
	} {
		done, err := s.Exec(t.Context(), tt.line)
		if !errors.Is(err, tt.err) || tt.call != "" && done.Call() != tt.call ||
			!strings.HasPrefix(done.Result, tt.result) || done.Check != tt.check {
			t.Errorf("%s: %v, %q, %q, %q", tt.line, err, done.Call(), done.Result, done.Check)
		}
	}
}
