package queue

import (
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
)

// seenCap bounds the completions that expect looks back at.
const seenCap = 1 << 12

// seenCompletions are the completions that were taken, for expect. Those that
// an expect was satisfied with are forgotten at the next poll_cq, so that a
// request that is posted again must complete again; until then several expects
// may look at the same one.
type seenCompletions struct {
	mu   sync.Mutex
	kept ring.Ring[seenCompletion]

	cutBy string // the identifier whose end cut the last poll_cq short, "" where none did
}

// Seen are the completions that were taken in a session.
func Seen(s *core.Session) *seenCompletions { return core.Part[seenCompletions](s, nil) }

type seenCompletion struct {
	timeline.Completion
	met, spent bool
}

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

// cut notes that the end of an identifier's connection cut a poll_cq short.
func (s *seenCompletions) cut(by string) {
	s.mu.Lock()
	s.cutBy = by
	s.mu.Unlock()
}

func (s *seenCompletions) WasCutBy() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cutBy
}

// ForgetAll makes expect look at nothing that was taken before.
func (s *seenCompletions) ForgetAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = ring.Ring[seenCompletion]{}
}

// Find marks and returns the oldest completion that fits, and failing that the
// newest that is nearly the one.
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

// FirstFailed is the oldest completion of a queue pair that failed and is one of n
// requests from the given number on; nil if there is none.
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
