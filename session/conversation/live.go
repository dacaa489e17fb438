package conversation

import (
	"hash/maphash"
	"net/netip"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/wire"
)

const (
	// LiveKept is how many packets of a session a [Live] keeps.
	LiveKept = 8192
	// Patience is how long a packet may be in flight before it is called lost, unless
	// there is earlier evidence.
	Patience = 500 * time.Millisecond
)

// Live is the newest packets of a session's devices. Where both ends of the wire are recorded a packet has two
// records, which tell whether it arrived. Its methods must not be called at the same time.
type Live struct {
	Last uint64 // number in the session of the newest packet

	hidden, hidden1 uint64 // packets before it are cleared; before the last clear

	kept    []*liveRecord
	from    uint64 // number of the first of kept
	local   map[netip.Addr]bool
	sent    map[content][]*liveRecord // oldest first
	repeats map[repeat]int            // how many of kept
	runs    map[sendRun]*liveRecord   // the packet that further repetitions are counted with
	fresh   map[End]uint64            // newest packet of a responder that is no repetition
	asked   map[ask]uint32            // responder's queue pair
	peers   map[End]End
	pending map[path][]*liveRecord // sent to a recorded end and not yet arrived, oldest first
	seed    maphash.Seed
	trial   [2]Packet // for Trial: a packet and its twin
}

// liveRecord is what is known of a packet, with the keys by which others are found. The session keeps the packet: few
// are looked at, and a copy of each would cost more than all else.
type liveRecord struct {
	*timeline.Packet
	n      uint64
	missed uint64    // packets before it that were not recorded
	more   uint64    // repetitions that are counted with it and not kept
	last   time.Time // the newest of them
	marks  Marks
	twin   *liveRecord // its record at the other end of the wire; nil: none
	shown  *Packet     // for Packet; nil: it was not asked for
	content
	repeat
}

// copied reports whether the packet was recorded where it was sent, too, as [Live.CopyOf] tells.
func (r *liveRecord) copied() bool {
	return !r.Outgoing && r.twin != nil && r.twin.twin == r && r.marks&^r.twin.marks == 0
}

// fill fills p in, but its twin.
func (r *liveRecord) fill(p *Packet) {
	way := capture.In
	if r.Outgoing {
		way = capture.Out
	}
	*p = Packet{Frame: capture.Frame{Packet: *r.Packet, Way: way, Len: len(r.Data)}, N: r.n, Live: true, Marks: r.marks}
	p.Missed, p.More, p.LastMore = r.missed, r.more, r.last
}

// show returns the packet as it is known now, without its twin.
func (r *liveRecord) show() *Packet {
	if r.shown == nil {
		r.shown = new(Packet)
		r.fill(r.shown)
	}
	r.shown.Marks, r.shown.More, r.shown.LastMore = r.marks, r.more, r.last
	return r.shown
}

// path is a sequence of packets between two addresses.
type path struct{ src, dst netip.AddrPort }

// content finds the same packet at both ends of the wire.
type content struct {
	path
	hash uint64
}

// repeat finds repetitions of an earlier packet. A repeated request is answered
// again, so answers are compared by content.
type repeat struct {
	src       netip.AddrPort
	to        End
	psn       wire.PSN
	op        wire.Operation
	syndrome  wire.Syndrome
	transport wire.Transport
}

// sendRun finds the records of a packet that is repeated at one end of the wire.
type sendRun struct {
	repeat
	device   string
	outgoing bool
}

// ask is what an answer has in common with its request.
type ask struct {
	from, to netip.Addr // of the request
	psn      wire.PSN
}

// NewLive makes an empty one.
func NewLive() *Live {
	return &Live{
		seed: maphash.MakeSeed(), local: map[netip.Addr]bool{},
		sent: map[content][]*liveRecord{}, repeats: map[repeat]int{}, asked: map[ask]uint32{},
		runs: map[sendRun]*liveRecord{}, fresh: map[End]uint64{},
		peers: map[End]End{}, pending: map[path][]*liveRecord{},
	}
}

// Clear hides the packets, until [Live.Undo].
func (l *Live) Clear() { l.hidden, l.hidden1 = l.end(), l.hidden }

// Undo shows the packets again that the last Clear has hidden, as far as they are kept.
func (l *Live) Undo() { l.hidden, l.hidden1 = l.hidden1, 0 }

// Cleared is how many of the packets that are kept are hidden.
func (l *Live) Cleared() (packets uint64) {
	for _, r := range l.kept[:max(l.hidden, l.from)-l.from] {
		if !r.copied() {
			packets++
		}
	}
	return packets
}

// Count is how many packets of the Span there are, and how many are not kept but counted with one of these. A packet
// that was recorded at both ends of the wire counts once.
func (l *Live) Count() (packets, repeated uint64) {
	for n, to := l.Span(); n < to; n++ {
		if _, copied := l.CopyOf(n); !copied {
			packets++
			repeated += l.at(n).more
		}
	}
	return packets, repeated
}

// Dropped reports whether older packets than those of the Span had to make room.
func (l *Live) Dropped() bool { return l.from > l.hidden }

