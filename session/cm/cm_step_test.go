package cm_test

import (
	"syscall"
	"testing"
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestStatesDuringSteps checks an identifier's state during a step, and after one that failed to start.
func TestStatesDuringSteps(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunScript(t, s, `
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
				t.Errorf("state %v, want %v", id.State, want)
			}
		}
	}
	f.Silent["resolve_addr"] = true
	sessiontest.Execute(t, s, "rdma_resolve_addr i 10.0.0.2 port=7471")
	expect(core.IDBound) // rdma_cma shows a program no state for this
	f.Silent["resolve_addr"] = false
	for _, line := range []string{"rdma_resolve_addr i 10.0.0.2 port=7471", "expect cm ADDR_RESOLVED",
		"rdma_resolve_route i", "expect cm ROUTE_RESOLVED"} {
		sessiontest.Execute(t, s, line)
	}
	f.Refuse["connect"] = verbs.NewOpError("rdma_connect", "i", syscall.EINVAL)
	if _, err := s.Exec(t.Context(), "rdma_connect i"); err == nil {
		t.Error("it connected")
	}
	expect(core.IDRouteResolved)
	delete(f.Refuse, "connect")
	sessiontest.Execute(t, s, "rdma_connect i") // nobody accepts
	expect(core.IDConnecting)
}

// TestChannelSurvivesARefusedID: when an identifier is refused because its name is taken, the named channel
// stays.
func TestChannelSurvivesARefusedID(t *testing.T) {
	s, _, _ := sessiontest.NewManaged(t)
	sessiontest.Execute(t, s, "rdma_create_event_channel ev")
	if _, err := s.Exec(t.Context(), "rdma_create_id ev channel=ev"); err == nil {
		t.Fatal("two objects have one name")
	}
	if _, err := s.Exec(t.Context(), "rdma_create_id ev mode=sync"); err == nil {
		t.Fatal("two objects have one name")
	}
	sessiontest.RunScript(t, s,
		"rdma_create_id i channel=ev\nrdma_resolve_addr i 10.0.0.2 port=7471\nexpect cm ADDR_RESOLVED")
	sessiontest.Execute(t, s, "close i")
	sessiontest.Execute(t, s, "close ev")
}

// TestLiveLeavesEventChannels: a channel in mode event is always read, live or not.
func TestLiveLeavesEventChannels(t *testing.T) {
	s, _, log := sessiontest.NewManaged(t)
	sessiontest.RunScript(t, s, "rdma_create_event_channel ev mode=event\nrdma_create_id i channel=ev\nlive on\nlive off\nrdma_resolve_addr i 10.0.0.2 port=7471")
	told := func() bool {
		log.Mu.Lock()
		defer log.Mu.Unlock()
		return len(log.Events) > 0
	}
	for end := time.Now().Add(time.Minute); !told(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the channel is not read")
		}
	}
	log.Find(t, "i", verbs.CMAddrResolved)
}

// TestLiveReadsPolledChannels: the session reads a channel in mode poll only while it is live.
func TestLiveReadsPolledChannels(t *testing.T) {
	s, _, log := sessiontest.NewManaged(t)
	sessiontest.RunScript(t, s, "live off\nrdma_create_event_channel ev mode=poll\nrdma_create_id i channel=ev\nrdma_resolve_addr i 10.0.0.2 port=7471")
	ec := s.Core().Graph.ByName["ev"].Body.(*cm.EventChannel)
	reads := ec.Reading
	if reads() {
		t.Error("the channel is read although the session is not live")
	}
	sessiontest.Execute(t, s, "live on")
	sessiontest.Execute(t, s, "expect cm ADDR_RESOLVED id=i")
	log.Find(t, "i", verbs.CMAddrResolved)
	if !reads() {
		t.Error("the channel is not read")
	}
	sessiontest.Execute(t, s, "live off")
	if reads() {
		t.Error("the channel is read after live off")
	}
}
