package wire

import (
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// actions are the screen's keys with what they do.
var actions = []screen.Action[*Screen]{
	screen.On(&keymap.Wire.Pause, (*Screen).togglePause).When(goesOn),
	screen.On(&keymap.Wire.Talk, (*Screen).toggleTalk).When(hasRow),
	screen.On(&keymap.Wire.Device, own((*Screen).nextDevice)).When(hasDevice),
	screen.On(&keymap.Wire.Fault, own(toggleFaults)).When(hasDevice),
	screen.On(&keymap.Wire.Tap, own(func(s *Screen) tea.Cmd { return s.watch(!s.wanted) })).When(ofSession),
	screen.On(&keymap.Wire.Clear, own((*Screen).clear)).When(hasOwnRow),
	screen.On(&keymap.Wire.Undo, own((*Screen).undo)).
		When(func(s *Screen) bool { return ofSession(s) && s.live.Cleared() > 0 }),
	screen.On(&keymap.Wire.Write, own(func(*Screen) tea.Cmd { return screen.Edit("save_packets wire.pcapng") })).
		When(hasOwnRow),
	screen.On(&keymap.Wire.Fold, (*Screen).toggleFold).When(func(s *Screen) bool { return s.ladder.foldable }),
	screen.On(&keymap.Wire.Next, func(s *Screen) tea.Cmd { return seek(s, 1) }).
		When(func(s *Screen) bool { return s.ahead }),
	screen.On(&keymap.Wire.Prev, func(s *Screen) tea.Cmd { return seek(s, -1) }).
		When(func(s *Screen) bool { return s.behind }),
	screen.On(&keymap.Explain, explainField).When(onHeader),
	screen.On(&keymap.List.Filter, (*Screen).ask),
	screen.On(&keymap.List.Back, (*Screen).back),
}

// own makes the action of a key that is about the session's packets.
func own(do func(*Screen) tea.Cmd) func(*Screen) tea.Cmd {
	return func(s *Screen) tea.Cmd {
		if !ofSession(s) {
			return screen.Warn("This key is for the packets of open devices; these are of a capture")
		}
		return do(s)
	}
}

// trouble is what the keys for the next and the previous trouble stop at.
const trouble = conversation.Again | conversation.Lost | conversation.Gap | conversation.Late | conversation.Twice |
	conversation.NAK | conversation.RNR | conversation.CNP | conversation.BadICRC | conversation.Malformed

// nearRows is how many rows are looked at for trouble to show the keys that go there.
const nearRows = 1 << 12

// troubled returns the nearest row with trouble among some rows, -1 if there is none. It reports whether it came to
// the end of the list.
func (s *Screen) troubled(by, rows int) (at int, ended bool) {
	for at = s.table.Cursor() + by; rows > 0; at, rows = at+by, rows-1 {
		n, ok := s.list.number(at)
		if !ok {
			return -1, true
		}
		if s.list.isTrouble(n) {
			return at, false
		}
	}
	return -1, false
}

func (l *list) isTrouble(n uint64) bool {
	m := l.source.Marks(n)
	return m.Has(trouble) && !m.Has(conversation.Second)
}

// seek goes to the next packet with one of the marks of trouble.
func seek(s *Screen, by int) tea.Cmd {
	at, _ := s.troubled(by, math.MaxInt)
	if at < 0 {
		return screen.Warn(map[bool]string{true: "No trouble after this packet",
			false: "No trouble before this packet"}[by > 0])
	}
	s.table.SetCursor(at)
	s.chose()
	return nil
}

// goesOn reports whether packets may still come.
func goesOn(s *Screen) bool { return s.traced == nil || !s.traced.state.Done }

func hasRow(s *Screen) bool { return s.list.at(s.table.Cursor()) != nil }

func hasDevice(s *Screen) bool { return ofSession(s) && len(s.taps.known) > 0 }

// ofSession reports whether the packets are those of the session's devices.
func ofSession(s *Screen) bool { return s.traced == nil }

func hasOwnRow(s *Screen) bool { return ofSession(s) && hasRow(s) }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseMsg:
		s.touched = true
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if s.faults.form.Editing() {
			return faultEvent(s, s.faults.form.Update(msg))
		}
	}
	cmd, taken := s.Input(msg)
	switch msg := msg.(type) {
	case screen.DoneMsg:
		return applied(s, msg.Line)
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
	if s.Focus == paneFaults {
		if cmd, taken := faultKey(s, k); taken {
			return cmd
		}
	}
	if cmd, taken := screen.Do(s, k, actions); taken {
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
			s.chose()
		}
	}
	return nil
}

// walk moves along the conversation.
func (s *Screen) walk(k tea.KeyPressMsg) {
	if r := s.ladder.next(k); r != nil {
		if i := s.list.index(r); i >= 0 {
			s.table.SetCursor(i)
			s.chose()
		}
	}
}

func (s *Screen) setText(text string) {
	if text != s.list.text {
		s.list.setText(text)
		s.refilter()
	}
}

func (s *Screen) ask() tea.Cmd {
	q := screen.Filter(s.setText)
	q.Complete = complete
	return s.Entry.Ask(q, s.list.text)
}

func (s *Screen) togglePause() tea.Cmd {
	s.paused = !s.paused
	s.retitle()
	return nil
}

// toggleTalk switches between the conversation of the selected packet and all packets.
func (s *Screen) toggleTalk() tea.Cmd {
	if s.list.talk != nil {
		s.list.talk = nil
	} else if r := s.shown(); r != nil {
		t := s.list.source.TalkOf(r)
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

// toggleFold switches between an arrow for each message and one for each packet.
func (s *Screen) toggleFold() tea.Cmd {
	s.ladder.all = !s.ladder.all
	s.ladder.show(s.ladder.at)
	return nil
}

func (s *Screen) clear() tea.Cmd {
	s.take() // what came while the list was paused
	s.live.Clear()
	s.list.talk, s.drawn = nil, false
	s.refilter()
	return nil
}

func (s *Screen) undo() tea.Cmd {
	s.live.Undo()
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
