package incident_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// apart is two sessions with the objects a and b; neither knows the other's.
type apart struct{ a, b *session.Session }

// qpValue returns the only queue pair of a session.
func qpValue(s *session.Session) core.QPView { return s.Snapshot().QPs[0] }

// connect brings a and b up. psn is added to the rq_psn of b; flags are its qp_access_flags.
func (x *apart) connect(t *testing.T, psn uint32, flags string) {
	a, b := qpValue(x.a), qpValue(x.b)
	up := func(s *session.Session, own, peer *core.QPView, rqPSN verbs.PSN, flags string) {
		sessiontest.RunScript(t, s, fmt.Sprintf(`modify_qp %[1]s INIT port_num=1 pkey_index=0 qp_access_flags=%[2]s
modify_qp %[1]s RTR path_mtu=1024 dest_qp_num=%[3]d rq_psn=%[4]d max_dest_rd_atomic=1 min_rnr_timer=1 dgid=%[5]s
modify_qp %[1]s RTS timeout=12 retry_cnt=2 rnr_retry=2 sq_psn=%[6]d max_rd_atomic=1`, own.Name, flags, peer.Num, rqPSN, peer.GID, own.PSN))
	}
	up(x.a, &a, &b, b.PSN, "REMOTE_WRITE")
	up(x.b, &b, &a, (a.PSN+verbs.PSN(psn))&verbs.MaxPSN, flags)
}

// TestPeerElsewhere: if the peer is not in the session, the first explanation is certain or marked as inferred, and
// blames nothing that was correct.
func TestPeerElsewhere(t *testing.T) {
	const all, write = "REMOTE_WRITE|REMOTE_READ",
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:8 remote_addr=ADDR rkey=KEY"
	for _, tt := range []struct {
		name    string
		psn     uint32
		flags   string
		at, own string // lines of b and of a; ADDR and KEY are those of b's region
		want    string
		open    bool
	}{
		{"wrong rkey", 0, all, "", "post_send a RDMA_WRITE wr_id=1 sge=src:0:8 remote_addr=ADDR rkey=0xbad00",
			"1: the peer refused rkey 0xbad00 for 8 bytes at ADDR; this session does not know its regions", true},
		{"deregistered", 0, all, "dereg_mr dst", write,
			"1: the peer refused rkey KEY for 8 bytes at ADDR; this session does not know its regions", true},
		{"qp_access_flags", 0, "0", "", write,
			"1: the peer refused RDMA_WRITE of 8 bytes as an invalid request; its queue pair is not in this session",
			true},
		{"RECV too short", 0, all, "post_recv b wr_id=2 sge=dst:0:8", "post_send a SEND wr_id=1 sge=src:0:64",
			"1: the peer refused SEND of 64 bytes as an invalid request; its queue pair is not in this session", true},
		{"no RECV", 0, all, "", "post_send a SEND wr_id=1 sge=src:0:8",
			"1: the peer had no RECV posted: 3 RNR NAKs in SPAN, rnr_retry=2", false},
		{"gone", 0, all, "destroy_qp b", "post_send a SEND wr_id=1 sge=src:0:8",
			"1: no answer from queue pair QPN at ::ffff:127.0.0.2 (3 timeouts in SPAN, retry_cnt=2, timeout=12 (16.8 ms))", true},
		{"PSN", 100, all, "", "post_send a SEND wr_id=1 sge=src:0:8",
			"1: no answer from queue pair QPN at ::ffff:127.0.0.2 (3 timeouts in SPAN, retry_cnt=2, timeout=12 (16.8 ms))", true},
		{"PSN behind", 1<<24 - 100, all, "", "post_send a SEND wr_id=1 sge=src:0:8",
			"1: no answer from queue pair QPN at ::ffff:127.0.0.2 (3 timeouts in SPAN, retry_cnt=2, timeout=12 (16.8 ms))", true},
		{"own lkey", 0, all, "", "post_send a SEND wr_id=1 sge=src:0:8:0xbad00",
			"1: lkey 0xbad00 belongs to no region; src's lkey is KEY", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := sessiontest.SoftInOrder()
				begin := func(qp, mr, device string) *session.Session {
					psn := uint32(0)
					s := session.New(core.Options{Providers: []verbs.Provider{p},
						Rand: func() uint32 { psn++; return psn }})
					sessiontest.RunScript(t, s, "open_device "+device+"\nalloc_pd pd\nreg_mr "+mr+
						" pd=pd length=4096 access=LOCAL_WRITE|"+all+"\ncreate_cq cq\ncreate_qp "+qp)
					return s
				}
				x := &apart{begin("a", "src", "soft0"), begin("b", "dst", "soft1")}
				defer x.a.Close()
				defer x.b.Close()
				x.connect(t, tt.psn, tt.flags)
				dst := x.b.Snapshot().MRs[0]
				sessiontest.RunScript(t, x.b, tt.at)
				line := strings.NewReplacer("ADDR", fmt.Sprint(dst.Addr), "KEY", fmt.Sprint(dst.RKey)).Replace(tt.own)
				sessiontest.RunScript(t, x.a, line+"\npoll_cq cq timeout=10s")
				var got timeline.Event
				for _, e := range x.a.Timeline().Snapshot() {
					if e.Kind == timeline.KindWC {
						got = e
					}
				}
				if text := firstLine(&got); text != tt.want || got.WC.Cause.Open != tt.open {
					t.Errorf("%q, open %v; want %q", text, got.WC.Cause.Open, tt.want)
				}
			})
		})
	}
}
