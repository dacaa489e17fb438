package post

import (
	"fmt"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/hexdump"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// arrival is what the last read found: bytes in view that had changed, for which nothing
// here accounts so far.
type arrival struct {
	window
	// of the session when it was read: the same at two reads if no command has ended and no completion was polled
	// between
	events uint64
	n, off int // bytes, and the first of them; n is 0 for none
}

// arrived compares bytes that were read with those before, and returns what to tell of a
// change. It tells of it one read later: until then a completion may come that explains it.
// While something is under way here that may account for a change, still is false.
func (m *memory) arrived(p piecesRead, events uint64, still bool) string {
	was := m.came
	if m.came = (arrival{}); !still {
		return ""
	}
	m.came = arrival{window: p.window, events: events}
	if p.window != was.window || events != was.events || p.err != nil ||
		m.mr.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) == 0 {
		return ""
	}
	for i, r := range hexdump.Diff(m.data[min(p.from, len(m.data)):], p.bytes, theme.Style{}) {
		if i == 0 {
			m.came.off = p.from + r.Off
		}
		m.came.n += r.Len
	}
	if was.n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s changed from offset %d. No completion was polled: a peer's WRITE has none.",
		format.Counted(was.n, "byte"), m.mr.Name, was.off)
}

// isStill reports whether nothing is under way here that changes memory and is recorded
// only when it ends.
func (s *Screen) isStill() bool {
	_, waits := s.env.Session.Waiting()
	return !waits && !busy(&s.snap)
}
