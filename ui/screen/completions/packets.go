package completions

import (
	"fmt"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
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
	device := s.Provided(qp.Device)
	if e.WC.Recv {
		return message(p.buf, e, qp, device)
	}
	begin, seen := e.WC.Posted, map[wire.PSN]bool{}
	n.more = len(p.buf) > 0 && p.buf[0].Seq > 1 && p.buf[0].T > begin
	for _, k := range p.buf {
		if k.Device != device || k.T < begin || k.T > e.T+late {
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
func message(all []*timeline.Packet, e *timeline.Event, qp *session.QPView, device string) (n spent) {
	inside := false
	for i := len(all) - 1; i >= 0; i-- {
		k := all[i]
		info, ok := k.Wire.BTH.Opcode.Info()
		if !ok || k.Outgoing || info.Response || k.T > e.T || k.Device != device ||
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

func count(n int) string { return format.Count(uint64(n)) }

const (
	// leastRetry is shorter than any wait before a retransmission: the shortest RNR timer.
	leastRetry = 10 * time.Microsecond
	// weighedRows bounds the completions whose packets are counted in a frame.
	weighedRows = 4
)

// weigh counts the retransmissions of the requests whose completions came with the last frames, and reports whether
// there were any. In a flood only the newest are counted.
func (s *Screen) weigh() (found bool) {
	h := s.feed.all
	for k := max(s.weighed, h.next-min(h.next, weighedRows), h.first()); k < h.next; k++ {
		e := h.row(k)
		if e.WC.Recv || e.WC.WC.Failed() || e.WC.Latency < leastRetry {
			continue
		}
		if n := s.detail.packets.of(e, s.detail.session); n.again > 0 {
			s.again[e.Seq] = n
			found = true
		}
	}
	s.weighed = h.next
	if len(s.again) > keepRows {
		clear(s.again) // the newest count
	}
	return found
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
		text, st := "packets: "+count(n.requests)+" sent", d.th.Value
		if n.more {
			text = "packets kept of it: " + count(n.requests) + " sent"
		}
		if n.again > 0 {
			text, st = text+" ("+count(n.again)+" retransmitted)", d.th.Warn
		}
		d.add("  ", text+", "+count(n.responses)+" received", st)
	}
}
