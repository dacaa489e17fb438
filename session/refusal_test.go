package session_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestProviderRefuses: the provider's error is the error of the line; no object is added, and none is left at the
// provider.
func TestProviderRefuses(t *testing.T) {
	for _, tt := range []struct{ call, line string }{ // call: the name that the fake has for the failing call
		{"open", "open_device"}, {"query", "open_device"}, {"gids", "open_device"},
		{"query", "query_device fake0"}, {"query_port", "query_port device=fake0"},
		{"gid", "query_gid device=fake0 index=0"}, {"pkey", "query_pkey device=fake0"},
		{"pd", "alloc_pd p device=fake0"}, {"mr", "reg_mr m length=8"},
		{"comp_channel", "create_comp_channel c device=fake0"}, {"cq", "create_cq q device=fake0"},
		{"srq", "create_srq r"}, {"query_srq", "query_srq"}, {"modify_srq", "modify_srq srq srq_limit=1"},
		{"qp", "create_qp q"}, {"query_qp", "query_qp a"}, {"ah", "create_ah h dlid=9"},
		{"post_send", "post_send a SEND"}, {"post_recv", "post_recv a sge=src"},
		{"post_srq_recv", "post_srq_recv srq sge=src"},
		{"poll", "poll_cq"}, {"notify", "req_notify_cq"}, {"read_mr", "read_mem src"},
		{"write_mr", `write_mem src "x"`},
		{"read_mr", `expect mem src 0 "x"`}, {"read_mr", "copy_mem dst src length=8"},
		{"write_mr", "copy_mem dst src length=8"},
		{"read_mr", "copy_mem dst src length=src.u8.0"},
		{"post_send", "chain post_send a SEND ; post_send a SEND"},
		{"post_recv", "chain post_recv a sge=src ; post_recv a sge=dst"},
		{"post_recv", "pingpong a role=client mr=src size=8 n=1"}, {"poll", "pingpong a role=client mr=src size=8 n=1"},
		{"event_channel", "rdma_create_event_channel e"}, {"id", "rdma_create_id i mode=sync"},
		{"event_channel", "rdma_create_id i mode=sync"}, {"id", "rdma_create_id i channel=events"},
		{"bind_addr", "rdma_bind_addr id 10.0.0.1"}, {"resolve_addr", "rdma_resolve_addr id 10.0.0.1"},
		{"resolve_route", "rdma_resolve_route resolved"},
		{"listen", "rdma_listen listen"}, {"connect", "rdma_connect resolved qp_num=9"},
		{"init_qp_attr", "rdma_init_qp_attr resolved INIT"},
		{"migrate", "rdma_migrate_id id events"},
		{"create_qp", "rdma_create_qp resolved pd=managed send_cq=cm recv_cq=cm"},
		{"qp", "rdma_create_qp resolved pd=managed send_cq=cm recv_cq=cm"},
		{"join 239.0.0.1", "rdma_join_multicast resolved 239.0.0.1"}, {"establish", "rdma_establish resolved"},
		{"notify COMM_EST", "rdma_notify resolved COMM_EST"},
		{"getaddrinfo server 1", "rdma_getaddrinfo server 1"},
		{"event_channel", "rdma_create_ep ep res"}, {"id", "rdma_create_ep ep res"},
		{"resolve_addr", "rdma_create_ep ep res"}, {"resolve_route", "rdma_create_ep ep res"},
		{"pd", "rdma_create_ep ep res"}, {"comp_channel", "rdma_create_ep ep res"}, {"cq", "rdma_create_ep ep res"},
		{"create_qp", "rdma_create_ep ep res"}, {"qp", "rdma_create_ep ep res"},
	} {
		s, f, _ := sessiontest.NewManaged(t)
		f.AddrInfos = sessiontest.AddrSays()
		if tt.line != "open_device" {
			sessiontest.RunLines(t, s, oneOfEach)
			if strings.HasPrefix(tt.line, "rdma_") {
				sessiontest.RunLines(t, s, "rdma_create_id resolved mode=sync\nrdma_resolve_addr resolved 10.0.0.2 port=7471\nalloc_pd managed device=fake0-cm\ncreate_cq cm device=fake0-cm")
			}
		}
		before := names(s)
		alive := f.Alive.Load()
		f.Fail[tt.call], f.Refuse[tt.call] = verbs.NewOpError("the_call", "", syscall.EIO),
			verbs.NewOpError("the_call", "", syscall.EIO)
		if done, err := s.Exec(t.Context(), tt.line); err == nil || done.Errno != "EIO" {
			t.Errorf("%s refused: %s: %v", tt.call, tt.line, err)
		}
		delete(f.Fail, tt.call)
		delete(f.Refuse, tt.call)
		if after := names(s); !slices.Equal(before, after) || f.Alive.Load() != alive {
			t.Errorf("%s refused: %s: the provider has %d objects, before %d; the session %v, before %v", tt.call,
				tt.line, f.Alive.Load(), alive, after, before)
		}
	}
}

// names lists the objects of a session.
func names(s *session.Session) (list []string) {
	for _, o := range s.Snapshot().Objects {
		list = append(list, o.Name)
	}
	return list
}
