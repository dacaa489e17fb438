package sessiontest

import (
	"strings"

	"rdmatui/session"
	"rdmatui/session/timeline"
)

// Noted reports whether the time line has a note containing the text.
func Noted(s *session.Session, text string) bool {
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindNote && strings.Contains(e.Note.Text, text) {
			return true
		}
	}
	return false
}
