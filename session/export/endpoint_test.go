package export

import (
	"strings"
	"testing"
)

// made returns the step of a short form with the lines that it carried out.
func made(t *testing.T, line string, inner ...string) *Step {
	t.Helper()
	s := stepOf(t, line)
	for _, line := range inner {
		s.Inner = append(s.Inner, stepOf(t, line))
	}
	return s
}

// endpoint returns the step of an rdma_create_ep; the first endpoint on a device allocates the domain.
func endpoint(t *testing.T, name string, first bool) *Step {
	t.Helper()
	inner := []string{"rdma_create_id NAME mode=sync ps=TCP", "rdma_resolve_addr NAME res.dst_addr"}
	if first {
		inner = append(inner, "alloc_pd domain id=NAME")
	}
	inner = append(inner, "create_comp_channel NAME-rch id=NAME", "create_cq NAME-rcq id=NAME channel=NAME-rch",
		"create_comp_channel NAME-sch id=NAME", "create_cq NAME-scq id=NAME channel=NAME-sch",
		"rdma_create_qp NAME NAME-qp pd=domain recv_cq=NAME-rcq send_cq=NAME-scq")
	for i := range inner {
		inner[i] = strings.ReplaceAll(inner[i], "NAME", name)
	}
	return made(t, "rdma_create_ep "+name+" res", inner...)
}

// TestEndpointParts: what librdmacm creates with an endpoint is a member of its identifier, and only
// rdma_destroy_ep destroys it.
func TestEndpointParts(t *testing.T) {
	name := stepOf(t, "rdma_getaddrinfo 10.9.0.2 7471")
	a, b := endpoint(t, "a", true), endpoint(t, "b", false)
	for _, tt := range []struct {
		name       string
		steps      []*Step
		has, lacks string
	}{
		{"the end", []*Step{name, a}, "\n\trdma_destroy_ep(a);\n", "ibv_destroy"},
		{"the queue pair", []*Step{name, a, stepOf(t, "post_recv a-qp wr_id=1")}, "ibv_post_recv(a->qp, ", ""},
		{"a queue", []*Step{name, a, stepOf(t, "poll_cq a-rcq")}, "poll_cq(a->recv_cq, 1, 0);", ""},
		{"a channel", []*Step{name, a, stepOf(t, "get_cq_event a-sch")}, "get_cq_event(a->send_cq_channel, 1000)", ""},
		{"the domain", []*Step{name, a, stepOf(t, "reg_mr m pd=domain length=8")}, "m = reg_mr(a->pd, 8, ", ""},
		{"the domain after its first endpoint", []*Step{name, a, b, made(t, "rdma_destroy_ep a"),
			stepOf(t, "reg_mr m pd=domain length=8")}, "m = reg_mr(b->pd, 8, ", ""},
		{"the domain after the last", []*Step{name, a, made(t, "rdma_destroy_ep a"),
			stepOf(t, "reg_mr m pd=domain length=8")}, "domain was not created in it", "reg_mr("},
		{"a queue that is closed", []*Step{name, a, stepOf(t, "close a-rcq")}, "librdmacm destroys it",
			"ibv_destroy_cq"},
		{"queues end with their queue pair", []*Step{name, a, stepOf(t, "rdma_destroy_qp a-qp"),
			stepOf(t, "poll_cq a-rcq")}, "a-rcq was not created in it", "poll_cq("},
		{"a region before its endpoint", []*Step{name, a, made(t, "rdma_reg_msgs m id=a length=8",
			"reg_mr m pd=domain length=8 access=LOCAL_WRITE")},
			"\terr = dereg_mr(m);\n\tif (err)\n\t\tdie(\"ibv_dereg_mr(m)\", err);\n\trdma_destroy_ep(a);\n", ""},
		{"an event that is not acknowledged", []*Step{name, a, eventOf(t, "get_cq_event a-sch", "a-scq")},
			"\tibv_ack_cq_events(a->send_cq, 1);\n\trdma_destroy_ep(a);\n", ""},
		{"a completion that a live session took", []*Step{name, a,
			cameBefore(made(t, "rdma_get_recv_comp a", "poll_cq a-rcq"))},
			"expect(poll_cq(a->recv_cq, 1, 10000) == 1, ", "get_recv_comp"},
		{"a form that failed", []*Step{name, a,
			failed(made(t, "rdma_post_recv a wr_id=7 sge=m", "post_recv a-qp wr_id=7"))},
			"must_fail(\"ibv_post_recv(a->qp)\"", "rdma_post_recv(a,"},
	} {
		text := C(Recording{Steps: tt.steps})
		_, body, _ := strings.Cut(text, "\nint main(")
		body = withoutComments(body)
		if !strings.Contains(text, tt.has) || tt.lacks != "" && strings.Contains(body, tt.lacks) {
			t.Errorf("%s: no %q, or %q:\n%s", tt.name, tt.has, tt.lacks, text)
		}
	}
}

// eventOf returns a step that took an event of a queue.
func eventOf(t *testing.T, line, cq string) *Step {
	s := stepOf(t, line)
	s.Done.EventOf = cq
	return s
}

// cameBefore returns the step with a completion that was taken live before it.
func cameBefore(s *Step) *Step {
	s.Came = map[string]uint64{"a-rcq": 1}
	return s
}

// failed returns the step of a form whose only line the provider refused.
func failed(s *Step) *Step {
	for _, one := range []*Step{s, s.Inner[0]} {
		one.Done.Err, one.Done.Errno, one.Asked = "it was refused", "ENOMEM", true
	}
	return s
}

func withoutComments(text string) string { return notCode().ReplaceAllString(text, `""`) }

// TestScriptAsksOnceForTaken: a script does not ask again for a completion that it has already waited for.
func TestScriptAsksOnceForTaken(t *testing.T) {
	got := Script(Recording{Steps: []*Step{cameBefore(made(t, "rdma_get_recv_comp a", "poll_cq a-rcq")),
		made(t, "rdma_get_recv_comp a", "poll_cq a-rcq")}})
	if want := "poll_cq a-rcq n=1 timeout=10000ms\nrdma_get_recv_comp a\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRequestOfEndpoint: rdma_get_request creates the queue pair of a request to an endpoint, and names that look like
// a request's but have no number are none.
func TestRequestOfEndpoint(t *testing.T) {
	listen := made(t, "rdma_create_ep listen res", "rdma_create_id listen mode=sync ps=TCP", "rdma_bind_addr listen")
	request := made(t, "rdma_get_request listen name=req", "alloc_pd domain id=req",
		"create_comp_channel req-ch id=req", "create_cq req-cq id=req channel=req-ch",
		"rdma_create_qp req req-qp pd=domain recv_cq=req-cq send_cq=req-cq")
	text := C(Recording{Steps: []*Step{stepOf(t, "rdma_getaddrinfo service=7471 flags=PASSIVE"), listen, request,
		stepOf(t, "post_recv req-qp wr_id=1"), stepOf(t, "post_recv listen-qp wr_id=1")}})
	for _, want := range []string{"req = get_request(listen);", "ibv_post_recv(req->qp, ",
		"listen-qp was not created in it", "\trdma_destroy_ep(req);\n\trdma_destroy_ep(listen);\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}
