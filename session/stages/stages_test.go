package stages_test

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/session/stages"
)

// lastOf returns the last request of queue pair a, with its steps as text: the measured ones by name, others with their
// source.
func lastOf(t *testing.T, s *session.Session) (r stages.Request, steps string) {
	t.Helper()
	r, ok := s.LastRequest("a")
	if !ok {
		t.Fatal("no request")
	}
	var parts []string
	last := &r.Steps[0]
	for i := range r.Steps {
		st := &r.Steps[i]
		name := strings.Fields(st.Stage.String())[0]
		if st.Source != stages.Measured {
			parts = append(parts, name+"("+st.Source.String()+")")
			continue
		}
		if st.After < last.After {
			t.Errorf("%s after %s, but %s after %s", st.Stage, st.After, last.Stage, last.After)
		}
		last = st
		parts = append(parts, name)
	}
	return r, strings.Join(parts, " ")
}

// TestStagesEveryOperation posts each operation between two queue pairs of the session: every step is measured.
func TestStagesEveryOperation(t *testing.T) {
	const push, pull = "posted fetched built sent placed acknowledged CQE polled",
		"posted fetched built sent acknowledged placed CQE polled"
	for name, tt := range map[string]struct {
		lines, want string
	}{
		"SEND": {"post_recv b sge=dst:0:64\npost_send a SEND sge=src:0:64\npoll_cq cq n=2 timeout=10s", push},
		"WRITE": {"post_send a RDMA_WRITE sge=src:0:4096 remote_addr=dst.addr rkey=dst.rkey\npoll_cq cq timeout=10s",
			push},
		"READ": {"post_send a RDMA_READ sge=src:0:4096 remote_addr=dst.addr rkey=dst.rkey\npoll_cq cq timeout=10s",
			pull},
		"swap": {"modify_qp b RTS qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC\npost_send a ATOMIC_CMP_AND_SWP sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey compare_add=0 swap=1\npoll_cq cq timeout=10s", pull},
		"add":  {"modify_qp b RTS qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC\npost_send a ATOMIC_FETCH_AND_ADD sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey compare_add=1\npoll_cq cq timeout=10s", pull},
		"refused": {"post_send a RDMA_WRITE sge=src:0:8 remote_addr=dst.addr rkey=0x1\npoll_cq cq timeout=10s",
			"posted fetched built sent placed(not reached) acknowledged CQE polled"},
		"not polled": {"post_send a RDMA_WRITE sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey\nsleep 50ms",
			"posted fetched built sent placed acknowledged CQE polled(not reached)"},
		"no RECV": {"post_send a SEND sge=src:0:64\nsleep 50ms",
			"posted fetched built sent placed(not reached) acknowledged(not reached) CQE(not reached) polled(not reached)"},
		"after a loop": {"post_send a RDMA_WRITE sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey count=30 outstanding=4",
			"posted fetched(inferred) built(inferred) sent(inferred) placed(inferred) acknowledged(inferred) CQE(inferred) polled"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewPair(t)
			sessiontest.RunScript(t, s, tt.lines)
			r, steps := lastOf(t, s)
			if steps != tt.want {
				t.Errorf("%s\nwant %s", steps, tt.want)
			}
			if r.Peer == "" || r.Device != "soft0" || r.Opcode.Traits().Receives != (r.Served > 0) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestStagesOfPackets: packets are searched for the steps that the device has not recorded, but only for the queue
// pair's last completed request.
func TestStagesOfPackets(t *testing.T) {
	for name, followed := range map[string]bool{"the last": false, "another has followed": true} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewPair(t)
			if _, err := s.WatchPackets(true); err != nil {
				t.Fatal(err)
			}
			q := s.Core().Graph.ByName["a"].Body.(*queue.QP)
			q.RecordSteps(false)
			sessiontest.RunScript(t, s,
				"post_send a RDMA_WRITE sge=src:0:64 remote_addr=dst.addr rkey=dst.rkey\npoll_cq cq timeout=10s")
			want := "posted fetched(inferred) built(inferred) sent placed(inferred) acknowledged CQE(inferred) polled"
			if followed {
				q.Sent.Add(1)
				want = "posted fetched(inferred) built(inferred) sent(inferred) placed(inferred) acknowledged(inferred) CQE(inferred) polled"
			}
			if _, steps := lastOf(t, s); steps != want {
				t.Errorf("%s\nwant %s", steps, want)
			}
		})
	}
}

// TestStagesOfNothing: there is no request of what is no queue pair, or has posted nothing.
func TestStagesOfNothing(t *testing.T) {
	s := sessiontest.NewPair(t)
	for _, name := range []string{"a", "src", "x", ""} {
		if r, ok := s.LastRequest(name); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
