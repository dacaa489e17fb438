package session_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// warned is a line and the warnings before the call, "" for none.
type warned struct{ line, check string }

// wantWarnings runs lines in order, whatever the provider returns.
func wantWarnings(t *testing.T, s *session.Session, lines []warned) {
	t.Helper()
	for _, w := range lines {
		check := address.ReplaceAllStringFunc(w.check, func(at string) string {
			name, off, _ := strings.Cut(strings.Trim(at, "{}"), "+")
			text, err := s.Core().LookUp(name, "addr")
			base, err2 := strconv.ParseUint(text, 0, 64)
			n, err3 := strconv.ParseUint(off, 10, 64)
			if err := errors.Join(err, err2, err3); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("0x%x", base+n)
		})
		if done, err := s.Exec(t.Context(), w.line); done.Check != check {
			t.Errorf("%s (%v)\n told %q\n want %q", w.line, err, done.Check, check)
		}
	}
}

// address matches a placeholder for an address in a region: {src+8}.
var address = regexp.MustCompile(`\{\w+\+\d+\}`)

// wantWarningsAfter runs lines after a script, each once everything caused by the one before has happened, so that
// reports about the peer do not depend on timing.
func wantWarningsAfter(t *testing.T, script string, lines ...warned) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunScript(t, s, script)
		for _, w := range lines {
			synctest.Wait()
			wantWarnings(t, s, []warned{w})
		}
	})
}

