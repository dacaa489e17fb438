package wire

import (
	"hash/maphash"
	"net/netip"
	"time"

	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/wire"
)

const (
	keepRows  = 8192 // packets that can be scrolled through
	frameRows = 4096 // packets taken per frame, at most
	// patience is how long a packet may be in flight before it is called lost, unless
	// there is earlier evidence.
	patience = 500 * time.Millisecond
)

// path is a sequence of packets between two addresses.
type path struct{ src, dst netip.AddrPort }

// contentKey finds the same packet at both ends of the wire.
type contentKey struct {
	path
	hash uint64
}

// repeatKey finds repetitions of an earlier packet. A repeated request is answered
// again, so answers are compared by content.
type repeatKey struct {
	src       netip.AddrPort
	to        end
	psn       wire.PSN
	op        wire.Operation
	syndrome  wire.Syndrome
	transport wire.Transport
}

// story is the packets of the session's devices, each with its fate.
type story struct {
	rows    []*row
	from    uint64 // number of the first of rows
	last    uint64 // number of the newest packet
	local   map[netip.Addr]bool
	sent    map[contentKey][]*row // by content, oldest first
	repeats map[repeatKey]int     // how many rows
	asked   map[askKey]uint32     // responder's queue pair, by the key of its answer
	peers   map[end]end
	pending map[path][]*row // sent to a recorded end and not yet arrived, oldest first
	seed    maphash.Seed
}

// askKey is what an answer has in common with its request.
type askKey struct {
	from, to netip.Addr // of the request
	psn      wire.PSN
}

func newStory() *story {
	s := &story{seed: maphash.MakeSeed()}
	s.clear()
	return s
}

// clear drops the packets but keeps the count.
func (s *story) clear() {
	s.from += uint64(len(s.rows))
	s.rows, s.pending = nil, map[path][]*row{}
	s.sent, s.repeats = map[contentKey][]*row{}, map[repeatKey]int{}
	s.asked, s.peers, s.local = map[askKey]uint32{}, map[end]end{}, map[netip.Addr]bool{}
}

// add takes packets in order.
func (s *story) add(packets []*timeline.Packet) {
	for _, p := range packets {
		r := &row{Packet: p, n: s.from + uint64(len(s.rows)), gap: p.Seq - s.last - 1 + p.Missed}
		r.info, _ = p.Wire.BTH.Opcode.Info()
		s.last = p.Seq
		r.end = end{p.Dst.Addr(), p.Wire.BTH.DestQP}
		if r.gap > 0 {
			s.forget()
		}
		s.enter(r)
		s.rows = append(s.rows, r)
	}
	if over := len(s.rows) - keepRows; over > 0 {
		for _, r := range s.rows[:over] {
			s.leave(r)
		}
		s.rows = ring.Newest(s.rows, keepRows)
		s.from += uint64(over)
	}
}

// span implements source.
func (s *story) span() (from, to uint64) { return s.from, s.from + uint64(len(s.rows)) }

// row implements source.
func (s *story) row(n uint64) *row {
	if from, to := s.span(); n < from || n >= to {
		return nil
	}
	return s.rows[n-s.from]
}

// trial implements source.
func (s *story) trial(n uint64) *row { return s.row(n) }

// marks implements source.
func (s *story) marks(n uint64) conversation.Marks { return s.row(n).marks() }

// hop implements source.
func (s *story) hop(n uint64, forward bool, t *talk) (uint64, bool) {
	for {
		if n--; forward {
			n += 2
		}
		r := s.row(n)
		if r == nil {
			return 0, false
		}
		if t.has(r) && (r.twin == nil || r.twice || r.Outgoing) {
			return n, true
		}
	}
}

// talkOf implements source.
func (s *story) talkOf(r *row) talk {
	peer, known := s.peers[r.end]
	if !known {
		peer = end{addr: r.Src.Addr()}
	}
	if r.info.Response {
		return talk{left: r.end, right: peer}
	}
	return talk{left: peer, right: r.end}
}

// forget stops waiting for packets: if records are missing, nothing can be said about
// packets that do not appear.
func (s *story) forget() { clear(s.pending) }

