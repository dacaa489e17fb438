package link

import "time"

const (
	// window is how far an identification may be from the previous ones: more than segments of one message are apart,
	// and more than the kernel's counter advances for packets that overtake one another.
	window = 64
	// ahead is how far a counter may have moved without damage: over packets that were lost or reordered, and while its
	// packets waited to be received.
	ahead = 1024
	// steadyAfter is how many packets in a row must be consistent before an inconsistent one is doubted.
	steadyAfter = 16
	// lawlessAfter is how many inconsistent packets, not explained by damage, show that a sender has no pattern.
	lawlessAfter = 8
	// suspectAfter is how many damaged packets, for each inconsistent identification, make the next one suspect. One of
	// 65,536 damaged packets has a CRC that is right for some identification.
	suspectAfter = 256
	// halfLife is the time after which a damaged packet counts half.
	halfLife = 16 * time.Second
)

// source describes the identifications in the IPv4 packets from one address.
type source struct {
	last    uint16 // the highest one
	recent  uint16 // of the previous packet
	guess   uint16 // expected next
	spread  uint16 // the furthest that a consistent packet was from the previous ones; at most window
	rises   bool   // a counter that advances beyond window
	steady  uint8  // consistent packets in a row, at most steadyAfter
	holding bool   // held is the identification of a refused packet, which another packet may confirm
	held    uint16
	seen    time.Time // arrival of the previous packet
	evidence
}

// verdict is the receiver's decision about a packet.
type verdict uint8

const (
	damaged     verdict = iota
	implausible         // intact only with an identification that its sender is unlikely to have used
	accepted
)

// newSource creates a source from the first packet of an address.
func newSource(id uint16, e evidence) *source {
	return &source{last: id, recent: id, guess: id, evidence: e}
}

// near reports whether two identifications are at most n apart.
func near(a, b, n uint16) bool { return a-b+n <= 2*n }

// distance returns how far apart two identifications are.
func distance(a, b uint16) uint16 { return min(a-b, b-a) }

// tolerance returns how far an identification may be from the previous ones. While damage explains a difference, it is
// what the sender has shown to need: none for a constant, so that all 32 bits of its CRC are checked.
func (s *source) tolerance() uint16 {
	if s.suspect() {
		return s.spread
	}
	return window
}

// admit judges a packet whose CRC is right for an identification, which is apart from the nearest previous one of its
// port or address; fresh means that the packet's port is new and may have its own counter.
func (s *source) admit(id, apart uint16, fresh bool, now time.Time) verdict {
	forward, late := s.reaches(id, now)
	switch {
	case apart <= s.tolerance(), (forward || late) && !s.suspect():
		if apart <= window {
			s.spread = max(s.spread, apart)
		}
		if s.steady < steadyAfter {
			s.steady++
		}
	case s.jump(id, fresh, now):
		forward = true
	default:
		return implausible
	}
	step := id - s.recent
	s.recent, s.guess = id, id+min(step, 1)
	if forward || int16(id-s.last) > 0 {
		s.last = id
	}
	s.rises = s.rises || step != 0 && id >= window
	s.seen = now
	return accepted
}

// reaches reports whether a counter may have advanced to id since it was seen, or passed it shortly before. Linux adds
// up to one for each clock tick, at most 1000 a second, to hide how many packets it sends.
func (s *source) reaches(id uint16, now time.Time) (forward, late bool) {
	if !s.rises {
		return false, false
	}
	step := id - s.last
	return step <= ahead || int64(step) <= ahead+now.Sub(s.seen).Milliseconds(), -step <= ahead
}

// jump judges an identification that is near no previous one.
func (s *source) jump(id uint16, fresh bool, now time.Time) bool {
	s.leap(now)
	steady := s.steady == steadyAfter
	switch {
	case s.holding && near(id, s.held, max(s.tolerance(), 1)): // a counter confirms a jump with the next number
	case (fresh || !steady) && !s.suspect():
	default:
		s.holding, s.held = true, id
		if s.leaps >= lawlessAfter && !s.suspect() {
			s.steady = 0
		}
		return false
	}
	s.holding = false
	if !steady {
		s.steady = 0
	}
	return true
}

// evidence distinguishes damage from a sender with another pattern.
type evidence struct {
	bad   uint32 // packets whose CRC is right for no identification
	leaps uint32 // packets whose identification was near no previous one
	since time.Time
}

func (e *evidence) damage(now time.Time) {
	e.fade(now)
	e.bad++
}

func (e *evidence) leap(now time.Time) {
	e.fade(now)
	e.leaps++
}

// fade reduces the weight of old events.
func (e *evidence) fade(now time.Time) {
	if n := now.Sub(e.since) / halfLife; n > 0 {
		e.bad, e.leaps, e.since = e.bad>>n, e.leaps>>n, now
	}
}

// suspect reports whether damage explains an inconsistent identification.
func (e *evidence) suspect() bool { return uint64(e.bad) >= suspectAfter*(uint64(e.leaps)+1) }
