package session_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// vainPair are two connected queue pairs, each with a completion queue of its own.
const vainPair = `open_device soft0
alloc_pd pd
reg_mr m length=4096 access=LOCAL_WRITE|REMOTE_WRITE
create_comp_channel ch
create_cq cqa cqe=16
create_cq cqb cqe=16 channel=ch
create_qp a pd=pd send_cq=cqa recv_cq=cqa
create_qp b pd=pd send_cq=cqb recv_cq=cqb
`

const vainDatagrams = `open_device soft0
alloc_pd pd
reg_mr m length=4096 access=LOCAL_WRITE
create_cq cqa cqe=16
create_cq cqb cqe=16
create_qp a pd=pd qp_type=UD send_cq=cqa recv_cq=cqa
create_qp b pd=pd qp_type=UD send_cq=cqb recv_cq=cqb
connect_qps a b
`

// TestWaitsTellTheirCause: a wait that times out ends with what the session knows to be wrong, and what to do.
func TestWaitsTellTheirCause(t *testing.T) {
	for _, tt := range []struct{ name, script, wait, want string }{
		{"unsignaled",
			vainPair +
				"connect_qps a b\npost_send a RDMA_WRITE wr_id=1 sge=m:0:8 remote_addr=m.addr rkey=m.rkey send_flags=0",
			"poll_cq cqa timeout=1s",
			"wr_id 1 of a (RDMA_WRITE) is not SIGNALED, so it has no completion unless it fails"},
		{"never armed",
			vainPair + "connect_qps a b\npost_recv b sge=m:0:64\npost_send a SEND sge=m:0:8",
			"get_cq_event ch timeout=1s",
			"cqb was never armed, so its 1 completion raised no event"},
		{"armed too late",
			vainPair +
				"connect_qps a b\npost_recv b sge=m:0:64\npost_send a SEND sge=m:0:8\nsleep 10ms\nreq_notify_cq cqb",
			"get_cq_event ch timeout=1s",
			"cqb has 1 completion from before it was armed: poll_cq cqb n=1 after arming"},
		{"armed for solicited",
			vainPair +
				"connect_qps a b\nreq_notify_cq cqb solicited_only=1\npost_recv b sge=m:0:64\npost_send a SEND sge=m:0:8",
			"get_cq_event ch timeout=1s",
			"cqb is armed for solicited completions only, and its completion is not solicited"},
		{"no RECV",
			vainPair + "connect_qps a b\npost_send a SEND wr_id=4 sge=m:0:8",
			"poll_cq cqa timeout=1s",
			"wr_id 4 of a waits: b had no RECV posted: "},
		{"no RECV at this end",
			vainPair + "connect_qps a b\npost_send a SEND wr_id=4 sge=m:0:8",
			"poll_cq cqb timeout=1s",
			"no request is outstanding on b: post a request first"},
		{"nothing sent",
			vainPair + "connect_qps a b\npost_recv b sge=m:0:64",
			"poll_cq cqb timeout=1s",
			"a has no request outstanding, and b has 1 RECV posted: post_send a SEND"},
		{"not connected",
			vainPair + "modify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=0\npost_recv b sge=m:0:64",
			"poll_cq cqb timeout=1s",
			"b is in INIT (modify_qp b INIT) and drops packets: bring it to RTR"},
		{"the peer was reset",
			vainPair + "connect_qps a b retry_cnt=7 timeout=18\nmodify_qp b RESET\npost_send a SEND wr_id=4 sge=m:0:8",
			"poll_cq cqa timeout=3s",
			"wr_id 4 of a waits: b is in RESET (modify_qp b RESET) and drops packets"},
		{"the peer's device loses all",
			vainPair + "connect_qps a b timeout=18\nfault soft0 loss=1\npost_send a SEND wr_id=4 sge=m:0:8",
			"poll_cq cqa timeout=3s",
			"wr_id 4 of a waits: fault injection on soft0 drops 100 % of the packets: fault soft0 off"},
		{"a group without members",
			vainDatagrams +
				"create_ah ah pd=pd dgid=::ffff:239.1.2.3\npost_recv b sge=m:0:256\npost_send a SEND sge=m:0:64 ah=ah remote_qpn=0xffffff remote_qkey=0x11111111",
			"poll_cq cqb timeout=2s",
			"the last datagram of a went to group ::ffff:239.1.2.3, and no queue pair is attached to it: attach_mcast b gid=::ffff:239.1.2.3"},
		{"no room for the GRH",
			vainDatagrams +
				"create_ah ah pd=pd dgid=b.gid\npost_recv b sge=m:0:64\npost_send a SEND sge=m:0:64 ah=ah remote_qpn=b.qp_num remote_qkey=0x11111111",
			"poll_cq cqb timeout=2s",
			"the last datagram of a needs 104 bytes with its GRH, but the RECV of b has room for 64"},
		{"another Q_Key",
			vainDatagrams +
				"create_ah ah pd=pd dgid=b.gid\npost_recv b sge=m:0:104\npost_send a SEND sge=m:0:64 ah=ah remote_qpn=b.qp_num remote_qkey=0x12",
			"poll_cq cqb timeout=2s",
			"the last datagram of a has Q_Key 0x12, but qkey of b is 0x11111111: b drops it"},
		{"no queue pair", "open_device soft0\ncreate_cq cq", "poll_cq cq timeout=1s", "no queue pair completes in cq"},
		{"ping-pong", vainPair + "connect_qps a b", "pingpong b role=server size=64 mr=m n=1 event=1 timeout=1s",
			"a has no request outstanding, and b has "},
		{"nobody connects",
			"rdma_create_event_channel ec\nrdma_create_id l channel=ec\nrdma_bind_addr l port=7471\nrdma_listen l",
			"rdma_get_cm_event CONNECT_REQUEST id=l timeout=1s",
			"no peer has connected to "},
		{"no call", "rdma_create_event_channel ec\nrdma_create_id l channel=ec",
			"rdma_get_cm_event id=l event=ADDR_RESOLVED timeout=1s",
			"l is in IDLE, and ADDR_RESOLVED follows rdma_resolve_addr"},
		{"not in ERR", vainPair + "connect_qps a b", "expect async QP_LAST_WQE_REACHED qp=a timeout=1s",
			"a has no SRQ, and only queue pairs with one raise QP_LAST_WQE_REACHED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
				defer s.Close()
				sessiontest.RunLines(t, s, tt.script)
				done, err := s.Exec(t.Context(), tt.wait)
				if err == nil || !strings.HasPrefix(done.Hint, tt.want) {
					t.Errorf("%v; hint %q, want %q", err, done.Hint, tt.want)
				}
			})
		})
	}
}

