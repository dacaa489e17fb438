package queue_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestGroupsOfAnIdentifier: an identifier's groups are those that it has joined and not left; one that it could not
// join is not among them.
func TestGroupsOfAnIdentifier(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, "rdma_create_event_channel events\nrdma_create_id id ps=UDP\nrdma_bind_addr id 127.0.0.1\nalloc_pd pd id=id\ncreate_cq cq id=id\nrdma_create_qp id qp pd=pd send_cq=cq")
	for _, tt := range []struct {
		line string
		want string
	}{
		{"rdma_join_multicast id 239.7.0.2", "[239.7.0.2]"},
		{"rdma_get_cm_event MULTICAST_JOIN id=id timeout=20s", "[239.7.0.2]"},
		{"rdma_join_multicast id 239.7.0.3", "[239.7.0.2 239.7.0.3]"},
		{"rdma_get_cm_event MULTICAST_JOIN id=id timeout=20s", "[239.7.0.2 239.7.0.3]"},
		{"expect error rdma_join_multicast id 10.0.0.9", "[239.7.0.2 239.7.0.3]"},
		{"expect error rdma_join_multicast id 239.7.0.2", "[239.7.0.2 239.7.0.3]"},
		{"expect error rdma_leave_multicast id 239.7.0.4", "[239.7.0.2 239.7.0.3]"},
		{"rdma_leave_multicast id 239.7.0.2", "[239.7.0.3]"},
		{"rdma_leave_multicast id 239.7.0.3", "[]"},
	} {
		sessiontest.RunScript(t, s, tt.line)
		if got := fmt.Sprint(s.Snapshot().IDs[0].Groups); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.line, got, tt.want)
		}
	}
}

// TestJoinTwice: where the provider lets an identifier join a group twice, it is in the group until it has left twice.
func TestJoinTwice(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, "rdma_create_id id mode=sync ps=UDP\nrdma_bind_addr id 10.0.0.1")
	for _, tt := range []struct {
		line   string
		refuse error
		want   string
	}{
		{"rdma_join_multicast id 239.7.0.2", nil, "[239.7.0.2]"},
		{"expect error rdma_join_multicast id 239.7.0.2", syscall.EINVAL, "[239.7.0.2]"},
		{"rdma_join_multicast id 239.7.0.2", nil, "[239.7.0.2 239.7.0.2]"},
		{"expect error rdma_join_multicast id 239.7.0.2", syscall.EINVAL, "[239.7.0.2 239.7.0.2]"},
		{"rdma_leave_multicast id 239.7.0.2", nil, "[239.7.0.2]"},
		{"rdma_leave_multicast id 239.7.0.2", nil, "[]"},
	} {
		f.Refuse["join 239.7.0.2"] = tt.refuse
		sessiontest.Execute(t, s, tt.line)
		if got := fmt.Sprint(s.Snapshot().IDs[0].Groups); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.line, got, tt.want)
		}
	}
}

// TestCloseLeavesJoinedGroups closes a session with a group joined through an identifier: the queue pair cannot be
// destroyed before the group is left.
func TestCloseLeavesJoinedGroups(t *testing.T) {
	provider := soft.New(soft.Options{})
	s := session.New(core.Options{Providers: []verbs.Provider{provider}})
	sessiontest.RunScript(t, s, `
rdma_create_event_channel events
rdma_create_id id ps=UDP
rdma_bind_addr id 127.0.0.1
alloc_pd pd id=id
create_cq cq id=id
rdma_create_qp id qp pd=pd send_cq=cq
rdma_join_multicast id 239.7.0.2
rdma_get_cm_event MULTICAST_JOIN id=id timeout=20s
`)
	done, err := s.Exec(t.Context(), "close qp")
	if want := "rdma_leave_multicast id 239.7.0.2 first"; err == nil || !strings.Contains(done.Hint, want) {
		t.Errorf("close qp: %v, hint %q, want %q", err, done.Hint, want)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if held := provider.Held(); len(held) > 0 {
		t.Errorf("left: %v", held)
	}
}
