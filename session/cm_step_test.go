package session

import (
	"syscall"
	"testing"
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// TestStatesDuringSteps looks at an identifier while a step is under way, and after one that could not begin.
func TestStatesDuringSteps(t *testing.T) {
	s, f, _ := newManaged(t)
	runScript(t, s, `
rdma_create_event_channel ev
rdma_create_id i channel=ev
rdma_create_id l channel=ev
rdma_bind_addr l port=7471
rdma_listen l
rdma_bind_addr i 10.0.0.1 port=4000
`)
	expect := func(want core.IDState) {
		t.Helper()
		for _, id := range s.Snapshot().IDs {
			if id.Name == "i" && id.State != want {
				t.Errorf("it is %v, not %v", id.State, want)
			}
		}
	}
	f.silent["resolve_addr"] = true
	execute(t, s, "rdma_resolve_addr i 10.0.0.2 port=7471")
	expect(core.IDBound) // as rdma_cma has no state for it that a program sees
	f.silent["resolve_addr"] = false
	for _, line := range []string{"rdma_resolve_addr i 10.0.0.2 port=7471", "expect cm ADDR_RESOLVED", "rdma_resolve_route i", "expect cm ROUTE_RESOLVED"} {
		execute(t, s, line)
	}
	f.refuse["connect"] = verbs.NewOpError("rdma_connect", "i", syscall.EINVAL)
	if _, err := s.Exec(t.Context(), "rdma_connect i"); err == nil {
		t.Error("it connects")
	}
	expect(core.IDRouteResolved)
	delete(f.refuse, "connect")
	execute(t, s, "rdma_connect i") // which nobody accepts
	expect(core.IDConnecting)
}

// TestChannelSurvivesARefusedID refuses an identifier whose name is taken: the channel that the line names stays.
func TestChannelSurvivesARefusedID(t *testing.T) {
	s, _, _ := newManaged(t)
	execute(t, s, "rdma_create_event_channel ev")
	if _, err := s.Exec(t.Context(), "rdma_create_id ev channel=ev"); err == nil {
		t.Fatal("two objects have one name")
	}
	if _, err := s.Exec(t.Context(), "rdma_create_id ev mode=sync"); err == nil {
		t.Fatal("two objects have one name")
	}
	runScript(t, s, "rdma_create_id i channel=ev\nrdma_resolve_addr i 10.0.0.2 port=7471\nexpect cm ADDR_RESOLVED")
	execute(t, s, "close i")
	execute(t, s, "close ev")
}

// TestLiveLeavesEventChannels: a channel of mode event is read whether the session is live or not.
func TestLiveLeavesEventChannels(t *testing.T) {
	s, _, log := newManaged(t)
	runScript(t, s, "rdma_create_event_channel ev mode=event\nrdma_create_id i channel=ev\nlive on\nlive off\nrdma_resolve_addr i 10.0.0.2 port=7471")
	told := func() bool {
		log.mu.Lock()
		defer log.mu.Unlock()
		return len(log.events) > 0
	}
	for end := time.Now().Add(time.Minute); !told(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody reads the channel")
		}
	}
	log.Find(t, "i", verbs.CMAddrResolved)
}

// TestLiveReadsPolledChannels has the session read a channel of mode poll while it is live, and not otherwise.
func TestLiveReadsPolledChannels(t *testing.T) {
	s, _, log := newManaged(t)
	runScript(t, s, "live off\nrdma_create_event_channel ev mode=poll\nrdma_create_id i channel=ev\nrdma_resolve_addr i 10.0.0.2 port=7471")
	ec := s.core.Graph.ByName["ev"].Body.(*cm.EventChannel)
	reads := ec.Reading
	if reads() {
		t.Error("the channel is read although nothing is to be")
	}
	execute(t, s, "live on")
	execute(t, s, "expect cm ADDR_RESOLVED id=i")
	log.Find(t, "i", verbs.CMAddrResolved)
	if !reads() {
		t.Error("the channel is not read")
	}
	execute(t, s, "live off")
	if reads() {
		t.Error("the channel is read after live off")
	}
}
