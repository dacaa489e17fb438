package conversation

import (
	"math"
	"slices"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

// Side is what one end of a conversation asked of the other, and was answered.
type Side struct {
	Kinds   [operations]Kind
	Packets uint64 // of requests
	Answers uint64 // packets of the other end that answer them
	Again   [reasons]uint64
	Twice   uint64
	Late    uint64
	Missing uint64 // packets that were never captured though later ones were
	RNR     uint64
	NAKs    map[wire.NAKCode]uint64
	CNP     uint64 // that this end got: it sends too fast
	ECN     uint64 // of its packets that a router marked
	Window  Window // of the reliable connection
	Credits Credits

	talk *Conversation
	at   int // 0 or 1: which of talk.Ends asks

	begun  bool
	next   wire.PSN // expected
	loose  bool     // next is not known: the length of a READ in packets is open
	open   []*Request
	holes  []hole
	recent recent
	copied bool   // the packet that is being taken is in recent, with its identification
	reason Reason // of repetitions until there is a new packet
	asked  int64  // when a NAK asked for repetitions, in nanoseconds since 1970; 0: not yet

	answers   recent   // the newest answers
	answered  wire.PSN // of the last new answer
	repeating bool     // requests were repeated since the last new one, so answers may be
}

// Window is how much was unanswered at one time, at most, as the capture shows it.
type Window struct {
	Requests int
	PSNs     int // from the first of the oldest request to the newest; a READ takes one for each answer
}

// grow takes the requests that are open now.
func (s *Side) grow() {
	if !s.loose {
		s.Window.Requests = max(s.Window.Requests, len(s.open))
		s.Window.PSNs = max(s.Window.PSNs, s.next.Sub(s.open[0].First))
	}
}

// Credits is how many messages the other end's ACKs allowed beyond those that it had
// completed (IBA vol 1, 9.7.7.2).
type Credits struct {
	Told      bool // at least one ACK gave a number
	Least     int
	Most      int
	Unlimited uint64 // ACKs that gave none: the other end does not limit
}

func (c *Credits) add(s wire.Syndrome) {
	n, limited := s.Credits()
	switch {
	case !limited:
		c.Unlimited++
	case !c.Told:
		*c = Credits{true, n, n, c.Unlimited}
	default:
		c.Least, c.Most = min(c.Least, n), max(c.Most, n)
	}
}

// operations is the number of operations of the wire.
const operations = wire.OpCongestion + 1

// recent holds the identification of the newest packets, by which copies that the
// network makes are told from repetitions.
type recent struct {
	at   int
	seen []sighting
}

type sighting struct {
	at   int64 // nanoseconds since 1970
	psn  wire.PSN
	id   uint16
	port uint16 // of the sender
	len  uint16
	op   wire.Opcode
}

// minTimeout is the shortest time after which a requester repeats a request that nobody has asked it to: ACK timeout 1
// (IBA vol 1, 9.7.6.1.3; 0 means never). The shortest pause after an RNR NAK is longer: 10 microseconds.
const minTimeout = 8192 * time.Nanosecond

// soon is shorter than the timeouts that programs choose: 14, the usual one, is 67 ms. Some devices take a shorter one
// for at least this.
const soon = time.Millisecond

// recentPackets is how many packets a copy may be late.
const recentPackets = 64

// sight returns how a packet is remembered.
func sight(f *capture.Frame) sighting {
	return sighting{f.At.UnixNano(), f.Wire.BTH.PSN, f.ID, f.Src.Port(), uint16(f.Len), f.Wire.BTH.Opcode}
}

// add remembers a packet.
func (r *recent) add(this sighting) {
	if len(r.seen) < recentPackets {
		r.seen = append(r.seen, this)
		return
	}
	r.seen[r.at] = this
	r.at = (r.at + 1) % recentPackets
}

// copied reports whether the same packet has just come past. It cannot be told if packets have no identification, or
// the same one all the time.
func (r *recent) copied(this sighting) (yes bool) {
	if this.id == 0 {
		return false
	}
	for _, s := range r.seen {
		same := s.psn == this.psn && s.port == this.port
		if s.id == this.id && !same {
			return false
		}
		yes = yes || same && s.id == this.id
	}
	return yes
}

// again reports whether the same packet came past after a time, and sooner than any requester repeats one.
func (r *recent) again(this sighting, after int64) bool {
	return slices.ContainsFunc(r.seen, func(s sighting) bool {
		return s.psn == this.psn && s.port == this.port && s.len == this.len && s.op == this.op && s.at >= after &&
			(time.Duration(this.at-s.at)).Abs() < minTimeout
	})
}

// since returns how long before a packet the same one came past last, a long time if that is not known.
func (r *recent) since(this sighting) time.Duration {
	shortest := time.Duration(math.MaxInt64)
	for _, s := range r.seen {
		if s.psn == this.psn && s.port == this.port && s.len == this.len && s.op == this.op && s.at < this.at {
			shortest = min(shortest, time.Duration(this.at-s.at))
		}
	}
	return shortest
}

// seenAgain reports whether a packet is one that was captured a moment before, at another place. The packet is
// remembered.
func (s *Side) seenAgain(f *capture.Frame, info *wire.OpcodeInfo) bool {
	switch {
	case info.Transport == wire.UD || info.Operation == wire.OpCongestion:
		return false
	case info.Response:
		return s.answerAgain(f)
	}
	this := sight(f)
	ahead := this.psn.Sub(s.next)
	if s.copied = false; s.begun && ahead < 0 && ahead >= -farPSN {
		s.copied = s.recent.copied(this)
		if s.again(f, info, this) {
			return true
		}
	}
	s.recent.add(this)
	return false
}

// again reports whether a packet with an earlier PSN was captured a moment before. A requester repeats a READ at once
// if answers are missing, and what a NAK asks for.
func (s *Side) again(f *capture.Frame, info *wire.OpcodeInfo, this sighting) bool {
	if f.Way != capture.Unknown {
		return false // it is captured at one place, where packets that came together may have the same time
	}
	if r := s.find(this.psn); info.Operation == wire.OpRead && r != nil && r.data > 0 {
		return false
	}
	return s.recent.again(this, s.asked)
}

// answerAgain is seenAgain for answers, which are repeated when requests are.
func (s *Side) answerAgain(f *capture.Frame) bool {
	this := sight(f)
	ahead := this.psn.Sub(s.answered)
	if f.Way == capture.Unknown && len(s.answers.seen) > 0 && ahead <= 0 && !s.repeating && s.answers.again(this, 0) {
		return true
	}
	if s.answers.add(this); ahead > 0 || len(s.answers.seen) == 1 {
		s.answered = this.psn
	}
	return false
}

// request takes a packet of a request.
func (s *Side) request(t *Table, f *capture.Frame, info *wire.OpcodeInfo) (m Marks) {
	psn := f.Wire.BTH.PSN
	ahead := psn.Sub(s.next)
	if s.begun && (ahead > farPSN || ahead < -farPSN) {
		s.restart(t)
	}
	s.Packets++
	switch {
	case s.begun && ahead < 0 && s.copied:
		s.Twice++
		return Twice
	case s.begun && ahead < 0:
		return s.old(t, f, info)
	case s.begun && ahead > 0 && !s.loose:
		s.leave(hole{s.next, psn.Add(-1)})
		m |= Gap
	}
	if n := len(s.open); s.loose && n > 0 && ahead > 0 { // the PSNs between belong to the answers of the READ before
		s.open[n-1].Last, s.open[n-1].loose = psn.Add(-1), true
	}
	s.begun, s.loose, s.reason, s.repeating, s.next = true, false, AfterTimeout, false, psn.Add(1)
	if s.extend(t, f, info); info.Transport == wire.RC {
		s.grow()
	}
	return m
}

// restart ends what is open: the queue pair was connected anew.
func (s *Side) restart(t *Table) {
	s.end(t)
	s.begun, s.holes, s.answers, s.asked = false, nil, recent{}, 0
}

// find returns the open request with a PSN, nil if there is none. They are in the
// order of their PSNs.
func (s *Side) find(psn wire.PSN) *Request {
	i, _ := slices.BinarySearchFunc(s.open, psn, func(r *Request, psn wire.PSN) int { return r.Last.Sub(psn) })
	if i < len(s.open) && psn.Sub(s.open[i].First) >= 0 {
		return s.open[i]
	}
	return nil
}

// extend adds a new packet to the request that it belongs to.
func (s *Side) extend(t *Table, f *capture.Frame, info *wire.OpcodeInfo) {
	p := &f.Wire
	var r *Request
	if n := len(s.open); n > 0 && info.Position&wire.Starts == 0 && !s.open[n-1].ends &&
		s.open[n-1].Operation == info.Operation {
		r = s.open[n-1]
	} else {
		r = &Request{Operation: info.Operation, First: p.BTH.PSN, Begin: f.At}
		s.open = append(s.open, r)
	}
	t.Touched = r
	r.Last = p.BTH.PSN
	r.take(f, info)
	if info.Operation == wire.OpRead {
		s.reserve(t, r)
	}
	if info.Position == wire.First || info.Position == wire.Middle {
		t.learnMTU(s.talk, len(p.Payload))
	}
	if info.Transport != wire.RC && r.ends {
		s.finish(t, r, Unreliable)
		s.open = s.open[:len(s.open)-1]
	}
	s.bound(t)
}

// take adds a new packet to the request.
func (r *Request) take(f *capture.Frame, info *wire.OpcodeInfo) {
	r.Sent = f.At
	r.begins = r.begins || info.Position&wire.Starts != 0
	r.ends = r.ends || info.Position&wire.Ends != 0
	switch {
	case f.Wire.Headers.Has(wire.HasRETH):
		r.Length = f.Wire.RETH.DMALen
	case info.Headers.Has(wire.HasRETH):
		r.cut = true
	}
	if info.Operation != wire.OpRead {
		r.Packets++
		r.Bytes += uint64(len(f.Wire.Payload))
	}
}

// bound drops the oldest of too many open requests.
func (s *Side) bound(t *Table) {
	if len(s.open) > maxOpen {
		t.Unfollowed++
		s.open = s.open[1:]
	}
}

const (
	smallestMTU = 256       // path MTU in bytes: what is not longer is one packet
	maxAnswers  = 1<<23 - 1 // to a READ: PSNs that are further apart have no order
)

// reserve takes the PSNs of the answers to a READ, if their number is known.
func (s *Side) reserve(t *Table, r *Request) {
	n, known := r.answers(t.mtus[s.talk])
	if !known {
		s.loose = true
		return
	}
	r.Last = r.First.Add(n - 1)
	s.next = r.Last.Add(1)
}

// answers returns how many packets answer a READ, if its length and that of a packet tell.
func (r *Request) answers(mtu int) (n int, known bool) {
	if r.cut || mtu == 0 && r.Length > smallestMTU {
		return 0, false
	}
	mtu = max(mtu, smallestMTU)
	packets := (int64(r.Length) + int64(mtu) - 1) / int64(mtu)
	return int(min(max(packets, 1), maxAnswers)), true
}

// answer takes a packet that answers this side.
func (s *Side) answer(t *Table, f *capture.Frame, info *wire.OpcodeInfo) (m Marks) {
	s.Answers++
	p := &f.Wire
	psn := p.BTH.PSN
	if p.Headers.Has(wire.HasAETH) {
		switch syndrome := p.AETH.Syndrome; syndrome.Kind() {
		case wire.SyndromeRNR:
			s.notReady(t, f)
			return 0
		case wire.SyndromeNAK:
			s.refused(t, f, syndrome.NAKCode())
			return 0
		case wire.SyndromeACK:
			s.Credits.add(syndrome)
		}
	} else if info.Operation == wire.OpAcknowledge {
		s.unread(t, f, psn)
		return 0
	}
	if info.Operation == wire.OpReadResponse {
		return s.data(t, f, info)
	}
	s.acknowledge(t, f, psn)
	return 0
}

// unread takes an answer of which the capture does not hold the AETH. Whatever it is, what came before is acknowledged.
func (s *Side) unread(t *Table, f *capture.Frame, psn wire.PSN) {
	s.acknowledge(t, f, psn.Add(-1))
	if r := s.find(psn); r != nil && r.ends && r.Last == psn {
		r.Answered = f.At
		s.drop(r)
		s.finish(t, r, Unread)
	}
}

func (s *Side) notReady(t *Table, f *capture.Frame) {
	s.RNR++
	s.reason = AfterRNR
	s.acknowledge(t, f, f.Wire.BTH.PSN.Add(-1))
	if r := s.find(f.Wire.BTH.PSN); r != nil {
		r.RNR++
		t.Touched = r
	}
}

func (s *Side) refused(t *Table, f *capture.Frame, code wire.NAKCode) {
	if s.NAKs == nil {
		s.NAKs = map[wire.NAKCode]uint64{}
	}
	s.NAKs[code]++
	psn := f.Wire.BTH.PSN
	s.acknowledge(t, f, psn.Add(-1))
	if code == wire.NAKPSNSequence {
		s.reason, s.asked, s.repeating = AfterNAK, f.At.UnixNano(), true
		return
	}
	if r := s.find(psn); r != nil {
		r.Code, r.Answered = code, f.At
		s.drop(r)
		s.finish(t, r, Refused)
	}
}

// data takes an answer with data: that of a READ, or the empty one of a FLUSH or an
// ATOMIC WRITE.
func (s *Side) data(t *Table, f *capture.Frame, info *wire.OpcodeInfo) Marks {
	psn := f.Wire.BTH.PSN
	if info.Position == wire.First || info.Position == wire.Middle {
		t.learnMTU(s.talk, len(f.Wire.Payload))
	}
	r := s.find(psn)
	if n := len(s.open); r == nil && s.loose && n > 0 && psn.Sub(s.open[n-1].First) >= 0 {
		r = s.open[n-1]
	}
	if r == nil || r.Operation != wire.OpRead {
		s.acknowledge(t, f, psn)
		return 0
	}
	s.acknowledge(t, f, r.First.Add(-1))
	t.Touched = r
	r.Packets++
	if psn.Sub(r.First) < int(r.data) { // asked for again
		r.Again[s.reason]++
		return Again
	}
	r.data = int32(psn.Sub(r.First) + 1)
	r.Bytes += uint64(len(f.Wire.Payload))
	if psn.Sub(r.Last) > 0 {
		r.Last = psn
	}
	if info.Position&wire.Ends == 0 {
		return 0
	}
	if r == s.open[len(s.open)-1] { // only now its length in packets is known
		s.loose, s.next = false, psn.Add(1)
	} else if r.loose {
		s.shorten(r, psn)
	}
	r.Answered = f.At
	s.drop(r)
	s.finish(t, r, Acknowledged)
	return 0
}

// acknowledge ends the requests up to a PSN. One whose last packet was not captured ends before the next begins.
func (s *Side) acknowledge(t *Table, f *capture.Frame, psn wire.PSN) {
	for len(s.open) > 0 {
		r := s.open[0]
		last := r.Last
		if !r.ends {
			if len(s.open) == 1 {
				return
			}
			last = s.open[1].First.Add(-1)
		}
		if last.Sub(psn) > 0 {
			return
		}
		s.open = s.open[1:]
		r.Answered = f.At
		s.finish(t, r, Acknowledged)
	}
}

func (s *Side) drop(r *Request) {
	i := slices.Index(s.open, r)
	s.open = slices.Delete(s.open, i, i+1)
}

// end ends what is open without an answer.
func (s *Side) end(t *Table) {
	for _, r := range s.open {
		s.finish(t, r, Open)
	}
	s.open = nil
}

// finish counts a request and tells it.
func (s *Side) finish(t *Table, r *Request, o Outcome) {
	r.Outcome, t.Touched = o, r
	s.Kinds[r.Operation].add(t, r)
	if t.Told != nil {
		t.Told(s.talk, s.at, r)
	}
}
