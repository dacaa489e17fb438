package sessiontest

import (
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// NewPair makes a session on the software device with a connected pair of queue
// pairs, each 8 requests deep; only commands poll.
func NewPair(t testing.TB) *session.Session {
	t.Helper()
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	RunScript(t, s, `
open_device soft0
alloc_pd pd
reg_mr src length=4096 access=LOCAL_WRITE
reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC
create_cq cq cqe=256
create_qp a qp_type=RC send_cq=cq recv_cq=cq max_send_wr=8 max_recv_wr=8 max_send_sge=4
create_qp b qp_type=RC send_cq=cq recv_cq=cq max_send_wr=8 max_recv_wr=8
connect_qps a b
`)
	return s
}
