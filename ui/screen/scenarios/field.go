package scenarios

// tourField is what a tour may know: what is chosen of the scenario, how its run stands
// ("phase": "", running or ended), and what to type at the other side.
func tourField(s *Screen, name string) string {
	c := s.current()
	if c == nil {
		return ""
	}
	able, _ := s.host.ableTo(c.sc)
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
		return ourOwn(c.ready(&able))
	}
	return ""
}