// TestErrnosTellTheirCause: a refused call ends with what can lead to its errno, with values; what cannot is only
// warned of.
func TestErrnosTellTheirCause(t *testing.T) {
	for _, tt := range []struct{ script, line, errno, want string }{
		{vainPair, "connect_qps a b max_rd_atomic=255", "EINVAL",
			"max_rd_atomic 255 is above the device's max_qp_init_rd_atom 128"},
		{vainPair, "repeat 2 connect_qps a b max_dest_rd_atomic=255", "EINVAL",
			"max_dest_rd_atomic 255 is above the device's max_qp_rd_atom 128"},
		{vainPair, "create_qp c pd=pd send_cq=cqa max_inline_data=100000", "EINVAL",
			"max_inline_data 100000 is above what soft0 accepts, at most 512"},
		{vainPair, "create_qp c pd=pd send_cq=cqa max_inline_data=100000 max_send_wr=1000000", "EINVAL",
			"max_send_wr is more than the device's max_qp_wr "},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
			defer s.Close()
			sessiontest.RunLines(t, s, tt.script)
			done, err := s.Exec(t.Context(), tt.line)
			if err == nil || done.Errno != tt.errno || !strings.HasPrefix(done.Hint, tt.want) ||
				strings.Contains(done.Hint, "RECV") {
				t.Errorf("%s: %v; hint %q, want %q", tt.line, err, done.Hint, tt.want)
			}
		})
	}
}

// TestEmptyRequestsAreNotWarnedOf: a request that accesses no byte needs no valid key or address; IBA C9-88.
func TestEmptyRequestsAreNotWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		line string
		warn bool
	}{
		{"post_send a RDMA_WRITE sge=m:0:0:0xbad remote_addr=0 rkey=0xbad", false},
		{"post_send a RDMA_WRITE remote_addr=0 rkey=0xbad", false},
		{"post_send a RDMA_READ sge=m:0:0:0xbad remote_addr=0 rkey=0xbad", false},
		{"post_send a RDMA_WRITE sge=m:0:1 remote_addr=0 rkey=0xbad", true},
		{"post_send a ATOMIC_FETCH_AND_ADD sge=m:0:8 compare_add=1 remote_addr=0 rkey=0xbad", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
			defer s.Close()
			sessiontest.RunLines(t, s,
				vainPair+"connect_qps a b qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC")
			done, err := s.Exec(t.Context(), tt.line)
			if err != nil || strings.Contains(done.Check, "key 0xbad") != tt.warn {
				t.Errorf("%s: %v, warned of %q", tt.line, err, done.Check)
			}
			if tt.warn {
				return
			}
			if _, err := s.Exec(t.Context(), "expect wc timeout=1s status=SUCCESS"); err != nil {
				sessiontest.RunLines(t, s, "poll_cq cqa timeout=1s\nexpect wc status=SUCCESS")
			}
		})
	}
}

