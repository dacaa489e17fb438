package completions

import (
	"fmt"
	"slices"
	"time"

	"rdmatui/session"
	"rdmatui/session/preflight"
)

// lookEvery is how often the progress of outstanding requests is read.
const lookEvery = 200 * time.Millisecond

// askForProgress requests a look at outstanding requests. A request that is retried
// without end has no completion, so nothing else on this screen would show it.
func (s *Screen) askForProgress(v *session.Snapshot) {
	now := time.Now()
	if s.reader.Busy() || now.Sub(s.lookedAt) < lookEvery || !slices.ContainsFunc(v.QPs, func(q session.QPView) bool {
		return q.SendOutstanding > 0
	}) {
		return
	}
	s.lookedAt = now
	s.reader.Ask(func() any { s.env.Session.LookAtSends(); return nil })
}

// waits says what the first send request that is known to wait waits for; "" if there
// is none.
func waits(v *session.Snapshot) string {
	for i := range v.QPs {
		if st, ok := preflight.Stalled(v, &v.QPs[i]); ok {
			return fmt.Sprintf("wr %d of %s waits: %s", st.WRID, v.QPs[i].Name, st.Why)
		}
	}
	return ""
}
