package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// lined is a run whose lines do nothing, except that those that refused names fail.
type lined struct {
	*Run
	lines   []string
	refused func(line string, number int) bool
	carry   func(*core.Call) error // carries out a line that is not refused; nil: it does nothing
}

func newLined(p Params) *lined {
	l := &lined{}
	s := coretest.New(core.Options{}, func(c *core.Call) error {
		if l.lines = append(l.lines, c.Cmd.Text); l.refused != nil && l.refused(c.Cmd.Text, len(l.lines)) {
			return syscall.EIO
		}
		if l.carry != nil {
			return l.carry(c)
		}
		return nil
	})
	l.Run = &Run{s: s, p: p.Settle(), dev: &device.Device{
		Node: &core.Node{Name: "d0"}, Info: verbs.DeviceInfo{Name: "d0"},
		Attr: verbs.DeviceAttr{MaxQPInitRDAtom: 16}, Ports: []verbs.PortAttr{{}},
	}}
	l.p.DevicePort, l.p.Outs, l.p.Inline = 1, max(l.p.Outs, 1), max(l.p.Inline, 0)
	l.info.Common = Common{CycleBuffer: 4096, CacheLine: 64, MTU: verbs.MTU1024}
	return l
}

// same reports lines that differ from those that are wanted.
func (l *lined) same(t *testing.T, name string, want ...string) {
	t.Helper()
	if !slices.Equal(l.lines, want) {
		t.Errorf("%s:\n\t%s\nwant\n\t%s", name, strings.Join(l.lines, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// madeRows are tests with the lines that make their objects.
var madeRows = []struct {
	name string
	p    Params
	want []string
}{
	{"WRITE", params(Write, false, func(p *Params) { p.Size = 65536 }), []string{
		"alloc_pd bench-pd device=d0",
		"reg_mr bench-mr pd=bench-pd length=131072 access=LOCAL_WRITE|REMOTE_WRITE",
		"create_cq bench-cq device=d0 cqe=10",
		"create_qp bench-qp0 pd=bench-pd send_cq=bench-cq recv_cq=bench-cq qp_type=RC max_send_wr=10 max_recv_wr=1 " +
			"max_inline_data=0",
		"modify_qp bench-qp0 INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE",
	}},
	{"READ on two queue pairs, of a partition", params(Read, false, func(p *Params) {
		p.QPs, p.PKeyIndex, p.DevicePort = 2, 3, 1
	}), []string{
		"alloc_pd bench-pd device=d0",
		"reg_mr bench-mr pd=bench-pd length=16384 access=LOCAL_WRITE|REMOTE_READ", // 2 pages for each
		"create_cq bench-cq device=d0 cqe=20",
		"create_qp bench-qp0 pd=bench-pd send_cq=bench-cq recv_cq=bench-cq qp_type=RC max_send_wr=10 max_recv_wr=1 " +
			"max_inline_data=0",
		"modify_qp bench-qp0 INIT port_num=1 pkey_index=3 qp_access_flags=REMOTE_READ",
		"create_qp bench-qp1 pd=bench-pd send_cq=bench-cq recv_cq=bench-cq qp_type=RC max_send_wr=10 max_recv_wr=1 " +
			"max_inline_data=0",
		"modify_qp bench-qp1 INIT port_num=1 pkey_index=3 qp_access_flags=REMOTE_READ",
	}},
	{"READ on demand", params(Read, true, func(p *Params) { p.OnDemand = true }), []string{
		"alloc_pd bench-pd device=d0",
		"reg_mr bench-mr pd=bench-pd length=8192 access=LOCAL_WRITE|REMOTE_READ|ON_DEMAND",
		"create_cq bench-cq device=d0 cqe=1",
		"create_qp bench-qp0 pd=bench-pd send_cq=bench-cq recv_cq=bench-cq qp_type=RC max_send_wr=1 max_recv_wr=1 " +
			"max_inline_data=0",
		"modify_qp bench-qp0 INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_READ",
	}},
	{"SEND with events and inline data", params(Send, true, func(p *Params) {
		p.Events, p.Vector, p.Inline, p.RXDepth = true, 3, 236, 8
	}), []string{
		"alloc_pd bench-pd device=d0",
		"reg_mr bench-mr pd=bench-pd length=8192 access=LOCAL_WRITE",
		"create_comp_channel bench-channel device=d0",
		"create_cq bench-cq device=d0 cqe=1 channel=bench-channel comp_vector=3",
		"create_cq bench-recv-cq device=d0 cqe=8 channel=bench-channel comp_vector=3",
		"create_qp bench-qp0 pd=bench-pd send_cq=bench-cq recv_cq=bench-recv-cq qp_type=RC max_send_wr=1 " +
			"max_recv_wr=8 max_inline_data=236",
		"modify_qp bench-qp0 INIT port_num=1 pkey_index=0 qp_access_flags=0",
	}},
	{"datagrams that share a receive queue, with events", params(Send, false, func(p *Params) {
		p.Connection, p.SharedQueue, p.Size, p.Events, p.QPs, p.RXDepth = verbs.UD, true, 4096, true, 2, 8
	}), []string{
		"alloc_pd bench-pd device=d0",
		"reg_mr bench-mr pd=bench-pd length=16640 access=LOCAL_WRITE", // 4 times 4096 and a GRH, to full cache lines
		"create_comp_channel bench-channel device=d0",
		"create_cq bench-cq device=d0 cqe=20 channel=bench-channel comp_vector=0",
		"create_cq bench-recv-cq device=d0 cqe=16 channel=bench-channel comp_vector=0",
		"create_srq bench-srq pd=bench-pd max_wr=8",
		"create_qp bench-qp0 pd=bench-pd send_cq=bench-cq recv_cq=bench-recv-cq qp_type=UD max_send_wr=10 " +
			"srq=bench-srq max_inline_data=0",
		"modify_qp bench-qp0 INIT port_num=1 pkey_index=0 qkey=0x11111111",
		"create_qp bench-qp1 pd=bench-pd send_cq=bench-cq recv_cq=bench-recv-cq qp_type=UD max_send_wr=10 " +
			"srq=bench-srq max_inline_data=0",
		"modify_qp bench-qp1 INIT port_num=1 pkey_index=0 qkey=0x11111111",
	}},
	{"a client that shares no receive queue, in huge pages", params(Send, false, func(p *Params) {
		p.Host, p.SharedQueue, p.Connection, p.HugePages, p.RXDepth = "h", true, verbs.UC, true, 8
	}), []string{
		"alloc_pd bench-pd device=d0",
		fmt.Sprintf("reg_mr bench-mr pd=bench-pd length=%d access=LOCAL_WRITE backing=hugetlb",
			memory.InHugePages(8192)),
		"create_cq bench-cq device=d0 cqe=10", "create_cq bench-recv-cq device=d0 cqe=8",
		"create_qp bench-qp0 pd=bench-pd send_cq=bench-cq recv_cq=bench-recv-cq qp_type=UC max_send_wr=10 " +
			"max_recv_wr=8 max_inline_data=0",
		"modify_qp bench-qp0 INIT port_num=1 pkey_index=0 qp_access_flags=0",
	}},
}

// TestMade: a test makes its objects as perftest does, with the sizes and rights that it needs and no other. The first
// line that fails is the last.
func TestMade(t *testing.T) {
	for _, tt := range madeRows {
		for fails := range len(tt.want) + 1 {
			l := newLined(tt.p)
			l.refused = func(_ string, number int) bool { return number == fails }
			want := tt.want
			if fails > 0 {
				want = want[:fails]
			}
			if err := l.makeByHand(t.Context()); errors.Is(err, syscall.EIO) != (fails > 0) {
				t.Errorf("%s, line %d fails: %v", tt.name, fails, err)
			}
			l.same(t, fmt.Sprintf("%s, line %d fails", tt.name, fails), want...)
		}
	}
	l := newLined(params(Read, false, func(*Params) {}))
	if l.dev.Info.Transport = "iWARP"; l.access() != verbs.LocalWrite|verbs.RemoteRead|verbs.RemoteWrite {
		t.Errorf("READ on iWARP grants %s", l.access()) // there the answer is a WRITE of the peer
	}
	l = newLined(params(Atomic, false, func(p *Params) { p.Size = 8 }))
	if l.access() != verbs.LocalWrite|verbs.RemoteAtomic || l.initAttr() != "qp_access_flags=REMOTE_ATOMIC" {
		t.Errorf("atomic operations need %s, %s", l.access(), l.initAttr())
	}
}

// TestReady: a queue pair is brought up with the attributes of perftest's ctx_connect. One that only receives stays in
// RTR, and only RC has timers and READs.
func TestReady(t *testing.T) {
	const global = " is_global=1 dgid=fe80::2 sgid_index=4 hop_limit=255 traffic_class=106"
	peer := Dest{LID: 5, QPN: 0x12, PSN: 3, OutReads: 4, GID: verbs.GID{0: 0xfe, 1: 0x80, 15: 2}}
	for _, tt := range []struct {
		name string
		p    Params
		gid  bool
		want []string
	}{
		{"RC", params(Write, false, func(p *Params) { p.Host = "h" }), false, []string{
			"modify_qp bench-qp1 RTR path_mtu=1024 dest_qp_num=18 rq_psn=3 ah_port_num=1 dlid=5 sl=2 " +
				"max_dest_rd_atomic=1 min_rnr_timer=12",
			"modify_qp bench-qp1 RTS sq_psn=9 timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=4",
		}},
		{"RC of READs, by GIDs", params(Read, false, func(p *Params) {
			p.Host, p.Outs, p.Timeout, p.RetryCount = "h", 7, 20, 3
		}), true, []string{
			"modify_qp bench-qp1 RTR path_mtu=1024 dest_qp_num=18 rq_psn=3 ah_port_num=1 dlid=5 sl=2" + global +
				" max_dest_rd_atomic=7 min_rnr_timer=12",
			"modify_qp bench-qp1 RTS sq_psn=9 timeout=20 retry_cnt=3 rnr_retry=7 max_rd_atomic=4",
		}},
		{"a server of READs", params(Read, true, func(p *Params) { p.Outs = 7 }), false, []string{
			"modify_qp bench-qp1 RTR path_mtu=1024 dest_qp_num=18 rq_psn=3 ah_port_num=1 dlid=5 sl=2 " +
				"max_dest_rd_atomic=7 min_rnr_timer=12",
		}},
		{"UC", params(Send, true, func(p *Params) { p.Connection = verbs.UC }), false, []string{
			"modify_qp bench-qp1 RTR path_mtu=1024 dest_qp_num=18 rq_psn=3 ah_port_num=1 dlid=5 sl=2",
			"modify_qp bench-qp1 RTS sq_psn=9",
		}},
		{"UD", params(Send, true, func(p *Params) { p.Connection = verbs.UD }), true, []string{
			"modify_qp bench-qp1 RTR", "modify_qp bench-qp1 RTS sq_psn=9",
			"create_ah bench-ah1 pd=bench-pd port_num=1 dlid=5 sl=2" + global,
		}},
		{"a receiver of datagrams", params(Send, false, func(p *Params) { p.Connection = verbs.UD }),
			false, []string{"modify_qp bench-qp1 RTR"}},
	} {
		for fails := range len(tt.want) + 1 {
			l := newLined(tt.p)
			l.p.ServiceLevel, l.p.GIDIndex, l.p.TrafficClass, l.x.GID = 2, 4, 106, tt.gid
			l.refused = func(_ string, number int) bool { return number == fails }
			lane := &lane{own: Dest{PSN: 9}, peer: peer}
			want := tt.want
			if fails > 0 {
				want = want[:fails]
			}
			if err := l.ready(t.Context(), lane, 1); errors.Is(err, syscall.EIO) != (fails > 0) {
				t.Errorf("%s, line %d fails: %v", tt.name, fails, err)
			}
			l.same(t, fmt.Sprintf("%s, line %d fails", tt.name, fails), want...)
			if udSender := tt.p.Connection == verbs.UD && len(want) == 3; udSender && lane.qkey != 0x11111111 {
				t.Errorf("%s: Q_Key %#x", tt.name, lane.qkey)
			}
		}
	}
	for _, tt := range []struct{ peer, own, want uint32 }{{4, 16, 4}, {16, 4, 4}, {300, 400, 255}, {0, 16, 0}} {
		l := newLined(params(Read, false, func(*Params) {}))
		l.dev.Attr.MaxQPInitRDAtom = int32(tt.own)
		if got := l.outstanding(&lane{peer: Dest{OutReads: tt.peer}}); got != tt.want {
			t.Errorf("the peer responds to %d, the device has %d: %d outstanding", tt.peer, tt.own, got)
		}
	}
}

// TestManagedLines: the lines of the connection manager, for both ends and both kinds of queue pairs.
func TestManagedLines(t *testing.T) {
	client := func(p *Params) { p.Host, p.CM, p.Port = "10.0.0.1", true, 7 }
	server := func(p *Params) { p.CM, p.Port = true, 7 }
	for _, tt := range []struct {
		name string
		p    Params
		run  func(l *lined) error
		want []string
	}{
		{"a client begins", params(Send, false, client),
			func(l *lined) error { return l.cmBegin(t.Context(), "x") }, []string{
				"rdma_create_id x channel=bench-events ps=TCP", "rdma_resolve_addr x 10.0.0.1 port=7",
				"rdma_get_cm_event ADDR_RESOLVED id=x timeout=30s", "rdma_resolve_route x",
				"rdma_get_cm_event ROUTE_RESOLVED id=x timeout=30s",
			}},
		{"a server waits for its first client", params(Send, false, server),
			func(l *lined) error { return l.cmBegin(t.Context(), nameControl) }, []string{
				"rdma_create_id bench-listen channel=bench-events ps=TCP", "rdma_bind_addr bench-listen  port=7",
				"rdma_listen bench-listen",
				"rdma_get_cm_event CONNECT_REQUEST id=bench-listen name=bench-control timeout=24h",
			}},
		{"a server waits for a queue pair", params(Send, false, server),
			func(l *lined) error { return l.cmBegin(t.Context(), "x") },
			[]string{"rdma_get_cm_event CONNECT_REQUEST id=bench-listen name=x timeout=30s"}},
		{"a client connects", params(Read, false, client),
			func(l *lined) error { return l.cmEnd(t.Context(), "x", 5) }, []string{
				"rdma_connect x responder_resources=5 initiator_depth=5 rnr_retry_count=7 retry_count=7",
				"rdma_get_cm_event ESTABLISHED id=x timeout=30s",
			}},
		{"a server accepts", params(Read, false, server),
			func(l *lined) error { return l.cmEnd(t.Context(), "x", 5) }, []string{
				"rdma_accept x responder_resources=5 initiator_depth=5 rnr_retry_count=7",
				"rdma_get_cm_event ESTABLISHED id=x timeout=30s",
			}},
	} {
		for fails := range len(tt.want) + 1 {
			l := newLined(tt.p)
			l.refused = func(_ string, number int) bool { return number == fails }
			want := tt.want
			if fails > 0 {
				want = want[:fails]
			}
			if err := tt.run(l); errors.Is(err, syscall.EIO) != (fails > 0) {
				t.Errorf("%s, line %d fails: %v", tt.name, fails, err)
			}
			l.same(t, fmt.Sprintf("%s, line %d fails", tt.name, fails), want...)
		}
	}
}

// TestDatagramLines: the client of a latency test of datagrams sends its queue pair's number behind the server's
// address, for which the server has a RECV before it accepts. In one direction nobody needs it.
func TestDatagramLines(t *testing.T) {
	for _, tt := range []struct {
		latency, both bool
		answers       bool
	}{{true, false, true}, {false, true, true}, {false, false, false}} {
		l := newLined(params(Send, tt.latency, func(p *Params) {
			p.Connection, p.CM, p.Bidirectional = verbs.UD, true, tt.both
		}))
		if l.area = 4096; !tt.latency {
			l.p.QPs = 2
		}
		at := uint64(l.p.QPs+1) * 4096 // the receive half of the second buffer
		connect := []string{"rdma_connect x", "rdma_get_cm_event ESTABLISHED id=x timeout=30s",
			"create_ah bench-ah1 pd=bench-pd id=x",
			"post_send bench-qp1 SEND_WITH_IMM sge=bench-mr:4096:4 imm_data=bench-qp1.qp_num ah=bench-ah1 " +
				"remote_qpn=x.remote_qpn remote_qkey=x.remote_qkey send_flags=SIGNALED",
			"poll_cq bench-cq n=1 timeout=30s"}
		accept := []string{fmt.Sprintf("post_recv bench-qp1 sge=bench-mr:%d:44", at), "rdma_accept x",
			"poll_cq bench-recv-cq n=1 timeout=30s",
			fmt.Sprintf("create_ah_from_wc bench-ah1 pd=bench-pd cq=bench-recv-cq mr=bench-mr offset=%d", at)}
		if !tt.answers {
			connect, accept = connect[:3], accept[1:2]
		}
		if got := l.connectLines("x", 1); !slices.Equal(got, connect) {
			t.Errorf("latency %v, both %v: %q\nwant %q", tt.latency, tt.both, got, connect)
		}
		if got := l.acceptLines("x", 1); !slices.Equal(got, accept) {
			t.Errorf("latency %v, both %v: %q\nwant %q", tt.latency, tt.both, got, accept)
		}
	}
}

// TestConnectLane: a client connects again while the server does not listen yet, ten times at most and a tenth of a
// second apart, and with new objects each time. A server and a stopped client do not.
func TestConnectLane(t *testing.T) {
	begin := []string{"rdma_create_id bench-id2 channel=bench-events ps=TCP",
		"rdma_resolve_addr bench-id2 10.0.0.1 port=7", "rdma_get_cm_event ADDR_RESOLVED id=bench-id2 timeout=30s",
		"rdma_resolve_route bench-id2", "rdma_get_cm_event ROUTE_RESOLVED id=bench-id2 timeout=30s"}
	queuePair := "rdma_create_qp bench-id2 bench-qp2 pd=bench-pd send_cq=bench-cq recv_cq=bench-cq qp_type=RC " +
		"max_send_wr=10 max_recv_wr=1 max_inline_data=0"
	options := []string{"rdma_set_option bench-id2 ACK_TIMEOUT 20", "rdma_set_option bench-id2 TOS 0"}
	connect := "rdma_connect bench-id2 responder_resources=%[1]d initiator_depth=%[1]d rnr_retry_count=7 retry_count=7"
	established := "rdma_get_cm_event ESTABLISHED id=bench-id2 timeout=30s"
	for _, tt := range []struct {
		name     string
		verb     Verb
		host     string
		refusals int
		stopped  bool
		tries    int
		fails    bool
		options  bool
	}{
		{"at once", Read, "10.0.0.1", 0, false, 1, false, true},
		{"an atomic test without options", Atomic, "10.0.0.1", 0, false, 1, false, false},
		{"WRITEs need no READs", Write, "10.0.0.1", 2, false, 3, false, true},
		{"the last time", Read, "10.0.0.1", 9, false, 10, false, false},
		{"never", Read, "10.0.0.1", 100, false, 10, true, false},
		{"a server", Read, "", 1, false, 1, true, true},
		{"stopped", Read, "10.0.0.1", 1, true, 1, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLined(params(tt.verb, false, func(p *Params) {
				p.Host, p.CM, p.Port, p.Outs, p.QPs = tt.host, true, 7, 6, 3
				if tt.options {
					p.Timeout, p.TOS = 20, 0
				}
			}))
			l.mr = l.newMR()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			refusals := tt.refusals
			l.refused = func(line string, _ int) bool {
				if !strings.HasPrefix(line, "rdma_connect") && !strings.HasPrefix(line, "rdma_accept") {
					return false
				}
				if refusals--; tt.stopped {
					cancel()
				}
				return refusals >= 0
			}
			start := time.Now()
			if err := l.connectLane(ctx, 2); errors.Is(err, syscall.EIO) != tt.fails {
				t.Errorf("%s: %v", tt.name, err)
			}
			reads := map[Verb]int{Read: 6, Atomic: 6}[tt.verb]
			var want []string
			for try := range tt.tries {
				if try > 0 {
					want = append(want, "close bench-qp2", "close bench-id2")
				}
				if tt.host == "" {
					want = append(want, "rdma_get_cm_event CONNECT_REQUEST id=bench-listen name=bench-id2 timeout=30s",
						queuePair, options[0], // the type of service is the client's
						fmt.Sprintf("rdma_accept bench-id2 responder_resources=%d initiator_depth=%[1]d "+
							"rnr_retry_count=7", reads))
					continue
				}
				if want = append(append(want, begin...), queuePair); tt.options {
					want = append(want, options...)
				}
				want = append(want, fmt.Sprintf(connect, reads))
			}
			if !tt.fails {
				want = append(want, established)
			}
			l.same(t, tt.name, want...)
			if took := time.Since(start); took != time.Duration(tt.tries-1)*100*time.Millisecond {
				t.Errorf("%s: took %s", tt.name, took)
			}
		})
	}
}

// TestManagedOrder: a server listens again before it swaps an address, since a client of perftest connects right after
// that; both swap another one when all queue pairs are connected. Each queue pair has its own identifier.
func TestManagedOrder(t *testing.T) {
	for _, host := range []string{"", "10.0.0.1"} {
		l := newLined(params(Write, false, func(p *Params) {
			p.Host, p.CM, p.Port, p.QPs = host, true, 7, 2
		}))
		l.x = Exchange{Link: &noted{lines: &l.lines}, Client: true, Structs: true}
		l.mr = l.newMR()
		if err := l.makeCM(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, line := range l.lines {
			switch verb, rest, _ := strings.Cut(line, " "); verb {
			case "swap", "rdma_listen", "close", "rdma_accept", "rdma_connect":
				name, _, _ := strings.Cut(rest, " ")
				order = append(order, strings.TrimSpace(verb+" "+name))
			}
		}
		want := []string{"swap", "rdma_connect bench-id0", "rdma_connect bench-id1", "swap"}
		if host == "" {
			want = []string{"rdma_listen bench-listen", "swap", "rdma_accept bench-id0", "rdma_accept bench-id1",
				"close bench-listen", "swap"}
		}
		if !slices.Equal(order, want) || len(l.lanes) != 2 {
			t.Errorf("host %q: %q, want %q", host, order, want)
		}
	}
}

// noted is an exchange that notes each swap among lines.
type noted struct {
	lines *[]string
	last  []byte
}

func (n *noted) Write(_ context.Context, message []byte) error {
	*n.lines = append(*n.lines, "swap")
	n.last = slices.Clone(message)
	return nil
}

func (n *noted) Read(_ context.Context, message []byte, _ string) error {
	copy(message, n.last)
	return nil
}

// TestControlQueue: the control connection has one request and one RECV at a time, and a region for both messages.
func TestControlQueue(t *testing.T) {
	l := newLined(params(Write, false, func(p *Params) { p.Host, p.CM = "h", true }))
	l.refused = func(_ string, number int) bool { return number == 5 }
	if _, err := l.controlQueue(t.Context(), nil); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	l.same(t, "the last line fails", "alloc_pd bench-control-pd id=bench-control",
		"reg_mr bench-control-mr pd=bench-control-pd length=128",
		"create_cq bench-control-cq id=bench-control cqe=2", "create_cq bench-control-recv-cq id=bench-control cqe=2",
		"rdma_create_qp bench-control bench-control-qp pd=bench-control-pd send_cq=bench-control-cq "+
			"recv_cq=bench-control-recv-cq max_send_wr=1 max_recv_wr=1")
}

// newMR returns a region.
func (l *lined) newMR() *region.MR { return &region.MR{MR: &byteRegion{}} }
