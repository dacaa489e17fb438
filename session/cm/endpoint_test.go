package cm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

const aClient = `
rdma_getaddrinfo 127.0.0.1 7471 name=res
rdma_create_ep ep res
rdma_reg_msgs m id=ep length=64
`

// linesOf returns the lines that were recorded, and their calls.
func linesOf(s *session.Session) (lines, calls []string) {
	for _, e := range s.Timeline().Snapshot() {
		if e.Command != nil {
			lines, calls = append(lines, e.Command.Line), append(calls, e.Command.Call())
		}
	}
	return lines, calls
}

// TestCreateEPExpands: rdma_create_ep carries out the lines whose calls librdmacm makes, and rdma_destroy_ep those
// that destroy what they made.
func TestCreateEPExpands(t *testing.T) {
	for _, tt := range []struct{ name, lines, want string }{
		{"client", "rdma_getaddrinfo 127.0.0.1 7471\nrdma_create_ep ep res max_send_wr=3 max_recv_wr=5 sq_sig_all=1\n" +
			"rdma_destroy_ep ep",
			`rdma_getaddrinfo 127.0.0.1 7471
rdma_create_id ep mode=sync ps=TCP
rdma_resolve_addr ep res.dst_addr
rdma_resolve_route ep
alloc_pd soft0-cm-pd id=ep
create_comp_channel ep-recv_cq_channel id=ep
create_cq ep-recv_cq id=ep cqe=5 channel=ep-recv_cq_channel
create_comp_channel ep-send_cq_channel id=ep
create_cq ep-send_cq id=ep cqe=3 channel=ep-send_cq_channel
rdma_create_qp ep ep-qp pd=soft0-cm-pd recv_cq=ep-recv_cq send_cq=ep-send_cq max_send_wr=3 max_recv_wr=5 max_send_sge=1 max_recv_sge=1 max_inline_data=0 sq_sig_all=1
rdma_create_ep ep res max_send_wr=3 max_recv_wr=5 sq_sig_all=1
rdma_destroy_qp ep-qp
close ep-send_cq
close ep-send_cq_channel
close ep-recv_cq
close ep-recv_cq_channel
rdma_destroy_id ep
dealloc_pd soft0-cm-pd
rdma_destroy_ep ep`},
		{"server", "rdma_getaddrinfo service=7471 flags=PASSIVE\nrdma_create_ep ep res\nrdma_destroy_ep ep",
			`rdma_getaddrinfo service=7471 flags=PASSIVE
rdma_create_id ep mode=sync ps=TCP
rdma_bind_addr ep res.src_addr
rdma_create_ep ep res
rdma_destroy_id ep
rdma_destroy_ep ep`},
		{"without attributes", "rdma_getaddrinfo 127.0.0.1 7471\nrdma_create_ep ep res qp_init_attr=0\n" +
			"rdma_destroy_ep ep",
			`rdma_getaddrinfo 127.0.0.1 7471
rdma_create_id ep mode=sync ps=TCP
rdma_resolve_addr ep res.dst_addr
rdma_resolve_route ep
rdma_create_ep ep res qp_init_attr=0
rdma_destroy_id ep
rdma_destroy_ep ep`},
		{"a source address", "rdma_getaddrinfo 127.0.0.1 7471 src=127.0.0.1\nrdma_create_ep ep res qp_init_attr=0",
			`rdma_getaddrinfo 127.0.0.1 7471 src=127.0.0.1
rdma_create_id ep mode=sync ps=TCP
rdma_resolve_addr ep res.dst_addr src=res.src_addr
rdma_resolve_route ep
rdma_create_ep ep res qp_init_attr=0`},
	} {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunLines(t, s, tt.lines)
		if lines, _ := linesOf(s); strings.Join(lines, "\n") != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(lines, "\n"), tt.want)
		}
	}
}

