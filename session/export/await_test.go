package export

import (
	"strings"
	"testing"
)

// TestAwait: if the session read an event in the background, the program reads it before the call that depends on it.
func TestAwait(t *testing.T) {
	const made = "open_device soft0\nalloc_pd pd\ncreate_cq cq\nreg_mr mr pd=pd length=64\nrdma_create_event_channel events\nrdma_create_id id channel=events ps=UDP\n" +
		"rdma_create_qp id q pd=pd send_cq=cq recv_cq=cq\ncreate_ah ah pd=pd dgid=10.0.0.2\nrdma_resolve_addr id 10.0.0.2 port=7\n"
	for line, want := range map[string]bool{
		"rdma_resolve_route id": true, "rdma_connect id": true, "rdma_join_multicast id 239.1.2.3": true,
		"rdma_init_qp_attr id RTR": true, "rdma_create_qp id q2 pd=pd send_cq=cq recv_cq=cq": true,
		"alloc_pd pd2 id=id": true, "create_ah ah2 pd=pd id=id": true, "poll_cq cq timeout=1s while=id": true, "expect wc cq=cq while=id": true,
		"expect id id ADDR_RESOLVED": true, "post_send q SEND sge=mr ah=ah remote_qpn=1 remote_qkey=1": true, "modify_qp q RTR dest_qp_num=id.remote_qpn": true,
		"rdma_get_cm_event ADDR_RESOLVED id=id": false, "rdma_get_cm_event id=id": false, "alloc_pd other": false, "write_mem mr zero:8": false, "post_recv q sge=mr": false,
	} {
		text := C(recordingOf(t, strings.Split(made+line, "\n"), func(int, *Step) {}))
		_, after, _ := strings.Cut(text, "/* "+line+" ")
		after, _, _ = strings.Cut(after, "/* The end")
		if got := strings.Contains(after, "want_cm_event(get_cm_event(id->channel, id, 10000), RDMA_CM_EVENT_ADDR_RESOLVED);"); got != want {
			t.Errorf("%s: waits %v:\n%s", line, got, after)
		}
	}
}
