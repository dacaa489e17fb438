package cm

import (
	"context"
	"testing"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
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
		s, ec := &core.Session{}, &EventChannel{mode: ModeEvent}
		for _, name := range []string{"first", "second"} {
			a := &arriving{id: &ID{Node: &core.Node{Name: name}}}
			a.ID, a.Type = name, verbs.CMConnectRequest
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
		if err != nil || got.ID != tt.want {
			t.Errorf("%s, after %s: %s, %v", tt.line, tt.kind, got.ID, err)
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
