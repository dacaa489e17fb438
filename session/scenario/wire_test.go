package scenario

import (
	"reflect"
	"testing"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestLookAtTheWire finds a message's first packet, the same packet at the peer, and the last acknowledgement, among
// packets of other queue pairs.
func TestLookAtTheWire(t *testing.T) {
	own := func(out bool, op wire.Opcode, qp, psn uint32) *timeline.Packet {
		return &timeline.Packet{Device: "d", Outgoing: out, T: 5, Wire: wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: qp, PSN: wire.PSN(psn)}}}
	}
	far := func(p *timeline.Packet) *timeline.Packet {
		c := *p
		c.Device, c.Outgoing = "peer", !p.Outgoing
		return &c
	}
	at := func(p *timeline.Packet, when time.Duration) *timeline.Packet { c := *p; c.T = when; return &c }
	send := own(true, wire.RCSendOnly, 18, 1)
	first, last := own(true, wire.RCSendFirst, 18, 2), own(true, wire.RCSendLast, 18, 3)
	ack := own(false, wire.RCAcknowledge, 17, 1)
	for name, tt := range map[string]struct {
		seen                    []*timeline.Packet
		sent, arrived, answered *timeline.Packet
		count                   int
	}{
		"nothing":          {},
		"one":              {[]*timeline.Packet{send, far(send), ack}, send, far(send), ack, 1},
		"two of a message": {[]*timeline.Packet{first, last, far(first), far(last), ack}, first, far(first), ack, 2},
		"the later":        {[]*timeline.Packet{send, far(send), ack, first, last}, first, nil, nil, 2},
		"answer to others": {[]*timeline.Packet{send, own(false, wire.RCAcknowledge, 99, 1)}, send, nil, nil, 1},
		"request to us":    {[]*timeline.Packet{send, own(false, wire.RCSendOnly, 17, 9)}, send, nil, nil, 1},
		"our answer":       {[]*timeline.Packet{send, own(true, wire.RCAcknowledge, 18, 9)}, send, nil, nil, 1},
		"to others":        {[]*timeline.Packet{own(true, wire.RCSendOnly, 99, 1)}, nil, nil, nil, 0},
		"to a group's 1":   {[]*timeline.Packet{own(true, wire.RCSendOnly, 1, 1)}, nil, nil, nil, 0},
		"from":             {[]*timeline.Packet{at(send, 2)}, at(send, 2), nil, nil, 1},
		"before":           {[]*timeline.Packet{at(send, 1)}, nil, nil, nil, 0},
		"to":               {[]*timeline.Packet{at(send, 8)}, at(send, 8), nil, nil, 1},
		"after":            {[]*timeline.Packet{at(send, 9)}, nil, nil, nil, 0},
		"tail alone":       {[]*timeline.Packet{last, ack}, last, nil, ack, 1},
		"lost, then again": {[]*timeline.Packet{send, send, far(send), far(send), ack}, send, far(send), ack, 1},
	} {
		w := onWire{q: &queue.QP{Num: 17, Attr: verbs.QPAttr{DestQPNum: 18}}, device: "d", from: 2, to: 8}
		w.look(tt.seen)
		for what, p := range map[string][2]*timeline.Packet{"sent": {w.sent, tt.sent}, "arrived": {w.arrived, tt.arrived}, "answered": {w.answered, tt.answered}} {
			if !reflect.DeepEqual(p[0], p[1]) {
				t.Errorf("%s: %s is %+v, want %+v", name, what, p[0], p[1])
			}
		}
		if w.count != tt.count {
			t.Errorf("%s: %d packets, want %d", name, w.count, tt.count)
		}
	}
}
