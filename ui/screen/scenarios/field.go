package scenarios

// tourField returns a field that tours read: the settings of the scenario, the state of
// its run ("phase": "", running or ended), and the line for the other side.
func tourField(s *Screen, name string) string {
	c := s.current()
	if c == nil {
		return ""
	}
	switch name {
	case "cursor":
		return s.form.Name()
	case "scenario":
		return s.name
	case "phase":
		switch {
		case !s.running():
			return ""
		case s.st.phase == phaseBusy || s.st.phase == phasePaused:
			return "running"
		}
		return "ended"
	case "other end":
		return map[bool]string{true: "here", false: "elsewhere"}[c.both]
	case "role":
		return map[bool]string{true: "server", false: "client"}[c.p.Server]
	case "address":
		return c.p.Address
	case "partner":
		return s.told.Partner
	case "own":
		if c.exp != nil { // an experiment needs no other end
			return ""
		}
		able, _ := s.host.ableTo(c.sc)
		return ourOwn(c.ready(&able))
	}
	return ""
}
