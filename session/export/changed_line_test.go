package export

import (
	"strings"
	"testing"

	"rdmatui/session/command"
)

// TestChangedLine: what the program has of a line with values, lines and events of the session's own choice.
func TestChangedLine(t *testing.T) {
	cmd := func(line string) command.Command { return stepOf(t, line).Cmd }
	inner := func(line string, times uint64) *Step {
		return &Step{Cmd: cmd(line), Full: cmd(line), Ran: true, Times: times}
	}
	failed := func(s *Step) *Step {
		s.Done.Err, s.Done.Errno, s.Asked = "the queue is full", "ENOMEM", true
		return s
	}
	for _, tt := range []struct {
		name, lines string
		change      func(s *Step) // of the last line
		has, lacks  string
	}{
		{"a chosen number", aDevice + "create_cq cq", func(s *Step) { s.Full = s.Full.With("cqe", "77") },
			"ibv_create_cq(soft0, 77, ", ""},
		{"nothing chosen", aDevice + "create_cq cq cqe=9", func(s *Step) { s.Full = command.Command{} },
			"ibv_create_cq(soft0, 9, ", ""},
		{"chosen numbers of a chain", aPair + "chain post_recv q ; post_recv q", func(s *Step) {
			for _, id := range []string{"41", "42"} {
				s.Inner = append(s.Inner, &Step{Cmd: s.Cmd, Full: cmd("post_recv q").With("wr_id", id)})
			}
		}, ".wr_id = 42", ""},
		{"an empty line in a chain", aPair + "chain post_recv q ; post_recv q",
			func(s *Step) { s.Full = s.Full.With("line", "post_recv q ; ; post_recv q") },
			"one of its lines cannot be read", "ibv_post_recv"},
		{"the steps of connect_qps", aPair + "connect_qps q q",
			func(s *Step) { s.Inner = []*Step{inner("modify_qp q INIT port_num=1", 1)} }, "ibv_modify_qp(q, ",
			"nothing left"},
		{"an MTU of a queue pair", aPair + "modify_qp q RTR path_mtu=q.path_mtu",
			func(s *Step) { s.Full = cmd("modify_qp q RTR path_mtu=1024") }, ".path_mtu = attr_of(q).path_mtu", ""},
		{"a round that failed", aPair + "repeat 5 post_recv q", func(s *Step) {
			s.Inner[0].Times, s.Inner[0].Later = 3, failed(inner("post_recv q", 0))
		}, "time < 3; time++", "time < 5"},
		{"the failure in a round", aPair + "repeat 5 post_recv q", func(s *Step) {
			s.Inner[0].Times, s.Inner[0].Later = 3, failed(inner("post_recv q", 0))
		}, "must_fail(\"ibv_post_recv(q)\", ", ""},
		{"a completion event that did not come", "open_device soft0\ncreate_comp_channel ch device=soft0\n" +
			"create_cq cq channel=ch\nget_cq_event ch timeout=1s", func(s *Step) { failed(s).Done.EventOf = "cq" },
			"expect(!(get_cq_event(ch, 1000)), ", "ibv_ack_cq_events"},
		{"a request that did not come", anID + "rdma_listen a\nrdma_get_cm_event CONNECT_REQUEST id=a name=r",
			func(s *Step) { failed(s) }, "expect(!((event = get_cm_event(a->channel, a, ", "r = event->id"},
		{"no translation", "open_device soft0", func(s *Step) { s.Cmd.Spec = &command.Spec{Name: "new"} },
			"Not in this program: it has no call in C.", ""},
	} {
		lines := strings.Split(tt.lines, "\n")
		text := C(recordingOf(t, lines, func(n int, s *Step) {
			if n == len(lines)-1 {
				tt.change(s)
			}
		}))
		if !strings.Contains(text, tt.has) || tt.lacks != "" && strings.Contains(text, tt.lacks) {
			t.Errorf("%s: has %q %v, has %q %v:\n%s", tt.name, tt.has, strings.Contains(text, tt.has), tt.lacks,
				strings.Contains(text, tt.lacks), text)
		}
	}
}

// TestAcknowledgedOnce: an event that a line acknowledges is not acknowledged again at the end.
func TestAcknowledgedOnce(t *testing.T) {
	const made = "open_device soft0\ncreate_comp_channel ch device=soft0\ncreate_cq cq channel=ch\n" +
		"get_cq_event ch timeout=1s"
	for lines, want := range map[string]int{made: 1, made + "\nack_cq_events cq n=1": 1} {
		text := C(recordingOf(t, strings.Split(lines, "\n"), func(_ int, s *Step) {
			if s.is(command.GetCQEvent) {
				s.Done.EventOf = "cq"
			}
		}))
		if n := strings.Count(text, "ibv_ack_cq_events(cq, 1);"); n != want {
			t.Errorf("acknowledged %d times, want %d:\n%s", n, want, text)
		}
	}
}