// TestEndpointsShareTheirDomain: endpoints on a device have one protection domain, which ends with the last of them.
func TestEndpointsShareTheirDomain(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	domains := func() int { return len(s.Snapshot().PDs) }
	sessiontest.RunLines(t, s, aClient+"rdma_create_ep ep2 res\nrdma_post_recv ep2 sge=m\nrdma_dereg_mr m\n"+
		"rdma_destroy_ep ep\n")
	if domains() != 1 {
		t.Errorf("%d domains while ep2 exists", domains())
	}
	sessiontest.RunLines(t, s, "rdma_destroy_ep ep2\n")
	if domains() != 0 {
		t.Errorf("%d domains after all endpoints", domains())
	}
	sessiontest.RunLines(t, s, "rdma_create_ep ep res\n")
	if domains() != 1 {
		t.Errorf("%d domains of a new endpoint", domains())
	}
}

// TestShortFormsRefuse: a short form refuses what the C function cannot be given.
func TestShortFormsRefuse(t *testing.T) {
	for _, tt := range []struct{ lines, line, want string }{
		{aClient, "rdma_post_send ep sge=m:0:8,m:8:8", "use rdma_post_sendv for a list"},
		{aClient, "rdma_post_read ep sge=@0x1000:8:7 remote_addr=1 rkey=1", "use rdma_post_readv for a list"},
		{aClient, "rdma_post_write ep sge=m:0:8:7 remote_addr=1 rkey=1", "use rdma_post_writev for a list"},
		{aClient, "rdma_post_recv ep sge=m:60:8", "the buffer is outside m, which has 64 bytes"},
		{aClient, "rdma_post_recv ep sge=m:65", "the buffer is outside m, which has 64 bytes"},
		{aClient + "rdma_create_id bare mode=sync\n", "rdma_post_recv bare sge=m", "bare has no queue pair"},
		{"rdma_create_id bare mode=sync\n", "rdma_reg_msgs m id=bare length=8", "bare is not bound to a device"},
		{aClient + "rdma_create_id bare mode=sync\n", "rdma_get_recv_comp bare", "use poll_cq"},
		{aClient + "create_cq cq id=ep\nrdma_create_ep given res send_cq=cq\n", "rdma_get_send_comp given",
			"use poll_cq"},
		{aClient, "rdma_get_recv_comp ep timeout=1ms", "no completion event came within 1 ms"},
		{aClient, "rdma_create_ep other res pd=nobody", `no pd "nobody"`},
		{aClient, "rdma_destroy_ep nobody", `no cm_id "nobody"`},
	} {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunLines(t, s, tt.lines)
		before := len(s.Snapshot().Objects)
		if done, err := s.Exec(t.Context(), tt.line); err == nil || !strings.Contains(done.Err, tt.want) {
			t.Errorf("%s: %v, want %q", tt.line, err, tt.want)
		}
		if after := len(s.Snapshot().Objects); after != before {
			t.Errorf("%s: %d objects, %d before", tt.line, after, before)
		}
	}
}

// TestShortFormTellsOfItsRequest: the check and the hint of the line that a short form carries out are its own.
func TestShortFormTellsOfItsRequest(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunLines(t, s, aClient)
	done, err := s.Exec(t.Context(), "rdma_post_send ep sge=m") // the queue pair is not connected
	inner, other := s.Exec(t.Context(), "post_send ep-qp SEND sge=m")
	if err == nil || other == nil || done.Err != inner.Err || done.Check != inner.Check || done.Hint != inner.Hint {
		t.Errorf("%+v\nand\n%+v", done, inner)
	}
}

// TestDatagramShortForm: rdma_post_ud_send has the Q_Key of the port space, so that a queue pair of it accepts the
// datagram.
func TestDatagramShortForm(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunLines(t, s, `
rdma_getaddrinfo 127.0.0.1 7471 port_space=UDP
rdma_create_ep ep res
rdma_reg_msgs m id=ep length=104
create_ah ah pd=soft0-cm-pd dgid=ep-qp.gid
rdma_post_recv ep wr_id=1 sge=m
rdma_post_ud_send ep wr_id=2 sge=m:0:64 ah=ah remote_qpn=ep.qp_num
rdma_get_send_comp ep
rdma_get_recv_comp ep
expect wc wr_id=1 status=SUCCESS byte_len=104
`)
	want := fmt.Sprintf("rdma_post_ud_send(ep, (void *)2, m->addr, 64, m, IBV_SEND_SIGNALED, ah, %d)",
		s.Snapshot().QPs[0].Num)
	if _, calls := linesOf(s); !slices.Contains(calls, want) {
		t.Errorf("no %s in %q", want, calls)
	}
}