// TestSwappedNumbersAreRecognized: a number of the peer with its bytes in the wrong order is told beforehand, and where
// a received one is compared.
func TestSwappedNumbersAreRecognized(t *testing.T) {
	const order = "the same bytes in the wrong order"
	connected := vainPair + "connect_qps a b\n"
	for _, tt := range []struct{ script, line, want string }{
		{"open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a pd=pd\n" +
			"peer p qp_num=0x123456 psn=0x0a0b0c gid=::ffff:10.0.0.9\n" +
			"modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0",
			"modify_qp a RTR path_mtu=1024 dest_qp_num=0x563412 rq_psn=0x0a0b0c max_dest_rd_atomic=1 " +
				"min_rnr_timer=12 dgid=p.gid", "dest_qp_num 0x563412 is the qp_num of p, 0x123456, " + order},
		{connected + "post_recv b sge=m:0:8\n" +
			"post_send a SEND_WITH_IMM sge=m:0:8 imm_data=0x01020304\npoll_cq cqb timeout=1s",
			"expect wc imm_data=0x04030201", "imm_data 0x01020304, not 0x04030201: " + order},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
			defer s.Close()
			sessiontest.RunLines(t, s, tt.script)
			done, _ := s.Exec(t.Context(), tt.line)
			if !strings.Contains(done.Check+done.Err, tt.want) {
				t.Errorf("%s: check %q, error %q, want %q", tt.line, done.Check, done.Err, tt.want)
			}
		})
	}
}

// TestPortsReadAgain: what a port has become without an event is named as the cause, of a wait in vain, which names
// only a queue, and of a flushed request.
func TestPortsReadAgain(t *testing.T) {
	const down = "port 1 of fake0 is DOWN, so no packet passes"
	for _, tt := range []struct {
		name   string
		change func(*verbs.PortAttr)
		failed bool // a request is flushed
		want   string
	}{
		{"down", func(p *verbs.PortAttr) { p.State = 1 }, false, down},
		{"down, flushed", func(p *verbs.PortAttr) { p.State = 1 }, true, down},
		{"smaller", func(p *verbs.PortAttr) { p.ActiveMTU = verbs.MTU512 }, false,
			"path_mtu 1024 of a is above active_mtu 512 of port 1 of fake0: raise the MTU of the interface"},
	} {
		s, f := sessiontest.Card(t, verbs.PortAttr{State: verbs.PortActive, ActiveMTU: verbs.MTU1024,
			LinkLayer: verbs.LinkEthernet})
		sessiontest.RunScript(t, s, "open_device\nalloc_pd pd\nreg_mr m length=64\ncreate_cq cq\n"+
			"create_qp a\ncreate_qp b\nconnect_qps a b\npost_recv b sge=m:0:8")
		tt.change(&f.Ports[0])
		if tt.failed {
			flushed := func(wcs []verbs.WC) int {
				wcs[0] = verbs.WC{Status: verbs.WCWRFlushErr, QPNum: s.Snapshot().QPs[1].Num}
				return 1
			}
			f.Cqs[0].Next.Store(&flushed)
		}
		done, err := s.Exec(t.Context(), "poll_cq cq n=1 timeout=20ms")
		got := done.Hint
		if tt.failed && err == nil {
			for _, e := range s.Timeline().Snapshot() {
				got += e.WC.Why()
			}
			last, _ := s.Exec(t.Context(), "expect wc status=SUCCESS")
			if !strings.HasPrefix(last.Hint, tt.want+": bring the link up") {
				t.Errorf("%s: the last line has the hint %q", tt.name, last.Hint)
			}
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %v, %q; want %q", tt.name, err, got, tt.want)
		}
	}
}

// TestUnknownHost: a line with a host's name that is not resolved has a next step. The name needs no network.
func TestUnknownHost(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
	defer s.Close()
	sessiontest.RunLines(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\n"+
		"rdma_create_event_channel ec\nrdma_create_id id channel=ec")
	for _, line := range []string{"exchange p qp=a address=no..host", "rdma_resolve_addr id no..host port=1"} {
		done, err := s.Exec(t.Context(), line)
		if err == nil || !strings.HasPrefix(done.Hint, "check the name's spelling") {
			t.Errorf("%s: %v; %q", line, err, done.Hint)
		}
	}
}
