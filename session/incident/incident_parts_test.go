package incident_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/incident"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

const partsPair = `open_device soft0
alloc_pd pd
reg_mr src pd=pd length=4096 access=LOCAL_WRITE
reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE
create_cq cq
create_qp a send_cq=cq recv_cq=cq
create_qp b send_cq=cq recv_cq=cq
`

// partOf returns a part of an incident as text, one line per row.
func partOf(in *incident.Incident, head string) string {
	var b strings.Builder
	for _, p := range in.Parts {
		for _, row := range p.Rows {
			if p.Head == head {
				b.WriteString(strings.Join(row, " · ") + "\n")
			}
		}
	}
	return b.String()
}

// firstIncident returns the incident of the first failed completion.
func firstIncident(t *testing.T, s *session.Session) incident.Incident {
	t.Helper()
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindWC && e.WC.WC.Failed() {
			in, ok := s.Incident(e.WC.Cause.Incident)
			if !ok || in.Completion.WC.WRID != e.WC.WC.WRID {
				t.Fatalf("%v, %+v", ok, in.Completion)
			}
			return in
		}
	}
	t.Fatal("no failed completion")
	return incident.Incident{}
}

// TestIncidentParts checks the parts of an incident besides its cause.
func TestIncidentParts(t *testing.T) {
	for _, tt := range []struct {
		name, lines string
		parts       map[string][]string
	}{
		{"refused", `connect_qps a b
dereg_mr dst
post_send a RDMA_WRITE wr_id=1 sge=src:8:64 remote_addr=0x5000 rkey=0x1234
post_send a SEND wr_id=2
post_send a SEND wr_id=3
poll_cq cq n=3 timeout=10s
poll_cq cq n=9`, map[string][]string{
			"What to do": {"modify_qp a RESET, modify_qp b RESET, connect_qps a b"},
			"Request": {"line · post_send a RDMA_WRITE wr_id=1 sge=src:8:64",
				"check before posting · rkey 0x1234", "sge · 64 bytes at src+8 (0x",
				"remote · 64 bytes at 0x5000, rkey 0x1234"},
			"Events before": {"a: RTR to RTS (modify_qp a RTS)", "event QP_ACCESS_ERR b", "b: RTS to ERR"},
			"Packets": {"out · RC_RDMA_WRITE_ONLY", "in · RC_ACKNOWLEDGE qp ",
				"NAK remote access error msn 0 · NAK", "ack_req · answered by the NAK"},
			"Memory": {"src · 0x", "LOCAL_WRITE, pd"},
			"Counters that changed": {"soft0 · ", "access_err +1", "; since 0.000000 s, 0 ns before the post\n",
				"\naccess_err · requests of peers refused"},
			"Queue pairs": {" · a · b\n", "path_mtu · 1024 · 1024\n"},
		}},
		{"refused at its first packet", `connect_qps a b path_mtu=256
post_send a RDMA_WRITE wr_id=1 sge=src remote_addr=dst.addr rkey=0x1234
poll_cq cq timeout=10s`, map[string][]string{
			"Packets": {"out · RC_RDMA_WRITE_FIRST qp ", " len 256 · answered by the NAK\n",
				"out · RC_RDMA_WRITE_LAST qp ", "NAK remote access error msn 0 · NAK"},
		}},
		{"no RECV", `connect_qps a b rnr_retry=2 min_rnr_timer=1
post_send a SEND wr_id=1 sge=src:0:64
poll_cq cq timeout=10s`, map[string][]string{
			"What to do":            {"post_recv b before the request\n"},
			"Retries":               {"3 · RNR NAKs received\n", "from the first retry to the last\n"},
			"Request":               {"check before posting · b has no RECV posted"},
			"Counters that changed": {"rcvd_rnr_err +3", "retry_rnr_exceeded_err +1"},
		}},
		{"different", `modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0
modify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=0
modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=1 max_dest_rd_atomic=1 min_rnr_timer=1 dgid=b.gid
modify_qp b RTR path_mtu=256 dest_qp_num=a.qp_num rq_psn=2 max_dest_rd_atomic=1 min_rnr_timer=1 dgid=a.gid
modify_qp a RTS timeout=12 retry_cnt=1 rnr_retry=2 sq_psn=0x300 max_rd_atomic=4
post_send a RDMA_WRITE wr_id=1 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey
poll_cq cq timeout=10s`, map[string][]string{
			"Differences between the ends": {"path_mtu of a is 1024 · path_mtu of b is 256",
				"sq_psn of a is 0x000300 · rq_psn of b is 0x000002",
				"max_rd_atomic of a is 4 · max_dest_rd_atomic of b is 1",
				"opcode of a is RDMA_WRITE · qp_access_flags of b is 0"},
			"Retries": {"2 · timeouts\n"},
		}},
		{"deregistered", `connect_qps a b
post_recv b wr_id=2 sge=dst:0:64
dereg_mr dst
reg_mr dst pd=pd length=64 access=LOCAL_WRITE
post_send a SEND wr_id=1 sge=src:0:8
poll_cq cq n=2 timeout=10s`, map[string][]string{
			"Memory":  {"these keys became invalid at "},
			"Request": {"wr_id · 2, RECV of 64 bytes on b"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.SoftInOrder()}})
				defer s.Close()
				sessiontest.RunScript(t, s, partsPair)
				requests, polls, _ := strings.Cut(tt.lines, "poll_cq")
				sessiontest.RunScript(t, s, requests)
				synctest.Wait() // the device's event arrives before the completion is polled
				sessiontest.RunScript(t, s, "poll_cq"+polls)
				in := firstIncident(t, s)
				for head, texts := range tt.parts {
					got := partOf(&in, head)
					for _, text := range texts {
						if !strings.Contains(got, text) {
							t.Errorf("%s: no %q in\n%s", head, text, got)
						}
					}
				}
				if tt.name == "refused" && (in.Flushed != 2 || in.General != nil) {
					t.Errorf("%d flushed, general causes are %q", in.Flushed, in.General)
				}
			})
		})
	}
}

