package completions

import (
	"fmt"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// late is how long after a completion its last packet may be recorded: an
// acknowledgement is still in flight when the RECV completes.
const late = 2 * time.Millisecond

// packetCount counts the packets that a request took, if the device records them.
type packetCount struct {
	since func(seq uint64, limit int, dst []*timeline.Packet) []*timeline.Packet
	buf   []*timeline.Packet
}

// spent is the packet count of a request.
type spent struct {
	requests, again int // to the responder, and how many of those were retransmitted
	responses       int
	known           bool // packets were recorded
	more            bool // there were more, which are no longer kept
}

// of counts the packets of the completion's queue pair between the post and the
// completion; packets of other requests under way are included.
func (p *packetCount) of(e *timeline.Event, s *session.Snapshot) (n spent) {
	qp := s.QP(e.WC.QP)
	if qp == nil || !e.WC.Matched {
		return n
	}
	p.buf = p.since(0, 0, p.buf[:0])
	if e.WC.Recv {
		return message(p.buf, e, qp)
	}
	begin, seen := e.WC.Posted, map[wire.PSN]bool{}
	n.more = len(p.buf) > 0 && p.buf[0].Seq > 1 && p.buf[0].T > begin
	for _, k := range p.buf {
		if k.Device != qp.Device || k.T < begin || k.T > e.T+late {
			continue
		}
		n.more = n.more || k.Missed > 0
		info, ok := k.Wire.BTH.Opcode.Info()
		switch {
		case !ok:
		case k.Outgoing && !info.Response && k.Wire.BTH.DestQP == uint32(qp.Attr.DestQPNum):
			n.requests++
			if seen[k.Wire.BTH.PSN] {
				n.again++
			}
			seen[k.Wire.BTH.PSN] = true
		case !k.Outgoing && info.Response && k.Wire.BTH.DestQP == uint32(qp.Num):
			n.responses++
		}
	}
	n.known = n.requests > 0
	return n
}

// message counts the packets of the message that a RECV received: from the newest
// packet that ends a message back to the one that begins it.
func message(all []*timeline.Packet, e *timeline.Event, qp *session.QPView) (n spent) {
	inside := false
	for i := len(all) - 1; i >= 0; i-- {
		k := all[i]
		info, ok := k.Wire.BTH.Opcode.Info()
		if !ok || k.Outgoing || info.Response || k.T > e.T || k.Device != qp.Device ||
			k.Wire.BTH.DestQP != uint32(qp.Num) {
			continue
		}
		inside = inside || info.Position&wire.Ends != 0
		if inside {
			n.requests++
		}
		if inside && info.Position&wire.Starts != 0 {
			n.known = true
			break
		}
	}
	return n
}

// packetsTaken shows how many packets the request took.
func (d *detail) packetsTaken() {
	if !d.event.WC.Matched {
		return
	}
	n := d.packets.of(&d.event, d.session)
	switch {
	case !n.known:
		d.add("  ", "packets: none recorded", d.th.Dim)
	case d.event.WC.Recv:
		d.add("  ", fmt.Sprintf("packets: %d for the message", n.requests), d.th.Value)
	default:
		text := fmt.Sprintf("packets: %d sent", n.requests)
		if n.more {
			text = fmt.Sprintf("packets kept of it: %d sent", n.requests)
		}
		if n.again > 0 {
			text += fmt.Sprintf(" (%d retransmitted)", n.again)
		}
		d.add("  ", text+fmt.Sprintf(", %d received", n.responses), d.th.Value)
	}
}
