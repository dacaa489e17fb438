package link

import "time"

const (
	// window is how far an identification may lie from those before it: further than segments of one message do from each other, and
	// than the kernel's counter moves for packets that overtake one another.
	window = 64
	// ahead is how far a counter may be from where it was where nothing is damaged: over packets that are lost or overtake others, and in
	// the time that its packets waited to be received.
	ahead = 1024
	// steadyAfter is how many packets in a row must fit before one that does not is doubted.
	steadyAfter = 16
	// lawlessAfter is how many that do not fit, and that damage does not explain, show that identifications follow no pattern.
	lawlessAfter = 8
	// suspectAfter is how many damaged packets, for each identification that did not fit, make the next one suspect. Of 65,536 that are
	// damaged one has a CRC that is right for some identification.
	suspectAfter = 256
	// halfLife is the time after which a damaged packet counts half.
	halfLife = 16 * time.Second
)

// source is what is known of the identifications in the IPv4 packets from one address.
type source struct {
	last    uint16 // the one that is furthest on
	recent  uint16 // that of the packet before
	guess   uint16 // what the next is expected to be
	rises   bool   // it is a counter that goes beyond window
	steady  uint8  // packets in a row that fitted, at most steadyAfter
	holding bool   // held is that of a refused packet, which another may confirm
	held    uint16
	seen    time.Time // when the packet before came; only of a counter
	evidence
}

// newSource makes a source of the first packet from an address.
func newSource(id uint16, e evidence) *source {
	return &source{last: id, recent: id, guess: id, evidence: e}
}

// near reports whether two identifications are at most window apart.
func near(a, b uint16) bool { return a-b+window <= 2*window }

// admit decides about a packet whose CRC is right for an identification. fits says that it is near one before; fresh that the packet's
// port is not known, and may have a counter of its own.
func (s *source) admit(id uint16, fits, fresh bool, now time.Time) verdict {
	forward, late := s.reaches(id, now)
	switch {
	case fits, (forward || late) && !s.suspect():
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
	if s.rises {
		s.seen = now
	}
	return accepted
}

// reaches reports whether a counter may have come to id since it was seen, or been there not long before: Linux adds up to one for each
// tick of its clock, of which there are at most 1000 in a second, so that nobody counts its packets.
func (s *source) reaches(id uint16, now time.Time) (forward, late bool) {
	if !s.rises {
		return false, false
	}
	step := id - s.last
	return step <= ahead || int64(step) <= ahead+now.Sub(s.seen).Milliseconds(), -step <= ahead
}

// jump decides about an identification that fits none before it.
func (s *source) jump(id uint16, fresh bool, now time.Time) bool {
	s.leap(now)
	steady := s.steady == steadyAfter
	switch {
	case s.holding && near(id, s.held):
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

// evidence is what tells damage from a sender that counts otherwise.
type evidence struct {
	bad   uint32 // packets whose CRC is right for no identification
	leaps uint32 // packets whose identification fitted none before
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

// fade lets what happened long ago count less.
func (e *evidence) fade(now time.Time) {
	if n := now.Sub(e.since) / halfLife; n > 0 {
		e.bad, e.leaps, e.since = e.bad>>n, e.leaps>>n, now
	}
}

// suspect reports whether damage explains an identification that does not fit.
func (e *evidence) suspect() bool { return uint64(e.bad) >= suspectAfter*(uint64(e.leaps)+1) }
