package queue

import (
	"fmt"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// TestDatagramPort: an address handle is made for the port of the domain's datagram queue pairs, if they have one.
func TestDatagramPort(t *testing.T) {
	d := &device.Device{Ports: []verbs.PortAttr{{PortNum: 1, State: verbs.PortActive}, {PortNum: 2}, {PortNum: 3}}}
	pd, other := &region.PD{Device: d}, &region.PD{Device: d}
	pair := func(pd *region.PD, kind verbs.QPType, state verbs.QPState, port uint8) core.Body {
		q := &QP{PD: pd, Spec: verbs.QPSpec{QPType: kind}, Attr: verbs.QPAttr{PortNum: port}}
		q.state.Store(uint64(state))
		return q
	}
	for _, tt := range []struct {
		name   string
		bodies []core.Body
		want   uint8
	}{
		{"none", nil, 1},
		{"one", []core.Body{pair(pd, verbs.UD, verbs.QPRTS, 2)}, 2},
		{"two of one port", []core.Body{pair(pd, verbs.UD, verbs.QPRTS, 2), pair(pd, verbs.UD, verbs.QPInit, 2)}, 2},
		{"two of two ports", []core.Body{pair(pd, verbs.UD, verbs.QPRTS, 2), pair(pd, verbs.UD, verbs.QPRTS, 3)}, 1},
		{"connected", []core.Body{pair(pd, verbs.RC, verbs.QPRTS, 2)}, 1},
		{"of another domain", []core.Body{pair(other, verbs.UD, verbs.QPRTS, 2)}, 1},
		{"in RESET", []core.Body{pair(pd, verbs.UD, verbs.QPReset, 2), pair(pd, verbs.UD, verbs.QPRTS, 3)}, 3},
		{"beside a domain", []core.Body{pd, pair(pd, verbs.UD, verbs.QPRTS, 3)}, 3},
	} {
		s := &core.Session{}
		for i, body := range tt.bodies {
			s.Graph.Add(&core.Node{Name: fmt.Sprint("o", i), Body: body})
		}
		if got := datagramPort(s, pd); got != tt.want {
			t.Errorf("%s: port %d, want %d", tt.name, got, tt.want)
		}
	}
}
