package conversation

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/verbs/wire"
)

// Table sorts the packets of a capture into conversations.
type Table struct {
	List       []*Conversation
	Unfollowed uint64 // packets and requests beyond the bounds
	Stray      uint64 // answers whose requests were not captured
	// packets that were captured again on their way; they belong to no request
	Seconds uint64
	Touched *Request                           // the one that the last packet belongs to, or ended; nil: none
	Told    func(*Conversation, int, *Request) // called when a request ends; may be nil

	asks    map[way]*Side              // by the way of their requests
	answers map[way]*Side              // by the way of the answers to them
	apart   map[[2]netip.Addr][]*Side  // asking, of which the asking queue pair is unknown, by both addresses
	peers   map[End]End                // told by the connection manager
	offers  map[offer]End              // connection requests without a reply
	mtus    map[*Conversation]int      // payload of a full packet
	firsts  map[netip.Addr]capture.Way // by the sender: the direction in which its packets are captured first

	latencies int        // kept
	random    *rand.Rand // chooses samples; the same for the same capture
}

// way is where packets come from, and to which queue pair they go. from.QP is 0
// except for datagrams.
type way struct{ from, to End }

// offer is a connection request: the address and the communication ID of who sent it.
type offer struct {
	addr netip.Addr
	id   uint32
}

// New makes an empty table.
func New() *Table {
	return &Table{
		asks: map[way]*Side{}, answers: map[way]*Side{}, apart: map[[2]netip.Addr][]*Side{},
		peers: map[End]End{}, offers: map[offer]End{},
		mtus: map[*Conversation]int{}, firsts: map[netip.Addr]capture.Way{},
		random: rand.New(rand.NewPCG(1, 2)),
	}
}

// Add takes the next packet. It returns what the others say of it, and its
// conversation; nil if it belongs to none.
func (t *Table) Add(f *capture.Frame) (m Marks, talk *Conversation) {
	info, known := f.Wire.BTH.Opcode.Info()
	m, t.Touched = Own(&f.Packet), nil
	if f.ICRC == capture.Wrong {
		m |= BadICRC
	}
	if f.Outer != nil {
		m |= Tunnel
	}
	if f.Cut() {
		m |= Cut
	}
	if t.second(f) {
		t.Seconds++
		return m | Second, t.talkOf(f, &info)
	}
	s := t.side(f, &info, known)
	if s == nil {
		return m, nil
	}
	if known && f.Err == nil && f.ICRC != capture.Wrong && s.seenAgain(f, &info) {
		t.Seconds++
		return m | Second, s.talk
	}
	s.talk.Packets++
	s.talk.Last = f.At
	if s.talk.First.IsZero() {
		s.talk.First = f.At
	}
	switch {
	case !known || f.Err != nil || f.ICRC == capture.Wrong: // nobody acts on it
	case info.Operation == wire.OpCongestion:
		s.CNP++
	case info.Response:
		m |= s.answer(t, f, &info)
	case info.Transport == wire.UD:
		s.datagram(t, f)
	default:
		m |= s.request(t, f, &info)
	}
	if m.Has(Congested) && !info.Response {
		s.ECN++
	}
	return m, s.talk
}

// second reports whether the capture has the packet already, from another interface or the other direction of one:
// a packet between two devices of a host is captured when it leaves and when it arrives.
func (t *Table) second(f *capture.Frame) bool {
	if f.Way == capture.Unknown {
		return false
	}
	from := f.Src.Addr()
	first := t.firsts[from]
	if first == capture.Unknown && len(t.firsts) < maxSources {
		t.firsts[from] = f.Way
	}
	return first != capture.Unknown && first != f.Way
}

// talkOf returns the conversation of a packet that changes nothing, nil if there is none.
func (t *Table) talkOf(f *capture.Frame, info *wire.OpcodeInfo) *Conversation {
	w := way{End{Addr: f.Src.Addr()}, End{f.Dst.Addr(), f.Wire.BTH.DestQP}}
	if f.Wire.Headers.Has(wire.HasDETH) {
		w.from.QP = f.Wire.DETH.SrcQP
	}
	s := t.asks[w]
	if info.Response || info.Operation == wire.OpCongestion {
		s = t.answers[w]
	}
	if s == nil {
		return nil
	}
	return s.talk
}

