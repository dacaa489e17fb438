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
		"alloc_pd pd2 id=id": true, "create_ah ah2 pd=pd id=id": true,
		"poll_cq cq timeout=1s while=id": true, "expect wc cq=cq while=id": true,
		"expect id id ADDR_RESOLVED": true, "post_send q SEND sge=mr ah=ah remote_qpn=1 remote_qkey=1": true,
		"modify_qp q RTR dest_qp_num=id.remote_qpn":                     true,
		"pingpong q role=client mr=mr ah=ah remote_qpn=1 remote_qkey=1": true,

		"rdma_get_cm_event ADDR_RESOLVED id=id": false, "rdma_get_cm_event id=id": false, "alloc_pd other": false,
		"write_mem mr zero:8": false, "post_recv q sge=mr": false,
	} {
		text := C(recordingOf(t, strings.Split(made+line, "\n"), func(int, *Step) {}))
		_, after, _ := strings.Cut(text, "/* "+line+" ")
		after, _, _ = strings.Cut(after, "/* The end")
		if got := strings.Contains(after,
			"want_cm_event(get_cm_event(id->channel, id, 10000), RDMA_CM_EVENT_ADDR_RESOLVED);"); got != want {
			t.Errorf("%s: waits %v:\n%s", line, got, after)
		}
	}
}

// TestNoAwait: the end of a connection is waited for only by lines that ask for it.
func TestNoAwait(t *testing.T) {
	lines := "rdma_create_event_channel events\nrdma_create_id id channel=events ps=TCP\nrdma_disconnect id\n" +
		"open_device soft0\ncreate_cq cq device=soft0\npoll_cq cq timeout=1s"
	text := C(recordingOf(t, strings.Split(lines, "\n"), func(int, *Step) {}))
	if strings.Contains(text, "RDMA_CM_EVENT_DISCONNECTED") {
		t.Error(text)
	}
}

// TestTakenBefore: a poll waits for those completions alone that were not taken in the background before.
func TestTakenBefore(t *testing.T) {
	lines := strings.Split("open_device soft0\ncreate_cq cq device=soft0\nalloc_pd pd\npoll_cq cq n=3 timeout=1s\n"+
		"poll_cq cq n=2 timeout=1s", "\n")
	for came, want := range map[uint64][]string{
		0: {"poll_cq(cq, 3, 1000) == 3", "poll_cq(cq, 2, 1000) == 2"},
		1: {"poll_cq(cq, 2, 1000) == 2", "poll_cq(cq, 2, 1000) == 2"},
		3: {"what it asks for was taken above", "poll_cq(cq, 2, 1000) == 2"},
		4: {"what it asks for was taken above", "poll_cq(cq, 1, 1000) == 1"},
	} {
		text := C(recordingOf(t, lines, func(n int, s *Step) {
			if n == 2 {
				s.Came = map[string]uint64{"cq": came}
			}
		}))
		_, rest, _ := strings.Cut(text, "/* poll_cq cq n=3")
		for _, part := range want {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%d came: no %q in\n%s", came, part, rest)
			}
			rest = after
		}
	}
}

// TestNotMade: an object that a line was to fail to make is not destroyed at the end.
func TestNotMade(t *testing.T) {
	const before = "open_device soft0\nalloc_pd pd device=soft0\ncreate_cq cq device=soft0\n" +
		"rdma_create_event_channel events\n"
	for line, destroys := range map[string]string{
		"open_device x":                           "ibv_close_device(x)",
		"create_ah x pd=pd dlid=5":                "ibv_destroy_ah(x)",
		"reg_mr x pd=pd length=64":                "ibv_dereg_mr(x)",
		"alloc_mw x pd=pd":                        "ibv_dealloc_mw(x)",
		"alloc_dm x device=soft0 length=64":       "ibv_free_dm(x)",
		"alloc_pd x device=soft0":                 "ibv_dealloc_pd(x)",
		"create_cq x device=soft0":                "ibv_destroy_cq(x)",
		"create_srq x pd=pd":                      "ibv_destroy_srq(x)",
		"create_qp x pd=pd send_cq=cq recv_cq=cq": "ibv_destroy_qp(x)",
		"create_comp_channel x device=soft0":      "ibv_destroy_comp_channel(x)",
		"rdma_create_id x channel=events ps=TCP":  "rdma_destroy_id(x)",
		"rdma_create_event_channel x":             "rdma_destroy_event_channel(x)",
	} {
		for _, made := range []bool{true, false} {
			text := C(recordingOf(t, strings.Split(before+line, "\n"), func(n int, s *Step) {
				if n == strings.Count(before, "\n") && !made {
					s.Done.Err, s.Done.Errno, s.Asked = "it was refused", "EINVAL", true
				}
			}))
			_, end, _ := strings.Cut(text, "Destroy each object")
			if got := strings.Contains(end, destroys); got != made {
				t.Errorf("%s, made %v: %s %v\n%s", line, made, destroys, got, end)
			}
		}
	}
}
