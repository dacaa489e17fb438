package sessiontest

import (
	"testing"

	"rdmatui/session"
	"rdmatui/session/timeline"
)

// CompletionOf returns the last completion with this number.
func CompletionOf(t *testing.T, s *session.Session, wrID uint64) timeline.Completion {
	t.Helper()
	events := s.Timeline().Snapshot()
	for i := len(events) - 1; i >= 0; i-- {
		if e := &events[i]; e.Kind == timeline.KindWC && e.WC.WC.WRID == wrID {
			return e.WC
		}
	}
	t.Fatalf("no completion of wr_id %d", wrID)
	return timeline.Completion{}
}