// CopyOf tells whether packet n is the record at the receiver of a packet that was recorded where it was sent too, as
// packet sent. Both have the same addresses and the same bytes up to the ICRC, they were recorded in opposite
// directions, the sent one first, each belongs to the other alone, and the received one has no mark that the sent one
// lacks.
func (l *Live) CopyOf(n uint64) (sent uint64, ok bool) {
	r := l.at(n)
	if r == nil || !r.copied() {
		return 0, false
	}
	return r.twin.n, r.twin.n >= l.hidden
}

// end is the number of the next packet.
func (l *Live) end() uint64 { return l.from + uint64(len(l.kept)) }

// Add takes packets in order.
func (l *Live) Add(packets []*timeline.Packet) {
	records := make([]liveRecord, len(packets))
	for i, p := range packets {
		r := &records[i]
		r.Packet, r.n, r.marks = p, l.end(), Own(p)
		if r.missed = p.Missed + p.Seq - l.Last - 1; r.missed > 0 {
			r.marks |= Gap
			clear(l.pending) // nothing can be said about packets that do not appear
		}
		l.Last = p.Seq
		if !l.enter(r) {
			l.kept = append(l.kept, r)
		}
	}
	if over := len(l.kept) - LiveKept; over > 0 {
		for _, r := range l.kept[:over] {
			l.leave(r)
		}
		l.kept = ring.Newest(l.kept, LiveKept)
		l.from += uint64(over)
	}
}

// Span tells which packets are kept and not cleared: from to to-1.
func (l *Live) Span() (from, to uint64) { return max(l.from, l.hidden), l.end() }

// at returns the record of packet n, nil if it is not kept.
func (l *Live) at(n uint64) *liveRecord {
	if from, to := l.Span(); n < from || n >= to {
		return nil
	}
	return l.kept[n-l.from]
}

// Packet returns packet n, nil if it is not kept. It is the same one each time.
func (l *Live) Packet(n uint64) *Packet {
	r := l.at(n)
	if r == nil {
		return nil
	}
	p := r.show()
	if r.twin != nil {
		p.Twin = r.twin.show()
	}
	return p
}

// Trial is Packet for packets that are looked at once: what it returns is valid until the next call.
func (l *Live) Trial(n uint64) *Packet {
	r := l.at(n)
	if r == nil {
		return nil
	}
	p := &l.trial[0]
	r.fill(p)
	if r.twin != nil {
		p.Twin = &l.trial[1]
		r.twin.fill(p.Twin)
	}
	return p
}

// Marks returns what is known of a packet that is kept.
func (l *Live) Marks(n uint64) Marks { return l.at(n).marks }

// TalkOf returns the conversation of a packet: the responder is its second end, the requester may be unknown.
func (l *Live) TalkOf(p *Packet) Talk {
	to := p.To()
	peer, known := l.peers[to]
	if !known {
		peer = End{Addr: p.Src.Addr()}
	}
	if info, _ := p.Wire.BTH.Opcode.Info(); info.Response {
		return Talk{Ends: [2]End{to, peer}}
	}
	return Talk{Ends: [2]End{peer, to}}
}

// Has reports whether a packet belongs to a conversation.
func (l *Live) Has(t *Talk, p *Packet) bool {
	return within(t, &p.Frame.Packet)
}

func within(t *Talk, p *timeline.Packet) bool {
	switch a, b := t.Ends[0], t.Ends[1]; goal(p) {
	case b:
		return a.QP == 0 || p.Src.Addr() == a.Addr
	case a:
		return p.Src.Addr() == b.Addr
	}
	return false
}

// Next returns the packet of a conversation nearest to packet n, as [Trace.Next] does. What was
// recorded at both ends of the wire counts once.
func (l *Live) Next(n uint64, forward bool, t *Talk) (uint64, bool) {
	for {
		if n--; forward {
			n += 2
		}
		r := l.at(n)
		if r == nil {
			return 0, false
		}
		if within(t, r.Packet) && (r.twin == nil || r.Outgoing || r.marks.Has(Twice)) {
			return n, true
		}
	}
}

// enter relates a packet to those before it. It reports whether it is a repetition that is counted with another, and
// not kept.
func (l *Live) enter(r *liveRecord) (counted bool) {
	p := r.Packet
	info, _ := p.Wire.BTH.Opcode.Info()
	l.meet(p, info.Response)
	if len(p.Data) > wire.ICRCLen { // one packet's ICRC differs with the IP identification along its path
		r.content = content{path{p.Src, p.Dst}, maphash.Bytes(l.seed, p.Data[:len(p.Data)-wire.ICRCLen])}
	}
	r.repeat = repeat{src: p.Src, to: goal(p), psn: p.Wire.BTH.PSN, op: info.Operation, transport: info.Transport}
	if p.Wire.Headers.Has(wire.HasAETH) {
		r.syndrome = p.Wire.AETH.Syndrome
	}
	if !p.Outgoing {
		l.local[p.Dst.Addr()] = true
		return l.count(r, info, !l.arrive(r))
	}
	l.local[p.Src.Addr()] = true
	if l.count(r, info, true) {
		return true
	}
	l.sent[r.content] = append(l.sent[r.content], r)
	before := l.repeats[r.repeat]
	if l.repeats[r.repeat] = before + 1; before > 0 && info.Transport == wire.RC && p.Err == nil {
		r.marks |= Again
	}
	if l.local[p.Dst.Addr()] {
		way := path{p.Src, p.Dst}
		l.pending[way] = append(l.pending[way], r)
	}
	return false
}

