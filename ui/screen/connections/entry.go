package connections

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/store"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// privateForms explains the syntax of private data.
const privateForms = `text, 0x… or be32:7; nothing: none`

func (s *Screen) askFilter() tea.Cmd { return s.Entry.Ask(page.Filter(s.setFilter), s.events.text) }

func (s *Screen) askConnect() tea.Cmd {
	return s.askAddress("connect to", "address or host name, with a port if not "+defaultPort, false)
}

func (s *Screen) askListen() tea.Cmd {
	return s.askAddress("listen on", "a port, or a local address and a port; empty: "+defaultPort+" of every device",
		true)
}

// shownWish returns the wish of the identifier or draft shown; nil if nothing is.
func (s *Screen) shownWish() *wish {
	if s.draft != nil {
		return s.draft
	}
	if id := s.current(); id != nil {
		return s.wishFor(id.Name)
	}
	return nil
}

// askAddress asks for the address to connect to or listen at.
func (s *Screen) askAddress(label, forms string, serves bool) tea.Cmd {
	if s.start.none() {
		return page.Warn(s.advice())
	}
	value, last := "", "" // the last address is offered as a placeholder: typing replaces it
	switch w := s.shownWish(); {
	case w != nil && w.serves == serves && s.takesAddress(serves):
		value = w.address()
	case !serves && s.env.Store.Recall(store.Address) != "":
		last = s.env.Store.Recall(store.Address)
		forms = line.Escape(last) + " (enter), or another address"
	}
	return s.Entry.Ask(&page.Question{Label: label, Placeholder: forms, Done: func(text string) tea.Cmd {
		return s.takeAddress(cmp.Or(strings.TrimSpace(text), last), serves)
	}}, value)
}

// takesAddress reports whether an address is for the identifier shown rather than for
// a new one.
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
	if text == "" && !serves {
		return page.Warn("no address given: press c to enter one")
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
	s.Focus = paneIDs
	if serves {
		return nil
	}
	s.env.Store.Remember(store.Address, text)
	return s.env.Save()
}
