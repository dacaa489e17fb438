package session

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// firstLight is the script that the project's description begins with.
const firstLight = `
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

// loopback makes two connected queue pairs, a and b.
const loopback = `
open_device soft0
alloc_pd pd
reg_mr src length=4096
reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_cq cq
create_qp a
create_qp b
connect_qps a b
`

func newSoft(t *testing.T, opts core.Options) *Session {
	t.Helper()
	opts.Providers = []verbs.Provider{soft.New(soft.Options{})}
	s := New(opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return s
}

func runScript(t *testing.T, s *Session, script string) {
	t.Helper()
	if err := s.RunScript(t.Context(), "script", strings.NewReader(script)); err != nil {
		t.Fatal(err)
	}
}

// commands returns the commands on the time line.
func commands(s *Session) []timeline.CommandDone {
	var done []timeline.CommandDone
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindCommand {
			done = append(done, *e.Command)
		}
	}
	return done
}

func TestFirstLight(t *testing.T) {
	var journal bytes.Buffer
	s := newSoft(t, core.Options{Journal: &journal})
	runScript(t, s, firstLight)
	if got := s.Timeline().Counts(); got.WCOK != 2 || got.WCFailed != 0 || got.Kind(timeline.KindState) != 6 {
		t.Errorf("%+v", got)
	}
	for _, d := range commands(s) {
		if d.Check != "" {
			t.Errorf("%s: our own check warns: %s", d.Line, d.Check)
		}
		t.Log(d.Resolved, "|", d.Call, "|", d.Result)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := s.Snapshot(); len(got.Objects) != 0 {
		t.Errorf("left over: %+v", got.Objects)
	}
	if lines := strings.Count(journal.String(), "\n"); lines != int(s.Timeline().Last()) {
		t.Errorf("%d journal lines for %d events", lines, s.Timeline().Last())
	}
}

func TestLoopbackOneSided(t *testing.T) {
	s := newSoft(t, core.Options{})
	runScript(t, s, loopback+`
write_mem src "abcdef"
post_send a RDMA_WRITE wr_id=1 sge=src:0:6 remote_addr=dst.addr+16 rkey=dst.rkey
poll_cq cq timeout=1s
expect wc wr_id=1 status=SUCCESS opcode=RDMA_WRITE
expect mem dst 16 "abcdef"
post_send b RDMA_READ sge=src:100:6 remote_addr=dst.addr+16 rkey=dst.rkey
poll_cq cq timeout=1s
expect mem src 100 "abcdef"
post_recv b wr_id=9
post_send a RDMA_WRITE_WITH_IMM sge=src:0:3 remote_addr=dst.addr rkey=dst.rkey imm_data=0xdeadbeef
poll_cq cq n=2 timeout=1s
expect wc wr_id=9 opcode=RECV_RDMA_WITH_IMM imm_data=0xdeadbeef byte_len=3
expect mem dst 0 "abc"
`)
	for _, d := range commands(s) {
		t.Log(d.Resolved, "|", d.Call, "|", d.Result, "|", d.Check)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// failures provokes each of the common mistakes, with the outcome on any provider.
const failures = loopbackShort + `
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

const loopbackShort = `
open_device soft0
alloc_pd pd
reg_mr src length=4096
reg_mr dst length=64 access=LOCAL_WRITE|REMOTE_WRITE
reg_mr closed length=64
create_cq cq
create_qp a
create_qp b
`

func TestFailures(t *testing.T) {
	s := newSoft(t, core.Options{})
	runScript(t, s, failures)
	want := map[string]string{ // by line: part of its check, part of its hint
		"modify_qp a RTS sq_psn=0":                                                            "RC RESET → RTS is not a valid transition|RC RESET → RTS is not a valid",
		"modify_qp a INIT port_num=1 pkey_index=0":                                            "missing qp_access_flags|missing qp_access_flags",
		"post_send a SEND sge=src:0:1":                                                        "a is INIT: SENDs need RTS|a is INIT: SENDs need RTS",
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:10 remote_addr=dst.addr rkey=0x7f":          "rkey 0x7f belongs to no region or window of b|",
		"post_send a RDMA_WRITE wr_id=2 sge=src:0:100 remote_addr=dst.addr rkey=dst.rkey":     "are not inside dst|",
		"post_send a RDMA_READ wr_id=3 sge=src:0:10 remote_addr=closed.addr rkey=closed.rkey": "closed lacks REMOTE_READ|",
		"close pd": "|close src, dst, closed, a, b first",
	}
	for _, d := range commands(s) {
		w, ok := want[d.Line]
		if !ok {
			continue
		}
		delete(want, d.Line)
		check, hint, _ := strings.Cut(w, "|")
		if !strings.Contains(d.Check, check) || !strings.Contains(d.Hint, hint) {
			t.Errorf("%s\n check %q, want %q\n hint %q, want %q", d.Line, d.Check, check, d.Hint, hint)
		}
	}
	if len(want) > 0 {
		t.Errorf("not run: %v", want)
	}
}
