package wire

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// actions is what the screen's keys do.
var actions = []struct {
	key *key.Binding
	do  func(*Screen) tea.Cmd
}{
	{&keymap.Wire.Pause, (*Screen).togglePause},
	{&keymap.Wire.Talk, (*Screen).toggleTalk},
	{&keymap.Wire.Device, (*Screen).nextDevice},
	{&keymap.Wire.Fault, (*Screen).toggleFault},
	{&keymap.Wire.Tap, func(s *Screen) tea.Cmd { return s.watch(!s.wanted) }},
	{&keymap.Wire.Clear, (*Screen).clear},
	{&keymap.Wire.Write, func(*Screen) tea.Cmd { return edit("save_packets wire.pcapng") }},
	{&keymap.List.Filter, (*Screen).ask},
	{&keymap.List.Back, (*Screen).back},
	{&keymap.Pane.Next, func(s *Screen) tea.Cmd { return s.step(1) }},
	{&keymap.Pane.Prev, func(s *Screen) tea.Cmd { return s.step(panes - 1) }},
	{&keymap.Pane.Zoom, func(s *Screen) tea.Cmd { s.zoom = !s.zoom; return nil }},
}

func edit(text string) tea.Cmd { return screen.Send(screen.EditMsg{Line: text}) }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if s.filter.Open {
			s.setText(s.filter.Take(msg))
			return nil
		}
		return s.key(msg)
	case tea.PasteMsg:
		if s.filter.Open {
			s.setText(s.filter.Take(msg))
		}
	case watching:
		return s.watched(msg)
	}
	return nil
}

func (s *Screen) watched(msg watching) tea.Cmd {
	s.taps.known, s.taps.on, s.drawn = msg.names, msg.on, false
	s.retitle()
	if msg.err != nil {
		s.wanted = false
		return screen.Send(screen.FlashMsg{Level: timeline.LevelError, Text: msg.err.Error()})
	}
	return nil
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	for _, a := range actions {
		if keymap.Matches(k, *a.key) {
			return a.do(s)
		}
	}
	switch s.focus {
	case paneDetail:
		if s.detail.pager.Update(k) {
			s.detail.dump.Update(k)
		}
	case paneLadder:
		s.walk(k)
	default:
		if s.table.Update(k) {
			s.follow()
		}
	}
	return nil
}

// walk moves along the conversation.
func (s *Screen) walk(k tea.KeyPressMsg) {
	if r := s.ladder.next(k); r != nil {
		if i := s.list.index(r); i >= 0 {
			s.table.SetCursor(i)
			s.follow()
		}
	}
}

func (s *Screen) setText(text string) {
	if text != s.list.text {
		s.list.text = text
		s.refilter()
	}
}

func (s *Screen) ask() tea.Cmd {
	s.filter.Ask(s.list.text)
	return nil
}

func (s *Screen) togglePause() tea.Cmd {
	s.paused = !s.paused
	s.retitle()
	return nil
}

// toggleTalk shows only the conversation of the selected packet, or all again.
func (s *Screen) toggleTalk() tea.Cmd {
	if s.list.talk != nil {
		s.list.talk = nil
	} else if r := s.list.at(s.table.Cursor()); r != nil {
		t := s.list.talkOf(r)
		s.list.talk = &t
	}
	s.refilter()
	return nil
}

// nextDevice goes through the devices, and back to all.
func (s *Screen) nextDevice() tea.Cmd {
	names := append([]string{""}, s.taps.known...)
	s.list.device = names[(slices.Index(names, s.list.device)+1)%len(names)]
	s.refilter()
	return nil
}

// firstFault is what the key offers, to be changed before it is sent.
const firstFault = " loss=10%"

// toggleFault ends the faults of the device at hand, or offers some.
func (s *Screen) toggleFault() tea.Cmd {
	name := s.faultDevice()
	if name == "" {
		return screen.Send(screen.FlashMsg{Level: timeline.LevelWarn, Text: "there is no software device to set faults on"})
	}
	if f := s.taps.faults[name]; f.Active() {
		return s.env.Exec("fault " + name + " off")
	}
	return edit("fault " + name + firstFault)
}

// faultDevice is the device that is shown alone, or has faults, or sent or
// received the selected packet, or else the first.
func (s *Screen) faultDevice() string {
	if s.list.device != "" {
		return s.list.device
	}
	for _, name := range s.taps.known {
		if f := s.taps.faults[name]; f.Active() {
			return name
		}
	}
	if r := s.list.at(s.table.Cursor()); r != nil {
		return r.Device
	}
	if len(s.taps.known) > 0 {
		return s.taps.known[0]
	}
	return ""
}

func (s *Screen) clear() tea.Cmd {
	s.story.clear()
	s.list.talk, s.drawn = nil, false
	s.refilter()
	return nil
}

// back ends what narrows the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.zoom:
		s.zoom = false
	case s.focus != panePackets:
		s.focus = panePackets
	case s.list.text != "":
		s.setText("")
	case s.list.talk != nil:
		return s.toggleTalk()
	case s.list.device != "":
		s.list.device = ""
		s.refilter()
	}
	return nil
}

func (s *Screen) step(by pane) tea.Cmd {
	s.focus = (s.focus + by) % panes
	if s.focus != panePackets {
		s.lower = s.focus
	}
	return nil
}
