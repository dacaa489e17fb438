package queue_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
)

// numbered lists the packet sequence numbers of the newest messages of a queue pair.
func numbered(s *session.Session, qp string) string {
	var b strings.Builder
	for _, m := range queue.Messages(s.Core()) {
		switch {
		case m.QP != qp:
		case !m.Numbered:
			fmt.Fprintf(&b, "%d:? ", m.WRID)
		case !m.OnWire():
			fmt.Fprintf(&b, "%d:none ", m.WRID)
		default:
			fmt.Fprintf(&b, "%d:%x-%x ", m.WRID, uint32(m.First), uint32(m.Last))
		}
	}
	return strings.TrimSpace(b.String())
}

// TestMessagesAreNumbered: send requests have the packet sequence numbers that the device gives them, and none where
// the session cannot know them.
func TestMessagesAreNumbered(t *testing.T) {
	const connect = `
modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC
modify_qp b INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC
modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=1 dgid=b.gid max_dest_rd_atomic=1 min_rnr_timer=12
modify_qp b RTR path_mtu=1024 dest_qp_num=a.qp_num rq_psn=0xfffffe dgid=a.gid max_dest_rd_atomic=1 min_rnr_timer=12
modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0xfffffe max_rd_atomic=1
modify_qp b RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=1 max_rd_atomic=1
`
	write := func(id, n int) string {
		return fmt.Sprintf("post_send a RDMA_WRITE wr_id=%d sge=src:0:%d remote_addr=dst.addr rkey=dst.rkey\n", id, n)
	}
	for _, tt := range []struct{ name, lines, want string }{
		{"lengths", write(1, 1) + write(2, 1024) + write(3, 1025) + write(4, 0),
			"1:fffffe-fffffe 2:ffffff-ffffff 3:0-1 4:2-2"},
		{"a READ takes the numbers of its answer",
			"post_send a RDMA_READ wr_id=1 sge=src:0:3000 remote_addr=dst.addr rkey=dst.rkey\n" + write(2, 5),
			"1:fffffe-0 2:1-1"},
		{"an atomic takes one",
			"post_send a ATOMIC_FETCH_AND_ADD wr_id=1 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey compare_add=1\n" +
				write(2, 5), "1:fffffe-fffffe 2:ffffff-ffffff"},
		{"a local request takes none", write(1, 5) + "post_send a LOCAL_INV wr_id=2 invalidate_rkey=1\n",
			"1:fffffe-fffffe 2:none"},
		{"a refused request takes none",
			"expect error post_send a RDMA_WRITE wr_id=1 sge=src:0:8,src:0:8 remote_addr=1 rkey=1\n" + write(2, 5),
			"2:fffffe-fffffe"},
		{"a stream", "post_send a RDMA_WRITE wr_id=1 sge=src:0:2000 remote_addr=dst.addr rkey=dst.rkey count=2\n" +
			write(3, 5), "1:fffffe-ffffff 2:0-1 3:2-2"},
		{"a reset begins anew", write(1, 5) + "modify_qp a RESET\nmodify_qp b RESET\n" + connect + write(2, 5),
			"1:fffffe-fffffe 2:fffffe-fffffe"},
		{"SQD continues", write(1, 5) + "poll_cq cq timeout=20s\nmodify_qp a SQD\nmodify_qp a RTS\n" + write(2, 5),
			"1:fffffe-fffffe 2:ffffff-ffffff"},
		{"after a ping-pong", "pingpong a role=server size=64 n=1 mr=dst timeout=10ms\n" + write(1, 5), "1:?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sessiontest.NewSoft(t, core.Options{})
			sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\nreg_mr src length=4096\nreg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC\n"+
				"create_cq cq cqe=64\ncreate_qp a\ncreate_qp b"+connect)
			for line := range strings.Lines(tt.lines) {
				if _, err := s.Exec(t.Context(), strings.TrimSpace(line)); err != nil &&
					!strings.Contains(err.Error(), "no message came") {
					t.Fatalf("%s: %v", line, err)
				}
			}
			if got := numbered(s, "a"); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestMessagesAreBounded: only the newest requests are remembered.
func TestMessagesAreBounded(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+fmt.Sprintf(
		"\npost_send a RDMA_WRITE wr_id=1 sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey count=%d outstanding=16",
		queue.KeptMessages+100))
	list := queue.Messages(s.Core())
	if len(list) != queue.KeptMessages || list[len(list)-1].WRID != queue.KeptMessages+100 || !list[0].Numbered {
		t.Errorf("%d requests", len(list))
	}
}