// TestWarningsOfLimits: the maximum of a device or queue is accepted without a warning; one more is not.
func TestWarningsOfLimits(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s,
		"open_device\nalloc_pd\nreg_mr length=64\ncreate_cq\ncreate_srq pd=pd max_wr=4 max_sge=2")
	wantWarnings(t, s, []warned{
		{"create_cq c1 cqe=1048576", ""},
		{"create_cq c2 cqe=1048577", "cqe is more than max_cqe 1048576"},
		{"create_qp q1 send_cq=cq recv_cq=cq max_send_wr=16384 max_recv_wr=16384 max_send_sge=4 max_recv_sge=4", ""},
		{"create_qp q2 send_cq=cq recv_cq=cq max_send_wr=16385",
			"max_send_wr is more than the device's max_qp_wr 16384"},
		{"create_qp q3 send_cq=cq recv_cq=cq max_recv_wr=16385",
			"max_recv_wr is more than the device's max_qp_wr 16384"},
		{"create_qp q4 send_cq=cq recv_cq=cq max_send_sge=5 max_recv_sge=5",
			"max_send_sge is more than the device's max_sge 4; max_recv_sge is more than the device's max_sge 4"},
		{"create_qp q5 send_cq=cq recv_cq=cq srq=srq", ""},
		{"create_qp q6 send_cq=cq recv_cq=cq srq=srq max_recv_wr=3",
			"max_recv_wr is ignored: receive requests come from srq"},
		{"create_qp q7 send_cq=cq recv_cq=cq srq=srq max_recv_sge=1",
			"max_recv_sge is ignored: receive requests come from srq"},
		{"create_srq s1 max_wr=1024 max_sge=4", ""},
		{"create_srq s2 max_wr=1025", "max_wr is more than the device's max_srq_wr 1024"},
		{"create_srq s3 max_sge=5", "max_sge is more than the device's max_srq_sge 4"},
		{"modify_srq srq max_wr=1024", ""},
		{"modify_srq srq max_wr=1025", "max_wr is more than the device's max_srq_wr 1024"},
		{"modify_srq srq", "nothing to change: give srq_limit or max_wr"},
		{"rereg_mr mr", "nothing to change: give pd, length or access"},
		{"rereg_mr mr length=8", ""},
	})
	sessiontest.RunScript(t, s,
		"create_qp a send_cq=cq recv_cq=cq max_send_wr=2 max_recv_wr=3 max_send_sge=2 max_recv_sge=2 max_inline_data=8")
	wantWarnings(t, s, []warned{
		{"post_recv a sge=mr", "a is RESET: a RECV needs INIT or later"},
		{"modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0", ""},
		{"modify_qp q1 INIT port_num=2 pkey_index=0 qp_access_flags=0", "the device has no port 2"},
		{"modify_qp q2 INIT port_num=0 pkey_index=0 qp_access_flags=0", "the device has no port 0"},
		{"modify_qp a RTR path_mtu=2048 dest_qp_num=9 rq_psn=1 max_dest_rd_atomic=16 min_rnr_timer=12 dlid=7",
			"path_mtu 2048 is above the port's active_mtu 1024"},
	})
	sessiontest.RunScript(t, s,
		"create_qp b send_cq=cq recv_cq=cq\nmodify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=0")
	wantWarnings(t, s, []warned{
		{"modify_qp b RTR path_mtu=1024 dest_qp_num=9 rq_psn=1 max_dest_rd_atomic=17 min_rnr_timer=12 dlid=7",
			"max_dest_rd_atomic 17 is above the device's max_qp_rd_atom 16"},
		{"modify_qp b RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=1 max_rd_atomic=17",
			"max_rd_atomic 17 is above the device's max_qp_init_rd_atom 16"},
		{"modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=1 max_rd_atomic=16", ""},
		{"post_send a SEND sge=mr:0:8 send_flags=INLINE", ""},
		{"post_send a SEND sge=mr:0:9 send_flags=INLINE", "INLINE: 9 bytes, max_inline_data is 8"},
		{"post_send a SEND sge=mr:0:1", "no room: 2 of 2 requests are outstanding (max_send_wr)"},
		{"post_recv a sge=mr:0:32,mr:32:32", ""},
		{"post_recv a sge=mr:0:1,mr:1:1,mr:2:1", "3 SGEs: max_recv_sge is 2"},
		{"post_recv a sge=mr:0:1", "no room: 3 of 3 RECVs are posted (max_recv_wr)"},
		{"post_send q5 SEND", "q5 is RESET: SENDs need RTS"},
		{"post_recv q5 sge=mr", "q5 takes its RECVs from srq: post_srq_recv srq"},
	})
	// A refused registration allocates nothing: the largest region would be 1 GiB.
	f.Fail["mr"] = verbs.NewOpError("ibv_reg_mr", "", syscall.ENOMEM)
	wantWarnings(t, s, []warned{
		{"reg_mr m1 length=1073741824", ""},
		{"reg_mr m2 length=1073741825", "length is more than max_mr_size 1073741824"},
		{"reg_mr m3 length=8 access=REMOTE_WRITE", "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too"},
		{"reg_mr m4 length=8 access=REMOTE_ATOMIC", "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too"},
		{"reg_mr m5 length=8 access=REMOTE_READ", ""},
		{"reg_mr m6 length=8 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_ATOMIC", ""},
	})
}

// foreign has objects of two protection domains.
const foreign = `
open_device soft0
alloc_pd pd
alloc_pd other
reg_mr src pd=pd length=4096
reg_mr all pd=pd length=64 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND
reg_mr readable pd=pd length=64 access=REMOTE_READ|MW_BIND
reg_mr foreign pd=other length=64 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND
create_cq cq
create_srq s pd=other max_wr=2
create_qp a pd=pd max_send_wr=64
create_qp b pd=pd max_send_wr=64
create_qp c pd=other max_send_wr=64
create_qp u pd=pd qp_type=UD
connect_qps a b
`

