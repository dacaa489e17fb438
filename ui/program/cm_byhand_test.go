package program

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// byHand connects two queue pairs that the manager did not create: it reads the
// attributes that the manager would set, and changes some. The active side's queue
// pair reaches RTS last, and rdma_establish tells the passive side.
const byHand = `
rdma_create_event_channel events
rdma_create_id listen
rdma_bind_addr listen 10.9.0.1 port=7471
rdma_listen listen
rdma_getaddrinfo 10.9.0.1 7471 name=server
rdma_create_id id
rdma_resolve_addr id server.dst_addr
rdma_get_cm_event ADDR_RESOLVED id=id timeout=10s
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED id=id timeout=10s
alloc_pd pd id=id
create_cq cq id=id cqe=16
reg_mr near pd=pd length=64 access=LOCAL_WRITE
reg_mr far pd=pd length=64 access=LOCAL_WRITE|REMOTE_READ
create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC
create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC

rdma_init_qp_attr id INIT
modify_qp a INIT port_num=id.INIT.port_num pkey_index=id.INIT.pkey_index qp_access_flags=REMOTE_READ
rdma_connect id qp_num=a.qp_num private_data="by hand"
rdma_get_cm_event CONNECT_REQUEST name=req timeout=10s
expect cm CONNECT_REQUEST private_data="by hand"

rdma_init_qp_attr req INIT
modify_qp b INIT port_num=req.INIT.port_num pkey_index=req.INIT.pkey_index qp_access_flags=REMOTE_READ
rdma_init_qp_attr req RTR
modify_qp b RTR PATH_OF_req min_rnr_timer=5
rdma_init_qp_attr req RTS qp=b
post_recv b wr_id=1 sge=far:0:64
rdma_accept req qp_num=b.qp_num
rdma_get_cm_event CONNECT_RESPONSE id=id timeout=10s

rdma_init_qp_attr id RTR
modify_qp a RTR PATH_OF_id min_rnr_timer=7
rdma_init_qp_attr id RTS
modify_qp a RTS timeout=11 retry_cnt=3 rnr_retry=id.RTS.rnr_retry sq_psn=id.RTS.sq_psn max_rd_atomic=id.RTS.max_rd_atomic
rdma_establish id
rdma_get_cm_event ESTABLISHED id=req timeout=10s
expect id id CONNECTED
expect id req CONNECTED

write_mem near "sent by hand"
post_send a SEND wr_id=2 sge=near:0:12
poll_cq cq n=2 timeout=10s
expect wc wr_id=1 status=SUCCESS byte_len=12
expect mem far 0 "sent by hand"
write_mem far "read by hand" offset=32
post_send a RDMA_READ wr_id=3 sge=near:32:12 remote_addr=far.addr+32 rkey=far.rkey
poll_cq cq timeout=10s
expect wc wr_id=3 status=SUCCESS
expect mem near 32 "read by hand"
`

// path returns the attributes for RTR that the manager gives for the address vector
// and the peer.
func path(id string) string {
	var b strings.Builder
	for _, f := range []string{"path_mtu", "dest_qp_num", "rq_psn", "max_dest_rd_atomic", "is_global", "dgid",
		"sgid_index", "hop_limit", "ah_port_num"} {
		b.WriteString(" " + f + "=" + id + ".RTR." + f)
	}
	return b.String()
}

// TestManagedByHand moves data over queue pairs with the user's attributes instead of
// the manager's.
func TestManagedByHand(t *testing.T) {
	vmtest.Need(t)
	if !alone(t) {
		return
	}
	s := session.New(session.Options{Providers: []verbs.Provider{native.New()}})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if left := connections(t); strings.Contains(left, "link") {
			t.Errorf("identifiers are left:\n%s", left)
		}
	}()
	script := strings.NewReplacer("PATH_OF_id", path("id"), "PATH_OF_req", path("req")).Replace(byHand)
	if err := s.RunScript(t.Context(), "by hand", strings.NewReader(script)); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]string{
		"query_qp a": {"qp_access_flags=REMOTE_READ", "min_rnr_timer=7", "timeout=11", "retry_cnt=3"},
		"query_qp b": {"qp_access_flags=REMOTE_READ", "min_rnr_timer=5"},
	} {
		done, err := s.Exec(t.Context(), line)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(strings.Fields(done.Result), " "), w) {
				t.Errorf("%s has no %s:\n%s", line, w, done.Result)
			}
		}
	}
	if err := s.RunScript(t.Context(), "end",
		strings.NewReader("rdma_disconnect id\nexpect cm DISCONNECTED id=req timeout=10s\n")); err != nil {
		t.Error(err)
	}
}
