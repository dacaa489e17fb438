package scenarios

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/widget/form"
)

// action is what a key does.
type action struct {
	key *key.Binding
	do  func(*Screen) tea.Cmd
}

// Of every phase there are actions; what they leave goes to the pane.
var (
	choosing = []action{
		{&keymap.Form.Submit, func(s *Screen) tea.Cmd { return s.start(true) }},
		{&keymap.Scenarios.Step, func(s *Screen) tea.Cmd { return s.start(false) }},
		{&keymap.Scenarios.Role, func(s *Screen) tea.Cmd { return s.toggle(fieldRole) }},
		{&keymap.Scenarios.Both, func(s *Screen) tea.Cmd { return s.toggle(fieldOther) }},
		{&keymap.List.Filter, func(s *Screen) tea.Cmd { s.filter.Ask(s.list.text); return nil }},
		{&keymap.List.Back, (*Screen).back},
	}
	phaseActions = map[phase][]action{
		phaseNone:    choosing,
		phaseBusy:    {{&keymap.ScenarioRun.Stop, (*Screen).stop}},
		phasePaused:  {{&keymap.ScenarioRun.Next, (*Screen).next}, {&keymap.ScenarioRun.On, (*Screen).goOn}, {&keymap.ScenarioRun.Stop, (*Screen).stop}},
		phaseFailed:  {{&keymap.ScenarioRun.Again, (*Screen).next}, {&keymap.ScenarioRun.On, (*Screen).goOn}, {&keymap.ScenarioRun.Stop, (*Screen).stop}},
		phaseEnded:   {{&keymap.ScenarioRun.Back, (*Screen).leave}},
		phaseStopped: {{&keymap.ScenarioRun.Back, (*Screen).leave}},
	}
	always = []action{
		{&keymap.Scenarios.Keep, (*Screen).toggleKeep},
		{&keymap.Pane.Next, func(s *Screen) tea.Cmd { return s.turnFocus(1) }},
		{&keymap.Pane.Prev, func(s *Screen) tea.Cmd { return s.turnFocus(-1) }},
		{&keymap.Pane.Zoom, func(s *Screen) tea.Cmd { s.zoom = !s.zoom; return nil }},
	}
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case page.Read:
		s.reader.Done()
		s.takeHost(msg.What.(host))
	case tea.KeyPressMsg:
		cmd = s.key(msg)
	case tea.PasteMsg:
		switch {
		case s.filter.Open:
			s.setFilter(s.filter.Take(msg))
		case s.form.Editing():
			cmd = s.formKey(msg)
		}
	}
	s.Refresh(nil)
	return tea.Batch(cmd, s.reader.Start())
}

func warn(text string) tea.Cmd {
	return screen.Send(screen.FlashMsg{Level: timeline.LevelWarn, Text: text})
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case s.filter.Open:
		s.setFilter(s.filter.Take(k))
		return nil
	case s.form.Editing():
		return s.formKey(k)
	}
	for _, list := range [][]action{phaseActions[s.st.phase], always} {
		for _, a := range list {
			if keymap.Matches(k, *a.key) {
				return a.do(s)
			}
		}
	}
	switch s.focus {
	case paneForm:
		return s.formKey(k)
	case paneScript:
		s.script.Update(k)
	case paneDetail:
		s.detail.Update(k)
	case paneTimes:
		s.times.Update(k)
	default:
		if s.table.Update(k) {
			s.pick()
		} else if keymap.Matches(k, keymap.Form.Edit) || keymap.Matches(k, keymap.List.Right) {
			s.focus = paneForm
		}
	}
	return nil
}

// formKey gives a key or a paste to the form, and takes over what it sets.
func (s *Screen) formKey(msg tea.Msg) tea.Cmd {
	e := s.form.Update(msg)
	if e.Kind != form.Changed {
		return nil
	}
	return s.set(e.Name, e.Value)
}

func (s *Screen) set(name, value string) tea.Cmd {
	c := s.current()
	if c == nil {
		return nil
	}
	err := c.set(name, value)
	s.retell()
	if err != nil {
		return warn(err.Error())
	}
	return nil
}

// toggle takes the other value of a field with two.
func (s *Screen) toggle(name string) tea.Cmd {
	for _, f := range s.form.Fields() {
		if f.Name == name && f.Kind == form.Choice && len(f.Choices) == 2 {
			for _, o := range f.Choices {
				if o.Value != f.Value {
					return s.set(name, o.Value)
				}
			}
		}
	}
	return warn("this scenario has only the one")
}

func (s *Screen) start(all bool) tea.Cmd {
	c := s.current()
	if c == nil {
		return nil
	}
	if s.hosted && len(s.host.devices) == 0 {
		return warn("there is no device to run it on; d on Devices (1) says why")
	}
	if err := s.host.cannot(c.sc); err != nil {
		return warn(err.Error())
	}
	if c.exp != nil {
		return s.startLab(c, all)
	}
	able, _ := s.host.ableTo(c.sc)
	p := c.ready(&able)
	if err := p.Check(); err != nil {
		if p.Address == "" && !p.Server {
			s.focus = paneForm
			s.form.Select(fieldAddress)
			return warn("name the address of the server (e), be the server (r), or have both ends here (b)")
		}
		return warn(err.Error())
	}
	run := s.runner.start(p, c.theirs(&able), all)
	return tea.Batch(s.watchPackets(), run)
}

// watchPackets lets the packets of software devices be seen, so that the way of a
// request can be told. It is done once: on the Wire screen they can be left out.
func (s *Screen) watchPackets() tea.Cmd {
	if s.env.Packets == nil || s.watched {
		return nil
	}
	s.watched = true
	return func() tea.Msg {
		_, _ = s.env.Packets.WatchPackets(true) // without them less is told
		return nil
	}
}

func (s *Screen) next() tea.Cmd { return s.runner.next(false) }
func (s *Screen) goOn() tea.Cmd { return s.runner.next(true) }
func (s *Screen) stop() tea.Cmd { return s.runner.stop() }

// leave goes back to the list, after what was made has been destroyed.
func (s *Screen) leave() tea.Cmd {
	if s.st.alive > 0 && !s.st.keep {
		return s.runner.stop()
	}
	s.runner.forget()
	return nil
}

func (s *Screen) toggleKeep() tea.Cmd {
	if s.runner.toggleKeep() {
		return screen.Send(screen.FlashMsg{Text: "what a scenario makes is kept, to be looked at on the other screens; K again: it is destroyed"})
	}
	return screen.Send(screen.FlashMsg{Text: "what a scenario makes is destroyed at its end"})
}

// back ends what narrows the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.zoom:
		s.zoom = false
	case s.focus != paneList:
		s.focus = paneList
	default:
		s.setFilter("")
	}
	return nil
}

func (s *Screen) turnFocus(by int) tea.Cmd {
	first, n := paneList, 2
	if s.running() {
		first, n = paneScript, 3
	}
	s.focus = first + pane((int(s.focus-first)+by+n)%n)
	return nil
}
