package wire

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/page"
)

// actions are the screen's keys with what they do.
var actions = []page.Action[*Screen]{
	page.On(&keymap.Wire.Pause, (*Screen).togglePause),
	page.On(&keymap.Wire.Talk, (*Screen).toggleTalk).When(hasRow),
	page.On(&keymap.Wire.Device, (*Screen).nextDevice).When(hasDevice),
	page.On(&keymap.Wire.Fault, (*Screen).toggleFault).When(hasDevice),
	page.On(&keymap.Wire.Tap, func(s *Screen) tea.Cmd { return s.watch(!s.wanted) }),
	page.On(&keymap.Wire.Clear, (*Screen).clear).When(hasRow),
	page.On(&keymap.Wire.Write, func(*Screen) tea.Cmd { return page.Edit("save_packets wire.pcapng") }).When(hasRow),
	page.On(&keymap.Wire.Next, func(s *Screen) tea.Cmd { return seek(s, 1) }).When(hasRow),
	page.On(&keymap.Wire.Prev, func(s *Screen) tea.Cmd { return seek(s, -1) }).When(hasRow),
	page.On(&keymap.Explain, explainField).When(onHeader),
	page.On(&keymap.List.Filter, (*Screen).ask),
	page.On(&keymap.List.Back, (*Screen).back),
}

// seek goes to the next packet that was lost, damaged or repeated, or is a NAK.
func seek(s *Screen, by int) tea.Cmd {
	for i := s.table.Cursor() + by; s.list.at(i) != nil; i += by {
		if r := s.list.at(i); r.again || r.lost || r.Err != nil || isNAK(r) {
			s.table.SetCursor(i)
			s.follow()
			return nil
		}
	}
	return page.Warn(map[bool]string{true: "No NAK or loss after this packet", false: "No NAK or loss before this packet"}[by > 0])
}

func hasRow(s *Screen) bool { return s.list.at(s.table.Cursor()) != nil }

func hasDevice(s *Screen) bool { return len(s.taps.known) > 0 }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	cmd, taken := s.Input(msg)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if !taken {
			return s.key(msg)
		}
	case watching:
		return s.watched(msg)
	}
	return cmd
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
	if cmd, taken := page.Do(s, k, actions); taken {
		return cmd
	}
	switch s.Focus {
	case paneDetail:
		if s.detail.Update(k) {
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
		s.list.setText(text)
		s.refilter()
	}
}

func (s *Screen) ask() tea.Cmd { return s.Entry.Ask(page.Filter(s.setText), s.list.text) }

func (s *Screen) togglePause() tea.Cmd {
	s.paused = !s.paused
	s.retitle()
	return nil
}

// toggleTalk switches between the conversation of the selected packet and all packets.
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

// nextDevice cycles through the devices and all.
func (s *Screen) nextDevice() tea.Cmd {
	names := []string{""}
	for i := range s.taps.list {
		names = append(names, s.taps.list[i].Device)
	}
	s.list.device = names[(slices.Index(names, s.list.device)+1)%len(names)]
	s.refilter()
	return nil
}

// firstFault is the fault that the key offers for editing.
const firstFault = " loss=10%"

// toggleFault ends the faults of the selected device, or offers some.
func (s *Screen) toggleFault() tea.Cmd {
	name := s.faultDevice()
	if name == "" {
		return page.Warn("No software device is open; faults need one.")
	}
	if f := s.taps.faults[name]; f.Active() {
		return s.env.Exec("fault " + name + " off")
	}
	return page.Edit("fault " + name + firstFault)
}

// faultDevice returns the device shown alone, else the one with faults, else the one
// that sent or received the selected packet, else the first.
func (s *Screen) faultDevice() string {
	if s.taps.isSoft(s.list.device) {
		return s.list.device
	}
	for _, name := range s.taps.known {
		if f := s.taps.faults[name]; f.Active() {
			return name
		}
	}
	if r := s.list.at(s.table.Cursor()); r != nil && s.taps.isSoft(r.Device) {
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

// back removes the filters of the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.Back():
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