// Both ends of a connection in short forms.
const shortServer = `
rdma_getaddrinfo service=7471 flags=PASSIVE
rdma_create_ep listen res max_recv_sge=2
rdma_listen listen
rdma_get_request listen name=id timeout=20s
rdma_reg_write w id=id length=16
rdma_reg_read r id=id length=16
rdma_reg_msgs m id=id length=32
write_mem r "read by the peer"
rdma_post_recv id wr_id=1 sge=m:0:8
rdma_post_recvv id wr_id=2 sge=m:8:4,m:16
rdma_accept id private_data=be64:w.addr,be32:w.rkey,be32:r.rkey,be64:r.addr
rdma_get_recv_comp id
expect wc wr_id=1 status=SUCCESS byte_len=8
rdma_get_recv_comp id
expect wc wr_id=2 status=SUCCESS byte_len=8
expect mem w 0 "writtenwritten"
expect mem m 0 "messages"
rdma_disconnect id
rdma_dereg_mr w
rdma_dereg_mr r
rdma_dereg_mr m
rdma_destroy_ep id
rdma_destroy_ep listen
rdma_freeaddrinfo res
`
const shortClient = `
rdma_getaddrinfo 127.0.0.1 7471
rdma_create_ep id res max_send_sge=2
MODE
rdma_reg_msgs m id=id length=32
write_mem m "messageswritten"
rdma_connect id
rdma_post_write id wr_id=1 sge=m:8:7 remote_addr=id.private_data.be64.0 rkey=id.private_data.be32.8
rdma_get_send_comp id
rdma_post_writev id wr_id=2 sge=m:8:4,m:12:3 remote_addr=id.private_data.be64.0+7 rkey=id.private_data.be32.8
rdma_get_send_comp id
rdma_post_read id wr_id=3 sge=m:16:4 remote_addr=id.private_data.be64.16 rkey=id.private_data.be32.12
rdma_get_send_comp id
rdma_post_readv id wr_id=4 sge=m:20:4,m:24:8 remote_addr=id.private_data.be64.16+4 rkey=id.private_data.be32.12
rdma_get_send_comp id
expect wc wr_id=4 status=SUCCESS opcode=RDMA_READ
expect mem m 16 "read by the peer"
rdma_post_send id wr_id=5 sge=m:0:8
rdma_get_send_comp id
rdma_post_sendv id wr_id=6 sge=m:0:4,m:4:4
rdma_get_send_comp id
expect wc wr_id=6 status=SUCCESS
rdma_disconnect id
rdma_dereg_mr m
rdma_destroy_ep id
rdma_freeaddrinfo res
`

// TestConnectedShortForms posts each request of a connection by its short form, from one session to another. Both are
// also played live, when the completions come by themselves, with and without completion events.
func TestConnectedShortForms(t *testing.T) {
	for name, how := range map[string]struct {
		live bool
		mode string
	}{
		"polled by the lines": {}, "live": {live: true},
		"live, with events": {true, "cq_mode id-send_cq mode=blocking"},
	} {
		t.Run(name, func(t *testing.T) {
			p := soft.New(soft.Options{})
			listening := make(chan struct{}, 1)
			told := func(e timeline.Event) {
				if e.Command != nil && strings.HasPrefix(e.Command.Line, "rdma_listen") {
					listening <- struct{}{}
				}
			}
			ours := newOn(t, core.Options{Providers: []verbs.Provider{p}, Live: how.live, Out: told})
			ended := make(chan error, 1)
			go func() { ended <- ours.RunScript(t.Context(), "server", strings.NewReader(shortServer)) }()
			<-listening
			peer := newOn(t, core.Options{Providers: []verbs.Provider{p}, Live: how.live})
			sessiontest.RunScript(t, peer, strings.ReplaceAll(shortClient, "MODE", how.mode))
			if err := <-ended; err != nil {
				t.Error(err)
			}
			for _, s := range []*session.Session{ours, peer} {
				if left := s.Snapshot().Objects; len(left) > 0 {
					t.Errorf("objects left: %+v", left)
				}
			}
		})
	}
}

func newOn(t *testing.T, opts core.Options) *session.Session {
	s := session.New(opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