// TestWarningsOfKeys: each key is checked against its region, and the region's domain, rights and bounds.
func TestWarningsOfKeys(t *testing.T) {
	for _, w := range []warned{
		{"create_qp d pd=pd srq=s", "s is in other, the queue pair in pd: RECVs need regions of other, on rxe of pd"},
		{"post_send a SEND sge=all:0:64", ""},
		{"post_send a SEND sge=all:0:65", "65 bytes at 0 are not inside all, which has 64"},
		{"post_send a SEND sge=all:64:0", ""},
		{"post_send a SEND sge=foreign:0:8", "foreign is in other, the queue in pd"},
		{"post_send a SEND sge=@0x1000:8:0x7f", "lkey 0x7f belongs to no region of this session"},
		{"post_recv b sge=readable:0:8", "readable lacks LOCAL_WRITE, which receiving needs"},
		{"post_send a RDMA_WRITE sge=readable:0:8 remote_addr=all.addr+56 rkey=all.rkey", ""},
		{"post_send a RDMA_WRITE sge=readable:0:8 remote_addr=all.addr+57 rkey=all.rkey",
			"8 bytes at 57 are not inside all, which has 64"},
		{"post_send a RDMA_WRITE sge=src:0:8 remote_addr=readable.addr rkey=readable.rkey",
			"readable lacks REMOTE_WRITE"},
		{"post_send a RDMA_WRITE sge=src:0:8 remote_addr=foreign.addr rkey=foreign.rkey",
			"foreign is in other, b in pd"},
		{"post_send a RDMA_READ sge=readable:0:8 remote_addr=all.addr rkey=all.rkey",
			"readable lacks LOCAL_WRITE, which receiving needs"},
		{"post_send a RDMA_READ sge=src:0:8 remote_addr=all.addr rkey=0x7f",
			"rkey 0x7f belongs to no region or window of b"},
		{"post_srq_recv s sge=foreign count=2", ""},
		{"post_srq_recv s sge=foreign count=3", "no room for 3: 0 of 2 RECVs are posted to s (max_wr)"},
		{"post_srq_recv s sge=src:0:8", "src is in pd, the queue in other"},
	} {
		wantWarningsAfter(t, foreign+"post_recv b sge=src", w)
	}
	wantWarningsAfter(t, foreign, warned{"post_srq_recv s sge=foreign count=2", ""},
		warned{"post_srq_recv s sge=src:0:8 count=1",
			"no room: 2 of 2 RECVs are posted to s (max_wr); src is in pd, the queue in other"})
	for right, op := range map[string]string{
		"REMOTE_WRITE": "RDMA_WRITE_WITH_IMM imm_data=1", "REMOTE_READ": "RDMA_READ",
		"REMOTE_ATOMIC": "ATOMIC_FETCH_AND_ADD compare_add=1",
	} {
		line := "post_send a " + op + " sge=src:0:8 remote_addr=all.addr rkey=all.rkey"
		wantWarningsAfter(t, foreign+"post_recv b sge=src count=2",
			warned{"modify_qp b RTS qp_access_flags=" + right, ""}, warned{line, ""},
			warned{"modify_qp b RTS qp_access_flags=0", ""}, warned{line, "the qp_access_flags of b lack " + right})
	}
}

// TestWarningsOfTheOtherEnd: if a queue pair cannot accept a message, a warning says so before it is sent, as soon as
// that is known.
func TestWarningsOfTheOtherEnd(t *testing.T) {
	const send, write = "post_send a SEND sge=src:0:8",
		"post_send a RDMA_WRITE sge=src:0:8 remote_addr=all.addr rkey=all.rkey"
	wantWarningsAfter(t, foreign, warned{send, "b has no RECV posted"})
	wantWarningsAfter(t, foreign+"post_recv b sge=src:0:4",
		warned{send, "the next RECV of b has room for 4 bytes, the message has 8"})
	wantWarningsAfter(t, foreign+"modify_qp b ERR", warned{write, "b is ERR: it drops packets"})
	wantWarningsAfter(t, foreign, warned{"post_send a RDMA_WRITE sge=src:0:8 remote_addr=all.addr rkey=0x7f",
		"rkey 0x7f belongs to no region or window of b"},
		warned{write, "b is ERR: it drops packets"})
	wantWarningsAfter(t, foreign, warned{"chain " + write + " ; " + send, "request 2: b has no RECV posted"})
	wantWarningsAfter(t, foreign+"post_recv b sge=src:0:8",
		warned{"chain " + send + " ; post_send a SEND sge=src:0:9", ""})
}