// Own returns the marks that a packet has by itself, but for that of its ICRC.
func Own(p *timeline.Packet) (m Marks) {
	const ecnMask, congestionExperienced = 3, 3
	if p.IP.TrafficClass&ecnMask == congestionExperienced {
		m |= Congested
	}
	switch {
	case errors.Is(p.Err, capture.ErrCut): // not its fault
		return m
	case p.Err != nil:
		return m | Malformed
	}
	if p.Wire.BTH.Opcode == wire.CNP {
		m |= CNP
	}
	if isCM(p) {
		m |= CM
	}
	if p.Wire.Headers.Has(wire.HasAETH) {
		switch p.Wire.AETH.Syndrome.Kind() {
		case wire.SyndromeRNR:
			m |= RNR
		case wire.SyndromeNAK:
			m |= NAK
		}
	}
	return m
}

// IsMAD reports whether a packet is a management datagram.
func IsMAD(p *timeline.Packet) bool {
	return p.Wire.BTH.DestQP == 1 && p.Wire.Headers.Has(wire.HasDETH)
}

// isCM reports whether a packet is a message of the connection manager. A capture may
// have cut off the class, which then counts as zero: most datagrams are such messages.
func isCM(p *timeline.Packet) bool {
	const class = 1
	b := p.Wire.Payload
	return IsMAD(p) && (len(b) <= class || b[class] == 0 || b[class] == wire.MADClassCM)
}

// side returns the side that a packet asks for or answers to, nil if it has none.
func (t *Table) side(f *capture.Frame, info *wire.OpcodeInfo, known bool) *Side {
	to := End{f.Dst.Addr(), f.Wire.BTH.DestQP}
	from := End{Addr: f.Src.Addr()}
	switch {
	case len(f.Data) < wire.BTHLen:
		return nil
	case known && f.Wire.Headers.Has(wire.HasDETH):
		from.QP = f.Wire.DETH.SrcQP
		t.learnCM(f, from)
		return t.asking(way{from, to}, wire.UD)
	case known && (info.Response || info.Operation == wire.OpCongestion):
		return t.answered(way{from, to}, f.Wire.BTH.PSN, info.Operation == wire.OpCongestion)
	}
	return t.asking(way{from, to}, info.Transport)
}

// asking returns the side whose requests go a way.
func (t *Table) asking(w way, of wire.Transport) *Side {
	if s := t.asks[w]; s != nil {
		return s
	}
	from := w.from
	joined := ByDatagram
	if from.QP == 0 {
		from, joined = t.peers[w.to], ByCM
		if from.Addr != w.from.Addr {
			from, joined = w.from, Apart
		}
	}
	talk, at := t.opposite(from, w.to), 1
	if talk == nil {
		if len(t.List) >= maxConversations {
			t.Unfollowed++
			return nil
		}
		talk, at = &Conversation{Talk: Talk{len(t.List) + 1, [2]End{from, w.to}}, Transport: of, Joined: joined}, 0
		t.List = append(t.List, talk)
	}
	s := &Side{talk: talk, at: at}
	talk.Sides[at], t.asks[w] = s, s
	switch {
	case from.QP == 0:
		pair := [2]netip.Addr{w.from.Addr, w.to.Addr}
		t.apart[pair] = append(t.apart[pair], s)
	case of != wire.UD:
		t.answers[way{End{Addr: w.to.Addr}, from}] = s
	}
	return s
}

// opposite returns the conversation in which the second of two ends asks the first,
// and the first has not asked yet.
func (t *Table) opposite(from, to End) *Conversation {
	if from.QP == 0 {
		return nil
	}
	s := t.asks[way{End{Addr: to.Addr}, from}]
	if s == nil {
		s = t.asks[way{to, from}]
	}
	if s == nil || s.talk.Sides[1] != nil || s.talk.Ends[0].QP != 0 && s.talk.Ends[0] != to {
		return nil
	}
	return s.talk
}

