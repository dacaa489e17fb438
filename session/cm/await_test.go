package cm

import (
	"context"
	"testing"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// TestAwaitForName: a command that names the identifier of a request skips requests whose identifier is gone, and other
// events not.
func TestAwaitForName(t *testing.T) {
	for _, tt := range []struct {
		line string
		kind verbs.CMEventType // of the event before the request
		gone bool
		want string
	}{
		{"rdma_get_cm_event name=x", verbs.CMConnectRequest, true, "second"},
		{"rdma_get_cm_event name=x", verbs.CMConnectRequest, false, "first"},
		{"rdma_get_cm_event name=x", verbs.CMDisconnected, true, "first"},
		{"rdma_get_cm_event", verbs.CMConnectRequest, true, "first"},
	} {
		s, ec, ids := &core.Session{}, &EventChannel{mode: ModeEvent}, map[string]*ID{}
		for _, name := range []string{"first", "second"} {
			a := &arriving{id: &ID{Node: &core.Node{Name: name}}}
			a.ID, a.Type, ids[name] = name, verbs.CMConnectRequest, a.id
			if name == "first" {
				a.Type = tt.kind
			}
			if !tt.gone || name == "second" {
				s.Graph.Add(a.id.Node)
			}
			ec.inbox.put(a)
		}
		cmd, err := command.Parse(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := awaitForName(&core.Call{S: s, Ctx: t.Context(), Cmd: cmd}, ec, time.Hour, func(*arriving) bool {
			return true
		})
		if err != nil || got.id != ids[tt.want] {
			t.Errorf("%s, after %s: %s, %v", tt.line, tt.kind, got.ID, err)
		}
		if named := s.Graph.ByName["x"]; named != nil && named != got.id.Node {
			t.Errorf("%s, after %s: x is %+v", tt.line, tt.kind, named)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		for range 2 { // until nothing is left
			_, err = awaitForName(&core.Call{S: s, Ctx: ended, Cmd: cmd}, ec, time.Hour, func(*arriving) bool {
				return true
			})
		}
		if err != context.Canceled {
			t.Errorf("%s, after the end: %v", tt.line, err)
		}
	}
}

// TestRequestHasOneOwner checks that a request goes to the first that claims it, a command or the reader that drops it,
// whatever the order of what they do next.
func TestRequestHasOneOwner(t *testing.T) {
	for _, tt := range []struct {
		name      string
		claims    []claim
		accepting bool   // it has a queue pair
		want      []bool // for each claim
	}{
		{"a command, then the reader", []claim{byCommand, byReader}, false, []bool{true, false}},
		{"the reader, then a command", []claim{byReader, byCommand}, false, []bool{true, false}},
		{"the reader of a request that is accepted", []claim{byReader, byCommand}, true, []bool{false, true}},
		{"commands", []claim{byCommand, byCommand}, false, []bool{true, true}},
	} {
		l := newListened(t)
		l.from(1, 1)
		i := l.come[0]
		if tt.accepting {
			i.qp = &queue.QP{}
		}
		for n, by := range tt.claims {
			if got := claimed(l.s, i, by); got != tt.want[n] {
				t.Errorf("%s: claim %d gets it: %t", tt.name, n, got)
			}
		}
	}
}

// TestDroppedRequestIsSkipped checks that a command does not take a request that the reader has begun to drop, and that
// the reader does not drop one that a command has taken.
func TestDroppedRequestIsSkipped(t *testing.T) {
	l := newListened(t)
	l.ec.mode = ModeEvent
	l.from(1, 3)
	for _, i := range l.come {
		a := &arriving{id: i, listen: l.ID}
		a.ID, a.Type = i.Name, verbs.CMConnectRequest
		l.ec.inbox.put(a)
	}
	if !claimed(l.s, l.come[0], byReader) {
		t.Fatal("the reader does not get a request that nobody has")
	}
	cmd, err := command.Parse("rdma_get_cm_event CONNECT_REQUEST id=l name=conn")
	if err != nil {
		t.Fatal(err)
	}
	of := func(a *arriving) bool { return a.concerns(l.ID) }
	got, err := awaitForName(&core.Call{S: l.s, Ctx: t.Context(), Cmd: cmd}, l.ec, time.Hour, of)
	if err != nil || got.id != l.come[1] || got.id.Name != "conn" {
		t.Fatalf("%s, %v: want the second request, named conn", got.ID, err)
	}
	if err := dropRequest(l.s, l.come[0]); err != nil {
		t.Error(err)
	}
	if claimed(l.s, got.id, byReader) || got.id.ID.(*request).closed || l.s.Graph.ByName["conn"] != got.id.Node {
		t.Error("the reader drops a request that a command has taken")
	}
}

// TestCommandClaimsARequest: a request that a command names belongs to the command, unless the reader has begun to drop
// it.
func TestCommandClaimsARequest(t *testing.T) {
	l := newListened(t)
	l.from(1, 2)
	dropped, kept := l.come[0], l.come[1]
	if !claimed(l.s, dropped, byReader) {
		t.Fatal("the reader does not get a request that nobody has")
	}
	for i, want := range map[*ID]bool{dropped: false, kept: true} {
		cmd, err := command.Parse("rdma_reject " + i.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := idArg(&core.Call{S: l.s, Ctx: t.Context(), Cmd: cmd}, nil); (err == nil) != want {
			t.Errorf("%s: %v", i.Name, err)
		}
	}
	if claimed(l.s, kept, byReader) {
		t.Error("the reader drops a request that a command uses")
	}
}

// TestDeliver: an event reaches the channel that its identifier, or the listener of a request, has by then; none is
// kept for an identifier that was destroyed while the event was read.
func TestDeliver(t *testing.T) {
	destroy := func(l *listened, i *ID) {
		if err := l.s.Destroy(i.Node); err != nil {
			t.Fatal(err)
		}
	}
	move := func(l *listened, i *ID, to *EventChannel) {
		from := i.ec
		from.members++ // a channel of the user
		rehome(l.s, i, from, to)
	}
	for _, tt := range []struct {
		name      string
		kind      verbs.CMEventType
		meanwhile func(*listened, *EventChannel)
		was, now  int // events in the channel that it was read from, and in the other
	}{
		{"nothing happened", verbs.CMDisconnected, func(*listened, *EventChannel) {}, 2, 0},
		{"destroyed", verbs.CMDisconnected, func(l *listened, _ *EventChannel) { destroy(l, l.come[0]) }, 0, 0},
		{"moved", verbs.CMDisconnected, func(l *listened, to *EventChannel) { move(l, l.come[0], to) }, 0, 2},
		{"its listener moved", verbs.CMDisconnected, func(l *listened, to *EventChannel) { move(l, l.ID, to) }, 2, 0},
		{"a request, its listener moved", verbs.CMConnectRequest,
			func(l *listened, to *EventChannel) { move(l, l.ID, to) }, 0, 2},
		{"a request, it moved", verbs.CMConnectRequest,
			func(l *listened, to *EventChannel) { move(l, l.come[0], to) }, 0, 2},
		{"a request, destroyed", verbs.CMConnectRequest,
			func(l *listened, _ *EventChannel) { destroy(l, l.come[0]) }, 0, 0},
	} {
		l := newListened(t)
		to := &EventChannel{Node: &core.Node{Name: "other"}, provider: l.ec.provider}
		enterID(l.s, l.ID)
		l.from(1, 1)
		a := func(status int) *arriving {
			e := &arriving{id: l.come[0]}
			if e.Type, e.Status = tt.kind, status; tt.kind == verbs.CMConnectRequest {
				e.listen = l.ID
			}
			return e
		}
		deliver(l.s, l.ec, a(1))
		second := a(2)
		tt.meanwhile(l, to)
		deliver(l.s, l.ec, second)
		if was, now := l.ec.inbox.Len(), to.inbox.Len(); was != tt.was || now != tt.now {
			t.Errorf("%s: %d and %d events, want %d and %d", tt.name, was, now, tt.was, tt.now)
		}
		for _, b := range []*cmInbox{&l.ec.inbox, &to.inbox} {
			last := 0
			for e, _ := b.get(func(*arriving) bool { return true }); e != nil; {
				if e.Status < last {
					t.Errorf("%s: event %d after %d", tt.name, e.Status, last)
				}
				last = e.Status
				e, _ = b.get(func(*arriving) bool { return true })
			}
			if len(b.count) != 0 {
				t.Errorf("%s: events of %d identifiers are counted in an empty inbox", tt.name, len(b.count))
			}
		}
	}
}

// meeting is a request whose rejection meets an event.
type meeting struct {
	request
	event func()
}

func (m *meeting) Reject([]byte) error { m.event(); return nil }

// TestRejectKeepsTheStateOfAnEvent: an event that arrives during rdma_reject decides the state.
func TestRejectKeepsTheStateOfAnEvent(t *testing.T) {
	for event, want := range map[verbs.CMEventType]core.IDState{
		verbs.CMRejected: core.IDError, verbs.CMAddrChange: core.IDDisconnected,
	} {
		l := newListened(t)
		m := &meeting{}
		i := &ID{ID: m, From: l.ID, ec: l.ec}
		m.event = func() { came(l.s, l.ec, verbs.CMEvent{Type: event, ID: m}) }
		l.s.Mu.Lock()
		enterRequestLocked(l.s, i)
		i.moveLocked(core.IDRequest)
		l.s.Mu.Unlock()
		cmd, err := command.Parse("rdma_reject " + i.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := Reject(&core.Call{S: l.s, Ctx: t.Context(), Cmd: cmd}); err != nil {
			t.Fatal(err)
		}
		if got := StateOf(l.s, i); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
	}
}
