package sessiontest

import (
	"testing"

	"rdmatui/session"
	"rdmatui/session/queue"
)

// QueueOfName returns a completion queue of a session.
func QueueOfName(t *testing.T, s *session.Session, name string) *queue.CQ {
	t.Helper()
	s.Core().Mu.RLock()
	defer s.Core().Mu.RUnlock()
	n, err := s.Core().Graph.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return n.Body.(*queue.CQ)
}
