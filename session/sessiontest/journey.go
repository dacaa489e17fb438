package sessiontest

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// FirstLight is the script that the project's description begins with.
const FirstLight = `
open_device soft0
alloc_pd pd
reg_mr src pd=pd length=4096 access=LOCAL_WRITE
reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_cq cq cqe=64
create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC
modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ
modify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ
modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=0x111 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=b.gid
modify_qp b RTR path_mtu=1024 dest_qp_num=a.qp_num rq_psn=0x222 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=a.gid
modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x222 max_rd_atomic=1
modify_qp b RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x111 max_rd_atomic=1
# the six lines above in one: connect_qps a b
write_mem src "hello"
post_recv b wr_id=7 sge=dst:0:4096
post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED
poll_cq cq n=2 timeout=1s
expect wc wr_id=7 status=SUCCESS byte_len=5
expect mem dst 0 "hello"
`

// Loopback makes two connected queue pairs, a and b.
const Loopback = `
open_device soft0
alloc_pd pd
reg_mr src length=4096
reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_cq cq
create_qp a
create_qp b
connect_qps a b
`

// NewSoft returns a session on the software device. It is closed at the end of the test.
func NewSoft(t *testing.T, opts core.Options) *session.Session {
	t.Helper()
	opts.Providers = []verbs.Provider{soft.New(soft.Options{})}
	s := session.New(opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return s
}

// RunScript runs a script and fails the test with it.
func RunScript(t testing.TB, s *session.Session, script string) {
	t.Helper()
	if err := s.RunScript(t.Context(), "script", strings.NewReader(script)); err != nil {
		t.Fatal(err)
	}
}

// Commands returns the commands on the time line.
func Commands(s *session.Session) []timeline.CommandDone {
	var done []timeline.CommandDone
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindCommand {
			done = append(done, *e.Command)
		}
	}
	return done
}

// Failures provokes each of the common mistakes, with the outcome on any provider.
const Failures = LoopbackShort + `
# from INIT straight to RTS; a missing attribute; a GID that is not there
expect error EINVAL modify_qp a RTS sq_psn=0
expect error EINVAL modify_qp a INIT port_num=1 pkey_index=0
modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0
expect error EINVAL modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0 max_rd_atomic=1
expect error modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=1 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=b.gid sgid_index=200
expect state a INIT
expect error post_send a SEND sge=src:0:1
modify_qp a RESET

# a key that opens nothing
connect_qps a b rnr_retry=1
post_send a RDMA_WRITE wr_id=1 sge=src:0:10 remote_addr=dst.addr rkey=0x7f
poll_cq timeout=5s
expect wc wr_id=1 status=REM_ACCESS_ERR
expect state a ERR
modify_qp a RESET
modify_qp b RESET

# past the end
connect_qps a b rnr_retry=1
post_send a RDMA_WRITE wr_id=2 sge=src:0:100 remote_addr=dst.addr rkey=dst.rkey
poll_cq timeout=5s
expect wc wr_id=2 status=REM_ACCESS_ERR
modify_qp a RESET
modify_qp b RESET

# a region that grants nothing
connect_qps a b rnr_retry=1
post_send a RDMA_READ wr_id=3 sge=src:0:10 remote_addr=closed.addr rkey=closed.rkey
poll_cq timeout=5s
expect wc wr_id=3 status=REM_ACCESS_ERR
modify_qp a RESET
modify_qp b RESET

# no RECV
connect_qps a b rnr_retry=1
post_send a SEND wr_id=4 sge=src:0:10
poll_cq timeout=5s
expect wc wr_id=4 status=RNR_RETRY_EXC_ERR

# busy
expect error EBUSY close pd
`

// LoopbackShort makes the same objects in fewer lines.
const LoopbackShort = `
open_device soft0
alloc_pd pd
reg_mr src length=4096
reg_mr dst length=64 access=LOCAL_WRITE|REMOTE_WRITE
reg_mr closed length=64
create_cq cq
create_qp a
create_qp b
`
