package completions

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// The commonest failures of a request: one press of f mends what caused it and posts it again, which then succeeds; or
// f is not offered, and the line says who must do what.
func TestFixEach(t *testing.T) {
	const (
		anew   = "modify_qp a RESET|modify_qp b RESET|connect_qps a b"
		write  = "post_send a RDMA_WRITE sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey"
		read   = "post_send a RDMA_READ sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey"
		atomic = "post_send a ATOMIC_FETCH_AND_ADD sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey compare_add=1"
		send   = "post_send a SEND sge=src:0:7"
		named  = " remote_addr=dst.addr rkey=dst.rkey"
		recv   = "post_recv b sge=dst:0:4096"
	)
	again := func(line string) string { return strings.Join(strings.Fields(line)[:3], " ") } // the rest may be mended
	set := func(lines ...string) []string { return lines }
	for _, tt := range []struct {
		name   string
		access string // of dst; "": all
		lines  []string
		post   string
		told   string
		ran    string // "": f is not offered
	}{
		{"no REMOTE_WRITE", "LOCAL_WRITE", nil, write, "f grants REMOTE_WRITE, connects it, posts it again",
			"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE|" + anew + "|" + again(write)},
		{"no REMOTE_READ", "LOCAL_WRITE", nil, read, "f grants REMOTE_READ, connects it, posts it again",
			"rereg_mr dst access=LOCAL_WRITE|REMOTE_READ|" + anew + "|" + again(read)},
		{"no REMOTE_ATOMIC", "LOCAL_WRITE", set("connect_qps a b qp_access_flags=REMOTE_ATOMIC"), atomic,
			"f grants REMOTE_ATOMIC, connects it, posts it again", "rereg_mr dst access=LOCAL_WRITE|REMOTE_ATOMIC|" +
				anew + " qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|" + again(atomic)},
		{"no REMOTE_WRITE of the queue pair", "", set("connect_qps a b qp_access_flags=REMOTE_READ"), write,
			"f connects it anew, posts it again", anew + "|" + again(write)},
		{"no REMOTE_ATOMIC of the queue pair", "", nil, atomic, "f connects it anew, posts it again",
			anew + " qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|" + again(atomic)},
		{"a wrong rkey", "", nil, strings.Replace(write, "rkey=dst.rkey", "rkey=0x12", 1),
			"f names dst, connects it, posts it again", anew + "|" + again(write)},
		{"an address outside", "", nil, strings.Replace(write, "=dst.addr", "=dst.addr+4095", 1),
			"f names dst, connects it, posts it again", anew + "|" + again(write)},
		{"no RECV in time", "", set("connect_qps a b rnr_retry=0"), send,
			"f connects it, posts a RECV, posts it again", anew + "|" + recv + "|" + again(send)},
		{"a RECV too small", "", set("connect_qps a b", "post_recv b sge=dst:0:4"), send,
			"f connects it anew, posts a RECV, posts it again", anew + "|" + recv + "|" + again(send)},
		{"memory of another domain", "", set("connect_qps a b", "alloc_pd other",
			"reg_mr far pd=other length=64 access=LOCAL_WRITE"), strings.Replace(write, "sge=src", "sge=far", 1),
			"f names src, connects it, posts it again", anew + "|" + again(write)},
		{"no LOCAL_WRITE", "", set("connect_qps a b", "rereg_mr src access=REMOTE_READ"), read,
			"f grants LOCAL_WRITE, connects it, posts it again",
			"rereg_mr src access=LOCAL_WRITE|REMOTE_READ|" + anew + "|" + again(read)},
		{"flushed", "", set("connect_qps a b", "modify_qp a ERR"), write, "f connects it, posts it again",
			anew + "|" + again(write)},
		{"the peer in ERR", "", set("connect_qps a b timeout=1 retry_cnt=1", "modify_qp b ERR"), write,
			"f connects it, posts it again", anew + "|" + again(write)},
		{"packets lost", "", set("connect_qps a b timeout=1 retry_cnt=1", "fault soft0 loss=100%"), write,
			"f stops the faults, connects it, posts it again", "fault soft0 off|" + anew + "|" + again(write)},
		{"more bytes than any region", "", set("connect_qps a b", "reg_mr big length=8192 access=LOCAL_WRITE"),
			strings.Replace(write, "src:0:7", "big:0:8192", 1),
			"8,192 bytes at 0 are not inside dst, which has 4,096: " +
				"no known region of the peer has these bytes and the right", ""},
		{"a remote peer", "", set("peer p lid=0 qp_num=0x77 psn=0x88 gid=b.gid",
			"connect_qps a p timeout=1 retry_cnt=1"),
			write, "the peer must reset its end too: connect both anew on Bring-up (2)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sess := uitest.NewSession(t, session.Options{})
			env := sess.Env(theme.New("none", true))
			s := New(env)
			d := uitest.NewScreen(t, env, s)
			access := tt.access
			if access == "" {
				access = "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"
			}
			sess.Do("open_device soft0", "alloc_pd pd", "reg_mr src length=4096 access=LOCAL_WRITE",
				"reg_mr dst length=4096 access="+access, "create_cq cq cqe=64", "create_cq cqb cqe=64",
				"create_qp a send_cq=cq", "create_qp b send_cq=cqb")
			if tt.lines == nil {
				tt.lines = set("connect_qps a b")
			}
			sess.Do(tt.lines...)
			sess.Do(tt.post, "poll_cq cq timeout=10s")
			d.Frame()
			if c := s.selected(); c == nil || !c.WC.Failed() {
				t.Fatalf("it has not failed: %+v", c)
			}
			if got := s.detail.mend.Advice(); got != tt.told {
				t.Fatalf("%q, want %q", got, tt.told)
			}
			d.Shows(200, 60, strings.Join(strings.Fields(tt.told)[:4], " "))
			if canFix(s) != (tt.ran != "") {
				t.Fatalf("f is offered: %t", canFix(s))
			}
			if tt.ran == "" {
				return
			}
			d.Keys("f")
			for short, line := range map[string]string{"WRITE": write, "READ": read, "ATOMIC": atomic} {
				if at := strings.LastIndex(tt.ran, "|"); tt.ran[at+1:] == short {
					tt.ran = tt.ran[:at+1] + line
				}
			}
			at := strings.LastIndex(tt.ran, "|post_") + 1
			lines, posted := sess.Lines(), tt.ran[at:]
			if got, last := strings.Join(lines[:len(lines)-1], "|")+"|", lines[len(lines)-1]; got != tt.ran[:at] ||
				!strings.HasPrefix(last, posted) {
				t.Fatalf("ran %s%s", got, last)
			}
			sess.Do("poll_cq cq timeout=10s")
			d.Frame()
			if c := s.selected(); c == nil || c.WC.Status != verbs.WCSuccess {
				t.Errorf("after f: %+v", c)
			}
			if canFix(s) {
				t.Error("f is still offered")
			}
		})
	}
}

// f acts on no queue pair that the title does not name: it first takes that of the failed completion in hand.
func TestFixTakesInHandFirst(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{})
	env := sess.Env(theme.New("none", true))
	s := New(env)
	d := uitest.NewScreen(t, env, s)
	sess.Do("open_device soft0", "alloc_pd pd", "reg_mr src length=4096 access=LOCAL_WRITE", "create_cq cq cqe=64",
		"create_qp a", "create_qp b", "create_qp c", "create_qp d", "connect_qps a b", "connect_qps c d",
		"modify_qp a ERR", "post_send a SEND sge=src:0:8", "poll_cq cq timeout=10s")
	env.Hand.Take("c")
	d.Frame()
	sess.Lines()
	if d.Keys("f"); len(sess.Lines()) > 0 || env.Hand.In(s.detail.session) != "a" {
		t.Errorf("with c in hand f acts, or takes %s in hand", env.Hand.In(s.detail.session))
	}
	if d.Keys("f"); len(sess.Lines()) == 0 {
		t.Error("the second f does nothing")
	}
}