func (s *story) enter(r *row) {
	s.meet(r)
	if len(r.Data) > wire.ICRCLen { // one packet's ICRC differs with the IP identification along its path
		r.content = contentKey{path{r.Src, r.Dst}, maphash.Bytes(s.seed, r.Data[:len(r.Data)-wire.ICRCLen])}
	}
	if !r.Outgoing {
		s.local[r.Dst.Addr()] = true
		s.arrive(r)
		return
	}
	s.local[r.Src.Addr()] = true
	s.sent[r.content] = append(s.sent[r.content], r)
	r.repeat = repeatKey{src: r.Src, to: r.end, psn: r.Wire.BTH.PSN, op: r.info.Operation, transport: r.info.Transport}
	if r.Wire.Headers.Has(wire.HasAETH) {
		r.repeat.syndrome = r.Wire.AETH.Syndrome
	}
	r.again = r.info.Transport == wire.RC && r.Err == nil && s.repeats[r.repeat] > 0
	s.repeats[r.repeat]++
	if s.local[r.Dst.Addr()] {
		way := path{r.Src, r.Dst}
		s.pending[way] = append(s.pending[way], r)
	}
}

// meet learns which two queue pairs talk: a datagram names its sender, an answer has
// the PSN of its request.
func (s *story) meet(r *row) {
	from, to := r.Src.Addr(), r.Dst.Addr()
	switch {
	case r.Err != nil:
	case r.Wire.Headers.Has(wire.HasDETH):
		s.link(end{from, r.Wire.DETH.SrcQP}, r.end)
	case !r.info.Response:
		s.asked[askKey{from, to, r.Wire.BTH.PSN}] = r.end.qp
	default:
		if qp, ok := s.asked[askKey{to, from, r.Wire.BTH.PSN}]; ok {
			s.link(end{from, qp}, r.end)
		}
	}
	if len(s.asked) > 4*keepRows {
		clear(s.asked) // learned again from the next packets
	}
}

func (s *story) link(a, b end) { s.peers[a], s.peers[b] = b, a }

// arrive finds the packet as it was sent.
func (s *story) arrive(r *row) {
	same := s.sent[r.content]
	if was := lastSent(same); was != nil {
		was.twin, r.twin = r, was
		was.lost = false
		r.again = was.again
		s.overtaken(was)
	} else if n := len(same); n > 0 { // each member of a multicast group gets it once
		r.twin = same[n-1]
		r.twice = !r.Dst.Addr().IsMulticast() || r.twin.twin.Device == r.Device
	}
}

// lastSent returns the last of some identical packets that has not arrived, since the
// first was lost if it was sent again; of those sent at once it is the first.
func lastSent(same []*row) (was *row) {
	for i := len(same) - 1; i >= 0; i-- {
		if r := same[i]; r.twin == nil {
			if was != nil && !r.At.Equal(was.At) {
				break
			}
			was = r
		}
	}
	return was
}

// overtaken marks packets sent before an arrived packet as lost. The mark is removed
// if one arrives later.
func (s *story) overtaken(by *row) {
	way := path{by.Src, by.Dst}
	waits := s.pending[way]
	for len(waits) > 0 && waits[0].Seq <= by.Seq {
		waits[0].lost = waits[0].twin == nil
		waits = waits[1:]
	}
	s.pending[way] = waits
}

// age marks packets that have been in flight for too long as lost, and reports
// whether there were any.
func (s *story) age(now time.Time) (changed bool) {
	for way, waits := range s.pending {
		for len(waits) > 0 && (waits[0].twin != nil || now.Sub(waits[0].At) > patience) {
			changed = changed || waits[0].twin == nil
			waits[0].lost = waits[0].twin == nil
			waits = waits[1:]
		}
		if s.pending[way] = waits; len(waits) == 0 {
			delete(s.pending, way)
		}
	}
	return changed
}

// leave drops a row that is no longer kept.
func (s *story) leave(r *row) {
	if !r.Outgoing {
		return
	}
	if s.repeats[r.repeat]--; s.repeats[r.repeat] <= 0 {
		delete(s.repeats, r.repeat)
	}
	if same := s.sent[r.content]; len(same) > 1 {
		s.sent[r.content] = same[1:]
	} else {
		delete(s.sent, r.content)
	}
}

// sees records the addresses of devices whose packets are recorded, so that packets
// to them that never arrive can be marked lost.
func (s *story) sees(a netip.Addr) { s.local[a] = true }