// TestWarningsOfWindows: each binding, and each use of one, is checked for domain, rights and bounds.
func TestWarningsOfWindows(t *testing.T) {
	for _, w := range []warned{
		{"bind_mw b one mr=all length=64 mw_access_flags=REMOTE_READ", ""},
		{"bind_mw b one mr=all addr=all.addr+1 length=64 mw_access_flags=REMOTE_READ",
			"64 bytes at 1 are not inside all, which has 64"},
		{"bind_mw b one mr=readable length=8 mw_access_flags=REMOTE_READ", ""},
		{"bind_mw b one mr=src length=8 mw_access_flags=REMOTE_READ", "src lacks MW_BIND"},
		{"bind_mw b one mr=readable length=8 mw_access_flags=REMOTE_WRITE",
			"REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, which readable lacks"},
		{"bind_mw b one mr=readable length=8 mw_access_flags=REMOTE_ATOMIC",
			"REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, which readable lacks"},
		{"bind_mw b one mr=all length=8 mw_access_flags=REMOTE_READ|ZERO_BASED",
			"only a window of TYPE_2 can be ZERO_BASED"},
		{"bind_mw b strange mr=foreign length=8 mw_access_flags=REMOTE_READ", "strange is in other, b in pd"},
		{"bind_mw b one mr=foreign length=8 mw_access_flags=REMOTE_READ", "foreign is in other, one in pd"},
		{"post_send a RDMA_READ sge=src:0:1 remote_addr=0 rkey=free.rkey", "free is not bound"},
	} {
		wantWarningsAfter(t,
			foreign+"alloc_mw one pd=pd type=TYPE_1\nalloc_mw two pd=pd type=TYPE_2\nalloc_mw strange pd=other type=TYPE_1\nalloc_mw free pd=other type=TYPE_2", w)
	}
	for _, w := range []warned{
		{"post_send b BIND_MW mw=two mr=all length=8 mw_access_flags=REMOTE_READ rkey=two.rkey",
			"two shows all: a window of TYPE_2 is bound again only after LOCAL_INV, or SEND_WITH_INV from the peer"},
		{"post_send a RDMA_READ sge=src:0:32 remote_addr=all.addr+8 rkey=two.rkey", ""},
		{"post_send a RDMA_READ sge=src:0:1 remote_addr=all.addr+7 rkey=two.rkey",
			"1 byte at {all+7} is not inside two, which has 32"},
		{"post_send a RDMA_READ sge=src:0:32 remote_addr=all.addr+9 rkey=two.rkey",
			"32 bytes at 1 are not inside two, which has 32"},
		{"post_send a RDMA_READ sge=src:0:0 remote_addr=all.addr+40 rkey=two.rkey", ""},
		{"post_send a RDMA_READ sge=src:0:0 remote_addr=all.addr+41 rkey=two.rkey", ""},
		{"post_send a RDMA_WRITE sge=src:0:8 remote_addr=all.addr+8 rkey=two.rkey", "two lacks REMOTE_WRITE"},
		{"post_send d RDMA_READ sge=src:0:8 remote_addr=all.addr+8 rkey=two.rkey",
			"two is bound on b, but the peer is e"},
		{"post_send a SEND_WITH_INV invalidate_rkey=two.rkey", ""},
		{"post_send d SEND_WITH_INV invalidate_rkey=two.rkey", "two is bound on b, not on e"},
		{"post_send b LOCAL_INV invalidate_rkey=two.rkey", ""},
		{"post_send b LOCAL_INV invalidate_rkey=0x7f",
			"invalidate_rkey 0x7f belongs to no window: only a window of TYPE_2 can be invalidated"},
	} {
		wantWarningsAfter(t, foreign+`
alloc_mw two pd=pd type=TYPE_2
create_qp d pd=pd max_send_wr=64
create_qp e pd=pd max_send_wr=64
connect_qps d e
post_recv b
post_recv e
post_send b BIND_MW mw=two mr=all addr=all.addr+8 length=32 mw_access_flags=REMOTE_READ
poll_cq cq timeout=10s
expect wc opcode=BIND_MW status=SUCCESS
`, w)
	}
}