// count counts a packet with the second of its kind, if it repeats a packet of a reliable connection once more, nothing
// else has happened in the conversation since, and it may: a request that is retried, and its answers, would fill the
// room for all other packets. The first two are kept as they were.
func (l *Live) count(r *liveRecord, info wire.OpcodeInfo, may bool) bool {
	if info.Transport != wire.RC || r.Err != nil || r.missed > 0 {
		return false
	}
	key, responder := sendRun{r.repeat, r.Device, r.Outgoing}, r.to
	if info.Response {
		responder = l.peers[r.to]
	}
	second, known := l.runs[key]
	switch {
	case !known:
		l.fresh[responder] = r.n
		l.runs[key] = nil
	case second == nil || second.n < l.from || second.n <= l.fresh[responder]:
		l.runs[key] = r
	case may:
		second.more++
		second.last = r.At
		return true
	}
	return false
}

// meet learns which two queue pairs talk: a datagram names its sender, an answer has
// the PSN of its request.
func (l *Live) meet(p *timeline.Packet, answers bool) {
	from, to := p.Src.Addr(), p.Dst.Addr()
	switch {
	case p.Err != nil:
	case p.Wire.Headers.Has(wire.HasDETH):
		l.introduce(End{Addr: from, QP: p.Wire.DETH.SrcQP}, goal(p))
	case !answers:
		l.asked[ask{from, to, p.Wire.BTH.PSN}] = p.Wire.BTH.DestQP
	default:
		if qp, ok := l.asked[ask{to, from, p.Wire.BTH.PSN}]; ok {
			l.introduce(End{Addr: from, QP: qp}, goal(p))
		}
	}
	if len(l.runs) > 2*LiveKept {
		clear(l.runs)
		clear(l.fresh)
	}
	if len(l.asked) > 4*LiveKept {
		clear(l.asked) // learned again from the next packets
	}
}

func (l *Live) introduce(a, b End) { l.peers[a], l.peers[b] = b, a }

// arrive finds the packet as it was sent, and reports whether it was not known to have arrived.
func (l *Live) arrive(r *liveRecord) bool {
	same := l.sent[r.content]
	if n := len(same); n > 0 && same[n-1].more > 0 && same[n-1].twin != nil {
		r.twin = same[n-1] // one of those that are counted with it
		return false
	}
	if was := lastSent(same); was != nil {
		was.twin, r.twin = r, was
		was.marks &^= Lost
		r.marks |= was.marks & Again
		l.overtaken(was)
		return true
	} else if n := len(same); n > 0 { // each member of a multicast group gets it once
		r.twin = same[n-1]
		if !r.Dst.Addr().IsMulticast() || r.twin.twin.Device == r.Device {
			r.marks |= Twice
		}
	}
	return false
}

// lastSent returns the last of some identical packets that has not arrived, since the
// first was lost if it was sent again; of those sent at once it is the first.
func lastSent(same []*liveRecord) (was *liveRecord) {
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
func (l *Live) overtaken(by *liveRecord) {
	l.settle(path{by.Src, by.Dst}, func(r *liveRecord) bool { return r.Seq <= by.Seq })
}

// Age marks packets that have been in flight for longer than [Patience] as lost, and reports
// whether there were any.
func (l *Live) Age(now time.Time) (changed bool) {
	for way := range l.pending {
		lost := l.settle(way, func(r *liveRecord) bool { return r.twin != nil || now.Sub(r.At) > Patience })
		changed = changed || lost
	}
	return changed
}

// settle ends the wait for the packets of a path up to the first that is not due. It marks those that have not
// arrived as lost, and reports whether there were any.
func (l *Live) settle(way path, due func(*liveRecord) bool) (lost bool) {
	waits := l.pending[way]
	for ; len(waits) > 0 && due(waits[0]); waits = waits[1:] {
		if r := waits[0]; r.twin == nil {
			r.marks |= Lost
			lost = true
		}
	}
	if l.pending[way] = waits; len(waits) == 0 {
		delete(l.pending, way)
	}
	return lost
}

// leave forgets the keys of a packet that is no longer kept.
func (l *Live) leave(r *liveRecord) {
	if !r.Outgoing {
		return
	}
	if n := l.repeats[r.repeat]; n > 1 {
		l.repeats[r.repeat] = n - 1
	} else {
		delete(l.repeats, r.repeat)
	}
	if same := l.sent[r.content]; len(same) > 1 {
		l.sent[r.content] = same[1:]
	} else {
		delete(l.sent, r.content)
	}
}

// Sees takes the address of a device whose packets are recorded, so that packets
// to it that never arrive can be marked lost.
func (l *Live) Sees(a netip.Addr) { l.local[a] = true }
