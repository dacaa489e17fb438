package stages

import (
	"fmt"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

// maxLooked bounds the packets searched for one request.
const maxLooked = 1 << 12

// onWire is what was seen of a request's packets on a software device.
type onWire struct {
	q        *queue.QP
	device   string
	from, to time.Duration // of the session's clock

	sent, arrived, answered *timeline.Packet // first out, the same at the peer, last in
	count                   int              // packets out
}

// look finds the last message sent before the completion was taken.
func (w *onWire) look(packets []*timeline.Packet) {
	for _, p := range packets {
		info, ok := p.Wire.BTH.Opcode.Info()
		if !ok || p.Err != nil || p.T < w.from || p.T > w.to || p.Wire.BTH.DestQP <= 1 {
			continue
		}
		switch own := p.Device == w.device; {
		case own && p.Outgoing && !info.Response && w.isOurs(p):
			if info.Position == wire.First || info.Position == wire.Only || w.sent == nil {
				w.sent, w.arrived, w.answered, w.count = p, nil, nil, 0
			}
			w.count++
		case own && !p.Outgoing && info.Response && p.Wire.BTH.DestQP == uint32(w.q.Num):
			w.answered = p
		case !p.Outgoing && !info.Response && w.sent != nil && w.arrived == nil && same(p, w.sent):
			w.arrived = p
		}
	}
}

// isOurs reports whether a packet belongs to the queue pair, as far as the packet
// shows.
func (w *onWire) isOurs(p *timeline.Packet) bool {
	if p.Wire.Headers.Has(wire.HasDETH) {
		return p.Wire.DETH.SrcQP == uint32(w.q.Num)
	}
	to, known := p.Wire.BTH.DestQP, w.q.Attr.DestQPNum
	return to != uint32(w.q.Num) && (known == 0 || to == uint32(known))
}

func same(p, q *timeline.Packet) bool {
	return p.Wire.BTH.PSN == q.Wire.BTH.PSN && p.Wire.BTH.DestQP == q.Wire.BTH.DestQP && p.Src == q.Src
}

// tell adds the times of the packets.
func (w *onWire) tell(f *facts) {
	if w.sent == nil {
		return
	}
	f.set(Sent, w.sent.T-w.from)
	f.notes[Sent] = "captured: " + w.sent.Wire.BTH.Opcode.String()
	if w.count > 1 {
		f.notes[Sent] += fmt.Sprintf(" and %d more", w.count-1)
	}
	if w.arrived != nil {
		f.notes[Placed] = "arrived at the peer after " + format.Span(w.arrived.T-w.from)
	}
	if w.answered != nil {
		f.set(Acknowledged, w.answered.T-w.from)
		f.notes[Acknowledged] = "captured: " + w.answered.Wire.BTH.Opcode.String()
	}
}
