package export

import (
	"os"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/command"
)

// TestLines: what single lines become, and what they leave alone.
func TestLines(t *testing.T) {
	const device = "open_device soft0\nalloc_pd pd\n"
	const ids = "rdma_create_event_channel events\nrdma_create_id a channel=events ps=TCP\n" +
		"rdma_create_id b channel=events ps=TCP\n"
	for _, tt := range []struct {
		name, lines string
		change      func(s *Step) // of the last line
		has, lacks  string
	}{
		{"a number of an object", device + "create_cq cq\npoll_cq cq n=cq.cqe timeout=1s", nil, "(int)(cq->cqe)", ""},
		{"a row of the GID table", device + "create_ah x pd=pd dgid=::1 sgid_index=12\n" +
			"create_ah y pd=pd dgid=::1 sgid_index=34", nil, "34", ""},
		{"the key of a window", device + "reg_mr m pd=pd length=64\nalloc_mw w pd=pd type=TYPE_2\ncreate_cq cq\n" +
			"create_qp q pd=pd send_cq=cq recv_cq=cq\npost_send q BIND_MW mw=w mr=m rkey=0x77", nil, "w->rkey = 0x77;",
			"ibv_inc_rkey(w->rkey);"},
		{"no value of the host", "note hello", nil, "main(void)", "\n\n\n"},
		{"not resolved", "open_device soft0\nalloc_pd pd device=soft0", func(s *Step) { s.Full = command.Command{} },
			"ibv_alloc_pd(soft0)", ""},
		{"an event to acknowledge", "open_device soft0\ncreate_comp_channel ch device=soft0\n" +
			"create_cq cq channel=ch\ncreate_cq other channel=ch\nget_cq_event ch timeout=1s",
			func(s *Step) { s.Done.EventOf = "cq" }, "ibv_ack_cq_events(cq, 1);", "ibv_ack_cq_events(other"},
		{"an event of another identifier", ids + "rdma_resolve_addr a 10.0.0.2 port=7\n" +
			"rdma_resolve_addr b 10.0.0.2 port=7\nrdma_get_cm_event id=b\nrdma_resolve_route a", nil,
			"want_cm_event(get_cm_event(a->channel, a, 10000), RDMA_CM_EVENT_ADDR_RESOLVED);",
			"want_cm_event(get_cm_event(b->channel, b, 10000)"},
		{"the device of a channel", "open_device soft0\nopen_device soft1\ncreate_comp_channel ch device=soft1\n" +
			"create_cq cq channel=ch", nil, "ibv_create_cq(soft1, ", "ibv_create_cq(soft0, "},
		{"a request of a listener with a short name", ids + "rdma_bind_addr a 10.0.0.1 port=7\nrdma_listen a\n" +
			"rdma_reject a-1", nil, "a_1 = want_cm_event(", ""},
		{"a queue pair that is used", "open_device soft0\nalloc_pd pd\ncreate_cq cq\nreg_mr m pd=pd length=64\n" + ids +
			"rdma_create_qp a q pd=pd send_cq=cq recv_cq=cq\npost_recv q sge=m", nil, "q = a->qp;", ""},
		{"a queue pair that is not", "open_device soft0\nalloc_pd pd\ncreate_cq cq\n" + ids +
			"rdma_create_qp a q pd=pd send_cq=cq recv_cq=cq", nil, "rdma_create_qp(a, ", "q = a->qp;"},
	} {
		lines := strings.Split(tt.lines, "\n")
		text := C(recordingOf(t, lines, func(n int, s *Step) {
			if n == len(lines)-1 && tt.change != nil {
				tt.change(s)
			}
		}))
		if !strings.Contains(text, tt.has) || tt.lacks != "" && strings.Contains(text, tt.lacks) {
			t.Errorf("%s: has %q %v, has %q %v:\n%s", tt.name, tt.has, strings.Contains(text, tt.has), tt.lacks,
				strings.Contains(text, tt.lacks), text)
		}
	}
}

// TestFirstRow: the row of the GID table and the port that can be set are the first ones used.
func TestFirstRow(t *testing.T) {
	var c choices
	lines := []string{"open_device soft0", "query_port port_num=4", "create_ah x dgid=::1 sgid_index=12 port_num=2",
		"create_ah y dgid=::1 sgid_index=34 port_num=3"}
	if c.scan(recordingOf(t, lines, func(int, *Step) {}).Steps); c.gid != "12" || c.port != "2" {
		t.Errorf("%+v", c)
	}
}

// TestExpectingFailure: a script expects the error that there was, with its number if it had one.
func TestExpectingFailure(t *testing.T) {
	for errno, want := range map[string]string{"": "expect error alloc_pd", "EINVAL": "expect error EINVAL alloc_pd"} {
		text := Script(recordingOf(t, []string{"open_device soft0", "alloc_pd pd"}, func(n int, s *Step) {
			if n == 1 {
				s.Done.Err, s.Done.Errno, s.Asked = "it was refused", errno, true
			}
		}))
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestNoSuchField: fields that an object does not have are not read.
func TestNoSuchField(t *testing.T) {
	o := &object{expr: "x"}
	for _, field := range []string{"nothing", "RTR.nothing", "NOWHERE.path_mtu", "private_data.nothing",
		"private_data.pair.2"} {
		if text, ok := readID(&line{}, o, field); ok {
			t.Errorf("%s of an identifier: %s", field, text)
		}
	}
	if text, ok := readID(&line{}, o, "RTR.path_mtu"); !ok || text != "init_attr_of(x, IBV_QPS_RTR).path_mtu" {
		t.Errorf("%s, %v", text, ok)
	}
	if text, ok := readCQ(nil, o, "nothing"); ok {
		t.Errorf("nothing of a queue: %s", text)
	}
	if text, ok := readCQ(nil, o, "byte_len"); !ok || text != "last_wc(x)->byte_len" {
		t.Errorf("%s, %v", text, ok)
	}
}

// TestWritesAlone: writing a recording as a script or a program changes nothing in it.
func TestWritesAlone(t *testing.T) {
	text, err := os.ReadFile("testdata/variants.rdma")
	if err != nil {
		t.Fatal(err)
	}
	r := recordingOf(t, strings.Split(string(text), "\n"), func(_ int, s *Step) {
		s.Full.Values = slices.Clone(s.Full.Values)
		for i := range s.Full.Values {
			s.Full.Values[i].Given = false // chosen
		}
	})
	program, script := C(r), Script(r)
	if C(r) != program || Script(r) != script {
		t.Error("the second time it differs")
	}
	for _, s := range r.Steps {
		for _, v := range s.Full.Values {
			if v.Given {
				t.Errorf("%s: %s is no longer chosen", s.Cmd.Full(), v.Arg.Name)
			}
		}
	}
}
