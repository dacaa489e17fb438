package queue

import (
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
)

// seenCap bounds the completions kept for expect.
const seenCap = 1 << 12

// seenCompletions holds the completions that were taken, for expect. Those that an
// expect matched are dropped at the next poll_cq, so that a request that is posted
// again must complete again; until then several expects may match the same one.
type seenCompletions struct {
	mu   sync.Mutex
	kept ring.Ring[seenCompletion]

	cutBy string // the identifier whose disconnect ended the last poll_cq early, "" if none did
}

// Seen returns the completions that were taken in a session.
func Seen(s *core.Session) *seenCompletions { return core.Part[seenCompletions](s, nil) }

type seenCompletion struct {
	timeline.Completion
	met, spent bool
}

// Add adds completions; the oldest beyond seenCap are dropped.
func (s *seenCompletions) Add(cs []timeline.Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range cs {
		*s.kept.Keep(seenCap) = seenCompletion{Completion: cs[i]}
	}
}

func (s *seenCompletions) forgetMet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.kept.Len() {
		c := s.kept.At(i)
		c.spent = c.met
	}
	s.cutBy = ""
}

// cut notes that the end of an identifier's connection ended a poll_cq early.
func (s *seenCompletions) cut(by string) {
	s.mu.Lock()
	s.cutBy = by
	s.mu.Unlock()
}

// WasCutBy returns the identifier whose disconnect ended the last poll_cq early, ""
// if none did.
func (s *seenCompletions) WasCutBy() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cutBy
}

// ForgetAll drops all completions.
func (s *seenCompletions) ForgetAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = ring.Ring[seenCompletion]{}
}

// Find marks and returns the oldest completion that fits; if none does, it returns
// the newest near match.
func (s *seenCompletions) Find(fits, nearly func(*timeline.Completion) bool) (found bool, near *timeline.Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.kept.Len() {
		c := s.kept.At(i)
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

// FirstFailed returns the oldest failed completion of a queue pair among n requests
// from the given number on, nil if there is none.
func (s *seenCompletions) FirstFailed(qp string, from, n uint64) *timeline.Completion {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.kept.Len() {
		c := s.kept.At(i).Completion
		if c.QP == qp && !c.Recv && c.WC.Failed() && c.WC.WRID-from < n {
			return &c
		}
	}
	return nil
}
