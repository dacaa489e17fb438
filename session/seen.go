package session

import (
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
)

// seenCap bounds the completions that expect looks back at.
const seenCap = 1 << 12

// seenCompletions are the completions that were taken, for expect. Those that
// an expect was satisfied with are forgotten at the next poll_cq, so that a
// request that is posted again must complete again; until then several expects
// may look at the same one.
type seenCompletions struct {
	mu   sync.Mutex
	ring []seenCompletion
	next int // where the next goes once the ring is full

	cutBy string // the identifier whose end cut the last poll_cq short, "" where none did
}

func seenBy(s *core.Session) *seenCompletions { return core.Part[seenCompletions](s, nil) }

type seenCompletion struct {
	timeline.Completion
	met, spent bool
}

func (s *seenCompletions) add(cs []timeline.Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range cs {
		if len(s.ring) < seenCap {
			s.ring = append(s.ring, seenCompletion{Completion: cs[i]})
			continue
		}
		s.ring[s.next] = seenCompletion{Completion: cs[i]}
		s.next = (s.next + 1) % seenCap
	}
}

func (s *seenCompletions) forgetMet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.ring {
		s.ring[i].spent = s.ring[i].met
	}
	s.cutBy = ""
}

// cut notes that the end of an identifier's connection cut a poll_cq short.
func (s *seenCompletions) cut(by string) {
	s.mu.Lock()
	s.cutBy = by
	s.mu.Unlock()
}

func (s *seenCompletions) wasCutBy() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cutBy
}

// forgetAll makes expect look at nothing that was taken before.
func (s *seenCompletions) forgetAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring, s.next = nil, 0
}

// find marks and returns the oldest completion that fits, and failing that the
// newest that is nearly the one.
func (s *seenCompletions) find(fits, nearly func(*timeline.Completion) bool) (found bool, near *timeline.Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.ring {
		c := &s.ring[(s.next+i)%len(s.ring)]
		if c.spent {
			continue
		}
		if fits(&c.Completion) {
			c.met = true
			return true, nil
		}
		if nearly(&c.Completion) {
			copied := c.Completion
			near = &copied
		}
	}
	return false, near
}

// firstFailed is the oldest completion of a queue pair that failed and is one of n
// requests from the given number on; nil if there is none.
func (s *seenCompletions) firstFailed(qp string, from, n uint64) *timeline.Completion {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.ring {
		c := s.ring[(s.next+i)%len(s.ring)].Completion
		if c.QP == qp && !c.Recv && c.WC.Failed() && c.WC.WRID-from < n {
			return &c
		}
	}
	return nil
}
