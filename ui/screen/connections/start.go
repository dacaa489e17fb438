package connections

import (
	"fmt"

	"rdmatui/session/cm"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// start describes the next identifier, and how to make one.
type start struct {
	th        *theme.Theme
	mode      int
	space     int
	managers  []cm.Manager
	read      bool     // managers has been filled
	addresses []string // at which peers reach this host
	manager   int
	rows      []row
}

func (s *start) take(m hostMsg) {
	s.managers, s.addresses, s.read = m.managers, m.addresses, true
	s.manager = min(s.manager, max(len(s.managers)-1, 0))
}

// none reports that no device here has a connection manager.
func (s *start) none() bool { return s.read && len(s.managers) == 0 }

// choice is the settings of a new identifier.
type choice struct {
	mode, space string
	provider    string // "" for any
	device      string // names the provider's manager in a line; "" if it is the default
}

func (s *start) choice() choice {
	c := choice{mode: modes[s.mode].name, space: spaces[s.space].name}
	if s.manager < len(s.managers) {
		c.provider = s.managers[s.manager].Provider
	}
	if s.manager > 0 {
		c.device = s.managers[s.manager].Device
	}
	return c
}

// lay makes the lines for w cells; terse omits blank ones.
func (s *start) lay(w int, terse bool) {
	s.rows = nil
	if s.none() {
		s.text("No connection manager: found neither librdmacm with a device nor a software device that has one.", w,
			s.th.Warn)
		s.text("You can still connect queue pairs by hand on Bring-up (2).", w, s.th.Dim)
		return
	}
	s.text("The connection manager finds the device and path to an address, sends a connection request to the peer, and moves both queue pairs to RTS. "+
		"Its events appear here.", w, s.th.Value)
	s.blank(!terse)
	s.key(keymap.Connections.Connect.Help().Key, "as a client: connect to an address")
	s.key(keymap.Connections.Listen.Help().Key, "as a server: listen on a port")
	s.blank(!terse)
	s.key(keymap.Connections.Mode.Help().Key, "events: "+modes[s.mode].name+" "+s.th.Glyphs.Dash+" "+modes[s.mode].doc)
	s.key(keymap.Connections.Space.Help().Key,
		"port space: "+spaces[s.space].name+" "+s.th.Glyphs.Dash+" "+spaces[s.space].doc)
	if len(s.managers) > 0 {
		m := s.managers[s.manager]
		text := "manager: that of " + m.Provider + ", with " + m.Device
		if len(s.managers) > 1 {
			s.key(keymap.Connections.Manager.Help().Key,
				fmt.Sprintf("%s (%d of %d)", text, s.manager+1, len(s.managers)))
		} else {
			s.key(" ", text)
		}
	}
	s.blank(!terse)
	if len(s.addresses) > 0 {
		s.text("This host's address is "+s.reachedAt()+".", w, s.th.Value)
	}
	s.text("To run both ends here: l first, then c with an address of this host.", w, s.th.Dim)
}

func (s *start) blank(wanted bool) {
	if wanted {
		s.rows = append(s.rows, func(*line.Buf) {})
	}
}

func (s *start) text(text string, w int, st theme.Style) {
	for _, l := range pager.Wrap(nil, line.Escape(text), max(w-2, 10)) {
		s.rows = append(s.rows, func(b *line.Buf) { b.Space(1); b.Text(l, st) })
	}
}

func (s *start) key(key, text string) {
	s.rows = append(s.rows, func(b *line.Buf) {
		b.Space(1)
		b.Text(key, s.th.Key)
		b.Space(2)
		b.Cell(text, b.Room(), line.Left, s.th.Value)
	})
}

// draftRows describe an identifier that is to be made.
func (s *Screen) draftRows(w int) []row {
	st := s.start
	st.rows = nil
	what := "A client, to connect to " + s.draft.address() + "."
	if s.draft.serves {
		what = "A server, to listen on " + s.draft.address() + "."
	}
	st.text(what+" Nothing has been created yet.", w, st.th.Value)
	st.key(keymap.Connections.Mode.Help().Key,
		"events: "+modes[st.mode].name+" "+st.th.Glyphs.Dash+" "+modes[st.mode].doc)
	st.key(keymap.Connections.Space.Help().Key,
		"port space: "+spaces[st.space].name+" "+st.th.Glyphs.Dash+" "+spaces[st.space].doc)
	st.key(keymap.Connections.Destroy.Help().Key, "drops it")
	return st.rows
}
