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