// TestIncidentOfManaged: the packets and counters of a device that the connection manager opened, which has another
// name in the session, are in an incident, and so are the packets to the peer, whose number only the packets tell.
func TestIncidentOfManaged(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, `
rdma_create_event_channel events mode=event
rdma_create_id listen
rdma_bind_addr listen port=7471
rdma_listen listen
rdma_create_id id
rdma_resolve_addr id 127.0.0.1 port=7471
rdma_get_cm_event ADDR_RESOLVED id=id
alloc_pd pd id=id
reg_mr buf length=64
create_cq cq id=id
rdma_create_qp id qp pd=pd send_cq=cq
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED id=id
rdma_connect id
rdma_get_cm_event CONNECT_REQUEST name=req timeout=5s
rdma_create_qp req rqp pd=pd send_cq=cq
rdma_accept req
rdma_get_cm_event ESTABLISHED id=req timeout=5s
rdma_get_cm_event ESTABLISHED id=id timeout=5s
sleep 10ms
post_send qp RDMA_WRITE wr_id=4 sge=buf:0:4 remote_addr=1 rkey=0x1234
poll_cq cq timeout=5s
`)
	in := firstIncident(t, s)
	if got := partOf(&in, "Packets"); !strings.Contains(got, " · out · RC_RDMA_WRITE_ONLY ") ||
		!strings.Contains(got, " · in · RC_ACKNOWLEDGE ") || !strings.Contains(got, "answered by the NAK") {
		t.Errorf("packets: %s", got)
	}
	if got := partOf(&in, "Counters that changed"); !strings.HasPrefix(got, "soft0 · ") ||
		!strings.Contains(got, "access_err +1") {
		t.Errorf("counters: %s", got)
	}
	name := t.TempDir() + "/x"
	sessiontest.Execute(t, s, "save_incident "+name)
	if _, _, document := sessiontest.ReadBack(t, name); !strings.Contains(document,
		"| 4 | qp | RDMA\\_WRITE | 4 | 7–10 | inferred | REM\\_ACCESS\\_ERR at ") {
		t.Errorf("%s", document)
	}
}
