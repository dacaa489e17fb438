package connections

import (
	"strconv"
	"strings"

	"rdmatui/session"
)

// tourFields are the fields that tours read.
var tourFields = map[string]func(*Screen) string{
	"running": func(s *Screen) string { return s.runner.Running() },
	"editing": func(s *Screen) string { return s.Entry.Asks() },
	"space":   func(s *Screen) string { return spaces[s.start.space].name },
	"mode":    func(s *Screen) string { return modes[s.start.mode].name },
	"reach":   reach,
	// the state of the identifier shown
	"state": func(s *Screen) string {
		if id := s.current(); s.draft == nil && id != nil {
			return id.State.String()
		}
		return ""
	},
	// whether it is a client or a server with lines to run
	"role": func(s *Screen) string {
		if w := s.shownWish(); w != nil && len(s.todo()) > 0 {
			return map[bool]string{true: "server", false: "client"}[w.serves]
		}
		return ""
	},
	// what esc goes back to
	"aside": func(s *Screen) string {
		if s.Focus != paneIDs {
			return "the identifiers"
		}
		return ""
	},
	// the address of a listener that is not the usual port of every device
	"bound": func(s *Screen) string {
		if w := s.shownWish(); w != nil && w.known && w.serves && s.takesAddress(true) && w.address() != defaultPort {
			return w.address()
		}
		return ""
	},
	// the address of a client that does not lead to the listener here
	"elsewhere": func(s *Screen) string {
		w, to := s.shownWish(), wish{}
		if to.setAddress(reach(s)); w == nil || !w.known || w.serves || w.address() == to.address() {
			return ""
		}
		return w.address()
	},
}

// tourField returns a field that tours read, "" for one that this screen has not.
func tourField(s *Screen, name string) string {
	if f := tourFields[name]; f != nil {
		return f(s)
	}
	return ""
}

// reach returns an address at which the first listener can be reached, with its port if that is not the usual one. It
// is one of this host and of this instance, which another one on the same machine does not have.
func reach(s *Screen) string {
	for i := range s.snap.IDs {
		id := &s.snap.IDs[i]
		if id.State != session.IDListening {
			continue
		}
		at, port := id.Local.Addr().Unmap(), strconv.Itoa(int(id.Local.Port()))
		text := at.String()
		if at.IsUnspecified() {
			text = firstAddress(s)
		}
		if port != defaultPort {
			text += " " + port
		}
		return text
	}
	return firstAddress(s)
}

// firstAddress returns the first address of this host, "" if it has none.
func firstAddress(s *Screen) string {
	if len(s.start.addresses) == 0 {
		return ""
	}
	at, _, _ := strings.Cut(s.start.addresses[0], " ")
	return at
}
