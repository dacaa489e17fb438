package devices

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// refresh rereads everything because a key asked for it; told reports the outcome.
func (s *Screen) refresh() {
	if !s.busy() {
		s.before = s.values()
	}
	s.again()
}

// busy reports whether something is to be read, other than what is polled.
func (s *Screen) busy() bool {
	k := s.at()
	return s.wantList || k != nil && k.stale || s.wantFindings && s.env.Diagnose != nil
}

// told reports what a refresh has changed, once all of it is read.
func (s *Screen) told() tea.Cmd {
	if s.before == nil || s.busy() {
		return nil
	}
	was := s.before
	s.before = nil
	return screen.Refreshed(was, s.values())
}

// values are the devices, the findings, and what is known about the selected device
// except what is polled.
func (s *Screen) values() screen.Values {
	v := screen.Values{}
	for i := range s.list.devs {
		v[s.list.devs[i].Name] = fmt.Sprintf("%#v", s.list.devs[i])
	}
	for _, f := range s.findings.list {
		v[f.Check] += fmt.Sprint(f.Status, f.Meaning)
	}
	if k := s.at(); k != nil {
		v[s.name] += k.err
	}
	for _, id := range []sectionID{attributes, ports, gids, host} {
		head := ""
		for _, r := range s.sheets[id].all {
			name, rest := r.cells[0].text, r.cells[1:]
			switch {
			case r.head && id == attributes: // its names need none
			case r.head:
				head = name + " "
			case id == gids:
				name, rest = fmt.Sprintf("port %s GID %s", name, rest[0].text), rest[1:]
				fallthrough
			default:
				v[head+name] += fmt.Sprint(rest)
			}
		}
	}
	return v
}
