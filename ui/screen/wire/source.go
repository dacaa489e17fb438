package wire

import (
	"net/netip"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/filter"
	"rdmatui/session/timeline"
	"rdmatui/session/trace"
	"rdmatui/verbs/wire"
)

// source is where the packets come from: the devices of the session, or a capture.
// Packets are numbered without gaps.
type source interface {
	span() (from, to uint64)           // packets from to to-1 are kept
	row(n uint64) *row                 // nil: not kept
	trial(n uint64) *row               // the same, valid until the next call
	marks(n uint64) conversation.Marks // of a packet that is kept
	talkOf(r *row) talk                // the conversation that a packet belongs to
	// hop returns the packet of a conversation nearest to n, itself not included. What was
	// recorded at both ends of the wire counts once.
	hop(n uint64, forward bool, t *talk) (uint64, bool)
}

// row is a packet with what is known of it from the others.
type row struct {
	*timeline.Packet
	n     uint64 // in the source
	end   end    // destination queue pair
	info  wire.OpcodeInfo
	gap   uint64 // missing packets before it
	again bool   // a copy was sent before
	lost  bool   // sent, but did not arrive at an end that is recorded
	twice bool   // a copy arrived before
	twin  *row   // the same packet at the other end of the wire

	content contentKey
	repeat  repeatKey

	read *trace.Packet // of a capture; nil: of the session
}

// end is a queue pair on the wire.
type end struct {
	addr netip.Addr
	qp   uint32
}

// talk is a conversation of two queue pairs. The responder is on the right; the
// requester may be unknown.
type talk struct {
	left, right end
	number      int // in a capture; 0 in the session
}

func (t *talk) has(r *row) bool {
	switch {
	case r.read != nil:
		return r.read.Talk.Number == t.number
	case r.end == t.right:
		return t.left.qp == 0 || r.Src.Addr() == t.left.addr
	}
	return r.end == t.left && r.Src.Addr() == t.right.addr
}

// marks returns what is known of a packet.
func (r *row) marks() conversation.Marks {
	if r.read != nil {
		return r.read.Marks
	}
	m := conversation.Own(r.Packet)
	for _, also := range []struct {
		on   bool
		mark conversation.Marks
	}{{r.again, conversation.Again}, {r.twice, conversation.Twice}, {r.gap > 0, conversation.Gap},
		{r.lost, conversation.Lost}} {
		if also.on {
			m |= also.mark
		}
	}
	return m
}

// tested is the packet that a filter is tried on.
type tested struct {
	filter.Subject
	frame capture.Frame
	talk  conversation.Conversation
}

// subject is a row as the filter takes it, valid until the next call.
func (l *list) subject(r *row) *filter.Subject {
	s, t := &l.tested, l.source.talkOf(r)
	s.talk.Number = t.number
	s.talk.Ends = [2]conversation.End{{Addr: t.left.addr, QP: t.left.qp}, {Addr: t.right.addr, QP: t.right.qp}}
	s.Subject = filter.Subject{Frame: &s.frame, Marks: r.marks(), Talk: &s.talk}
	if r.read != nil {
		s.Frame = &r.read.Frame
	} else {
		s.frame = capture.Frame{Packet: *r.Packet, Len: len(r.Data)}
	}
	return &s.Subject
}
