package connections

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// entry is something that is typed.
type entry struct {
	label, placeholder string
	done               func(s *Screen, text string) tea.Cmd
}

var (
	filterEntry = entry{" filter: ", "", func(*Screen, string) tea.Cmd { return nil }}

	connectEntry = entry{" connect to: ", "address or host name, and a port if it is not " + defaultPort, func(s *Screen, text string) tea.Cmd {
		return s.takeAddress(text, false)
	}}
	listenEntry = entry{" listen on: ", "a port, or an own address and a port; nothing: " + defaultPort + " of every device", func(s *Screen, text string) tea.Cmd {
		return s.takeAddress(text, true)
	}}
	rejectEntry = entry{" reject, with private data: ", `text, 0x… or be32:7; nothing: none`, func(s *Screen, text string) tea.Cmd {
		return s.reject(text)
	}}
	privateEntry = entry{" private data: ", `text, 0x… or be32:7; nothing: none`, func(s *Screen, text string) tea.Cmd {
		if w := s.shownWish(); w != nil {
			w.private = privateArg(text)
		}
		return nil
	}}
)

func (s *Screen) ask(e *entry, value string) tea.Cmd {
	s.typing, s.input.Placeholder = e, e.placeholder
	s.input.SetValue(value)
	return nil
}

// typeKey gives a key or a paste to the line that is being typed.
func (s *Screen) typeKey(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case keymap.Matches(k, keymap.Entry.Accept):
			e := s.typing
			s.typing = nil
			return e.done(s, s.input.Value())
		case keymap.Matches(k, keymap.Entry.Cancel):
			if s.typing == &filterEntry {
				s.setFilter("")
			}
			s.typing = nil
			return nil
		}
	}
	s.input.Update(msg)
	if s.typing == &filterEntry {
		s.setFilter(s.input.Value())
	}
	return nil
}

// shownWish is that of what is shown; nil if nothing is.
func (s *Screen) shownWish() *wish {
	if s.draft != nil {
		return s.draft
	}
	if id := s.current(); id != nil {
		return s.wishFor(id.Name)
	}
	return nil
}

// askAddress asks where to connect, or where to listen.
func (s *Screen) askAddress(e *entry, serves bool) tea.Cmd {
	if s.start.none() {
		return warn(s.advice())
	}
	value := ""
	if w := s.shownWish(); w != nil && w.serves == serves && s.takesAddress(serves) {
		value = w.address()
	}
	return s.ask(e, value)
}

// takesAddress reports whether an address is for what is shown, and not for a
// new identifier.
func (s *Screen) takesAddress(serves bool) bool {
	if s.draft != nil {
		return true
	}
	id := s.current()
	if id == nil || isPending(id) {
		return false
	}
	if w := s.wishFor(id.Name); w.known && w.serves != serves {
		return false
	}
	switch id.State {
	case session.IDIdle:
		return true
	case session.IDBound:
		return !serves
	case session.IDError:
		return !serves && id.Last != nil && id.Last.Type == verbs.CMAddrError
	}
	return false
}

func (s *Screen) takeAddress(text string, serves bool) tea.Cmd {
	text = strings.TrimSpace(text)
	if text == "" && !serves {
		return warn("no address was given: c asks for it again")
	}
	var w *wish
	if s.takesAddress(serves) {
		w = s.shownWish()
	} else {
		w = &wish{}
		s.draft = w
	}
	w.serves = serves
	w.setAddress(text)
	if text == "" {
		w.addr = ""
	}
	if s.draft == w {
		stem := "id"
		if serves {
			stem = "listen"
		}
		w.name = steps.FreeName(&s.snap, stem)
	}
	s.focus = paneIDs
	return nil
}
