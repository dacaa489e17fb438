package cm

import (
	"fmt"
	"testing"

	"rdmatui/session/core"
)

// TestOnlyOwnChannel: the implicit channel is meant where all identifiers share it and there is no other.
func TestOnlyOwnChannel(t *testing.T) {
	own, other := &EventChannel{}, &EventChannel{}
	id := func(ec *EventChannel) core.Body { return &ID{ec: ec} }
	for _, tt := range []struct {
		name   string
		bodies []core.Body
		want   *EventChannel
	}{
		{"nothing", nil, nil},
		{"one identifier", []core.Body{id(own)}, own},
		{"two of one channel", []core.Body{id(own), id(own)}, own},
		{"two of two channels", []core.Body{id(own), id(other)}, nil},
		{"a channel beside it", []core.Body{id(own), other}, nil},
		{"a channel before it", []core.Body{other, id(own)}, nil},
	} {
		s := &core.Session{}
		for i, body := range tt.bodies {
			s.Graph.Add(&core.Node{Name: fmt.Sprint("o", i), Body: body})
		}
		if got := onlyOwnChannel(s); got != tt.want {
			t.Errorf("%s: %p, want %p", tt.name, got, tt.want)
		}
	}
}
