package cm_test

import (
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
)

// TestUnreadableManagedDevice: a device of the manager that cannot be read is not added to the session, and a note says
// why.
func TestUnreadableManagedDevice(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.Fail["query"] = syscall.EIO
	sessiontest.RunLines(t, s,
		"rdma_create_id id mode=poll\nrdma_resolve_addr id 10.0.0.2 port=7471\nrdma_get_cm_event ADDR_RESOLVED")
	if got := s.Snapshot().Devices; len(got) != 0 {
		t.Errorf("%+v", got)
	}
	noted := false
	for _, e := range s.Timeline().Snapshot() {
		noted = noted || e.Kind == timeline.KindNote && strings.Contains(e.Note.Text, "is unreadable")
	}
	if !noted {
		t.Error("no note says why")
	}
}
