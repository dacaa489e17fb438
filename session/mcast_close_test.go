package session

import (
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestCloseLeavesJoinedGroups closes a session with a group joined through an identifier: the queue pair cannot be
// destroyed before the group is left.
func TestCloseLeavesJoinedGroups(t *testing.T) {
	provider := soft.New(soft.Options{})
	s := New(core.Options{Providers: []verbs.Provider{provider}})
	runScript(t, s, `
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
