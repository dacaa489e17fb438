package cm

import (
	"testing"

	"rdmatui/session/core"
)

// TestRequestNames: a request is named after its listener, if that is known, and takes a name that is free.
func TestRequestNames(t *testing.T) {
	s := &core.Session{}
	ec := &EventChannel{own: true}
	listener := &ID{ec: ec}
	listener.Node = &core.Node{Name: "l", Body: listener}
	s.Graph.Add(listener.Node)
	s.Graph.Add(&core.Node{Name: "l-2", Body: listener})
	s.Graph.Add(&core.Node{Name: "request-1", Body: listener})
	for _, tt := range []struct {
		from *ID
		name string
	}{{listener, "l-1"}, {listener, "l-3"}, {nil, "request-2"}, {nil, "request-3"}} {
		i := &ID{ec: ec, From: tt.from}
		if enterRequestLocked(s, i); i.Name != tt.name || s.Graph.ByName[tt.name] != i.Node || len(i.Uses) != 0 {
			t.Errorf("%s, uses %v, want %s", i.Name, i.Uses, tt.name)
		}
	}
	shown := &EventChannel{}
	shown.Node = &core.Node{Name: "events", Body: shown}
	i := &ID{ec: shown}
	if enterRequestLocked(s, i); len(i.Uses) != 1 || i.Uses[0] != shown.Node {
		t.Errorf("uses %v, want the channel", i.Uses)
	}
}
