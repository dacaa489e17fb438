package stages

import (
	"net/netip"
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
		return &timeline.Packet{
			Device: "d", Outgoing: out,
			T: 5, Wire: wire.Packet{BTH: wire.BTH{Opcode: op, DestQP: qp, PSN: wire.PSN(psn)}},
		}
	}
	far := func(p *timeline.Packet) *timeline.Packet {
		c := *p
		c.Device, c.Outgoing = "peer", !p.Outgoing
		return &c
	}
	at := func(p *timeline.Packet, when time.Duration) *timeline.Packet { c := *p; c.T = when; return &c }
	with := func(p *timeline.Packet, change func(*timeline.Packet)) *timeline.Packet {
		c := *p
		change(&c)
		return &c
	}
	elsewhere := func(p *timeline.Packet) { p.Device = "peer" }
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
		"damaged": {[]*timeline.Packet{with(send, func(p *timeline.Packet) { p.Err = wire.ErrPad })},
			nil, nil, nil, 0},
		"unknown opcode": {[]*timeline.Packet{with(send, func(p *timeline.Packet) { p.Wire.BTH.Opcode = 0x1f })},
			nil, nil, nil, 0},
		"of another device":  {[]*timeline.Packet{with(send, elsewhere)}, nil, nil, nil, 0},
		"received by us":     {[]*timeline.Packet{own(false, wire.RCSendOnly, 18, 1)}, nil, nil, nil, 0},
		"answer elsewhere":   {[]*timeline.Packet{send, with(ack, elsewhere)}, send, nil, nil, 1},
		"answer by us":       {[]*timeline.Packet{send, own(true, wire.RCAcknowledge, 17, 1)}, send, nil, nil, 1},
		"sent elsewhere":     {[]*timeline.Packet{send, with(send, elsewhere)}, send, nil, nil, 1},
		"another PSN":        {[]*timeline.Packet{send, far(own(true, wire.RCSendOnly, 18, 2))}, send, nil, nil, 1},
		"another queue pair": {[]*timeline.Packet{send, far(own(true, wire.RCSendOnly, 99, 1))}, send, nil, nil, 1},
		"another source": {[]*timeline.Packet{send, with(far(send),
			func(p *timeline.Packet) { p.Src = netip.MustParseAddrPort("10.0.0.9:1") })}, send, nil, nil, 1},
		"an answer at a peer": {[]*timeline.Packet{send, far(own(true, wire.RCAcknowledge, 18, 1))}, send, nil, nil, 1},
		"lost, then again":    {[]*timeline.Packet{send, send, far(send), far(send), ack}, send, far(send), ack, 1},
	} {
		w := onWire{q: &queue.QP{Num: 17, Attr: verbs.QPAttr{DestQPNum: 18}}, device: "d", from: 2, to: 8}
		w.look(tt.seen)
		for what, p := range map[string][2]*timeline.Packet{"sent": {w.sent, tt.sent},
			"arrived": {w.arrived, tt.arrived}, "answered": {w.answered, tt.answered}} {
			if !reflect.DeepEqual(p[0], p[1]) {
				t.Errorf("%s: %s is %+v, want %+v", name, what, p[0], p[1])
			}
		}
		if w.count != tt.count {
			t.Errorf("%s: %d packets, want %d", name, w.count, tt.count)
		}
	}
}

// TestWhoseIsIt: where the peer's number is unknown, a packet to any queue pair but management's and our own may be
// ours; a datagram says whose it is.
func TestWhoseIsIt(t *testing.T) {
	const num = 17
	for _, tt := range []struct {
		op       wire.Opcode
		to, from uint32 // from is in datagrams only
		dest     verbs.QPN
		want     bool
	}{
		{wire.UCSendOnly, 0, 0, 0, false}, {wire.UCSendOnly, 1, 0, 0, false}, {wire.UCSendOnly, 2, 0, 0, true},
		{wire.UCSendOnly, num, 0, 0, false},
		{wire.UCSendOnly, 18, 0, 18, true}, {wire.UCSendOnly, 19, 0, 18, false},
		{wire.UDSendOnly, 1, num, 0, false}, {wire.UDSendOnly, 2, num, 0, true}, {wire.UDSendOnly, num, num, 0, true},
		{wire.UDSendOnly, 18, 18, 18, false},
	} {
		h := wire.Packet{BTH: wire.BTH{Opcode: tt.op, DestQP: tt.to}, DETH: wire.DETH{SrcQP: tt.from}}
		info, _ := tt.op.Info()
		h.Headers = info.Headers
		w := onWire{q: &queue.QP{Num: num, Attr: verbs.QPAttr{DestQPNum: tt.dest}}, device: "d", to: 1}
		w.look([]*timeline.Packet{{Device: "d", Outgoing: true, Wire: h}})
		if got := w.sent != nil; got != tt.want {
			t.Errorf("%+v: ours %v", tt, got)
		}
	}
}

// TestTellOfTheWire: what is told of a request's packets.
func TestTellOfTheWire(t *testing.T) {
	at := func(op wire.Opcode, when time.Duration) *timeline.Packet {
		return &timeline.Packet{T: when, Wire: wire.Packet{BTH: wire.BTH{Opcode: op}}}
	}
	sent, arrived, answered := at(wire.RCSendFirst, 1500), at(wire.RCSendFirst, 3000), at(wire.RCAcknowledge, 5000)
	type told struct {
		after    time.Duration
		measured bool
		note     string
	}
	type steps = map[Stage]told
	for name, tt := range map[string]struct {
		w    onWire
		want steps // nothing is told of the others
	}{
		"nothing":    {onWire{}, nil},
		"one packet": {onWire{sent: sent, count: 1}, steps{Sent: {500, true, "captured: RC_SEND_FIRST"}}},
		"two packets": {onWire{sent: sent, count: 2},
			steps{Sent: {500, true, "captured: RC_SEND_FIRST and 1 more"}}},
		"three packets": {onWire{sent: sent, count: 3},
			steps{Sent: {500, true, "captured: RC_SEND_FIRST and 2 more"}}},
		"sent before post": {onWire{sent: at(wire.RCSendOnly, 999), count: 1},
			steps{Sent: {0, true, "captured: RC_SEND_ONLY"}}},
		"all": {onWire{sent: sent, arrived: arrived, answered: answered, count: 1},
			steps{Sent: {500, true, "captured: RC_SEND_FIRST"},
				Placed:       {note: "arrived at the peer after 2 µs"},
				Acknowledged: {4000, true, "captured: RC_ACKNOWLEDGE"}}},
	} {
		w := tt.w
		w.from = 1000
		var f facts
		w.tell(&f)
		for s := range Stages {
			if got := (told{f.at[s], f.measured[s], f.notes[s]}); got != tt.want[s] {
				t.Errorf("%s: %s is %+v, want %+v", name, s, got, tt.want[s])
			}
		}
	}
}
