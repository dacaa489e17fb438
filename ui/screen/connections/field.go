package connections

// tourField returns a field that tours read: the state of the identifier shown, and
// whether it is a client or a server with lines to run, and the line that runs.
func tourField(s *Screen, name string) string {
	id, w := s.current(), s.shownWish()
	switch {
	case name == "running":
		return s.runner.Running()
	case name == "state" && s.draft == nil && id != nil:
		return id.State.String()
	case name == "role" && w != nil && len(s.todo()) > 0:
		return map[bool]string{true: "server", false: "client"}[w.serves]
	}
	return ""
}