// answered returns the side to which an answer goes, nil if its requests were not
// captured.
func (t *Table) answered(w way, psn wire.PSN, congestion bool) *Side {
	if s := t.answers[w]; s != nil || congestion {
		return s
	}
	pair := [2]netip.Addr{w.to.Addr, w.from.Addr}
	var found *Side
	list := t.apart[pair]
	for _, s := range list[max(len(list)-maxCandidates, 0):] {
		if s.awaits(psn) {
			if found != nil {
				return nil // two could be meant; a later answer decides
			}
			found = s
		}
	}
	if found == nil {
		t.Stray++
		return nil
	}
	t.join(found, w)
	return found
}

// awaits reports whether a PSN is that of a request without an answer, or of a gap after
// one.
func (s *Side) awaits(psn wire.PSN) bool {
	if len(s.open) == 0 || psn.Sub(s.open[0].First) < 0 {
		return false
	}
	ahead := psn.Sub(s.next)
	return ahead < 0 || s.loose && ahead < farPSN
}

// join stores which queue pair asks: the one that gets the answers.
func (t *Table) join(s *Side, w way) {
	pair := [2]netip.Addr{w.to.Addr, w.from.Addr}
	i := slices.Index(t.apart[pair], s)
	t.apart[pair] = slices.Delete(t.apart[pair], i, i+1)
	t.answers[w] = s
	s.talk.Ends[s.at], s.talk.Joined = w.to, ByAnswers
	// Requests of the other end may have been taken for a conversation of their own.
	back := t.asks[way{End{Addr: w.from.Addr}, w.to}]
	if back == nil || back.talk == s.talk || back.talk.Sides[1] != nil || s.talk.Sides[1] != nil {
		return
	}
	first, second := s, back
	if back.talk.Number < s.talk.Number {
		first, second = back, s
	}
	first.talk.merge(second)
}

// merge makes the side of another conversation the second of this one: both are
// between the same queue pairs.
func (c *Conversation) merge(s *Side) {
	was := s.talk
	c.Ends[0], c.Joined = was.Ends[1], max(c.Joined, was.Joined)
	c.Sides[1], s.talk, s.at = s, c, 1
	c.Packets += was.Packets
	if was.Last.After(c.Last) {
		c.Last = was.Last
	}
	was.into = c
}

// datagram counts a datagram, which is a request that nothing answers.
func (s *Side) datagram(t *Table, f *capture.Frame) {
	s.Packets++
	s.Kinds[wire.OpSend].add(t, &Request{Packets: 1, Bytes: uint64(len(f.Wire.Payload)), Outcome: Unreliable})
}

// learnMTU takes the payload of a packet that is not the last of its message: it is
// full.
func (t *Table) learnMTU(talk *Conversation, payload int) {
	if payload >= smallestMTU {
		t.mtus[talk] = payload
	}
}

// learnCM takes from a connection manager's message which queue pairs it connects.
func (t *Table) learnCM(f *capture.Frame, from End) {
	if !isCM(&f.Packet) || f.Err != nil || f.Cut() || f.ICRC == capture.Wrong {
		return
	}
	m, err := wire.ParseCM(f.Wire.Payload)
	if err != nil {
		return
	}
	switch body := m.Body.(type) {
	case *wire.CMReq:
		if len(t.offers) >= maxRequests {
			clear(t.offers)
		}
		t.offers[offer{from.Addr, body.LocalCommID}] = End{from.Addr, body.LocalQPN}
	case *wire.CMRep:
		asked, ok := t.offers[offer{f.Dst.Addr(), body.RemoteCommID}]
		if !ok {
			return
		}
		delete(t.offers, offer{f.Dst.Addr(), body.RemoteCommID})
		t.introduce(asked, End{from.Addr, body.LocalQPN})
	}
}

// introduce stores that two queue pairs were connected, anew if they had been before.
func (t *Table) introduce(a, b End) {
	if len(t.peers) >= 2*maxConversations {
		t.Unfollowed++
		return
	}
	t.peers[a], t.peers[b] = b, a
	for _, w := range []way{{End{Addr: a.Addr}, b}, {End{Addr: b.Addr}, a}} {
		if s := t.asks[w]; s != nil {
			s.restart(t)
		}
	}
}

// End ends the capture: what has no answer yet stays without one.
func (t *Table) End() {
	t.List = slices.DeleteFunc(t.List, func(c *Conversation) bool { return c.into != nil })
	for _, c := range t.List {
		for _, s := range c.Sides {
			if s != nil {
				s.end(t)
			}
		}
	}
}
