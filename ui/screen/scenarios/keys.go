package scenarios

import (
	"cmp"
	"net/netip"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// action is a key with what it does.
type action = screen.Action[*Screen]

// Actions of each phase; other keys go to the pane.
var (
	choosing = []action{
		screen.On(&keymap.Form.Submit, func(s *Screen) tea.Cmd { return s.start(true) }),
		screen.On(&keymap.Scenarios.Step, func(s *Screen) tea.Cmd { return s.start(false) }),
		screen.On(&keymap.Scenarios.Role, func(s *Screen) tea.Cmd { return s.toggle(fieldRole) }),
		screen.On(&keymap.Scenarios.Both, func(s *Screen) tea.Cmd { return s.toggle(fieldOther) }),
		screen.On(&keymap.List.Filter, (*Screen).askFilter),
		screen.On(&keymap.List.Back, (*Screen).back),
		screen.On[*Screen](&keymap.Form.Edit, nil).When(func(s *Screen) bool {
			return s.Focus == paneList || s.form.Edits()
		}),
		screen.On[*Screen](&keymap.Form.Toggle, nil).When(func(s *Screen) bool {
			return s.Focus == paneForm && s.form.Cycles()
		}),
		screen.On[*Screen](&keymap.Form.Clear, nil).When(func(s *Screen) bool {
			return s.Focus == paneForm && s.form.Clears()
		}),
	}
	goOn         = screen.On(&keymap.ScenarioRun.On, func(s *Screen) tea.Cmd { return s.runner.next(true) })
	explains     = screen.On(&keymap.Explain, (*Screen).explain)
	stop         = screen.On(&keymap.ScenarioRun.Stop, func(s *Screen) tea.Cmd { return s.runner.stop() })
	destroy      = screen.On(&keymap.ScenarioRun.Destroy, (*Screen).destroy)
	leave        = screen.On(&keymap.ScenarioRun.Back, (*Screen).leave)
	anew         = screen.On(&keymap.ScenarioRun.Anew, (*Screen).anew)
	phaseActions = map[phase][]action{
		phaseNone:    choosing,
		phaseBusy:    {stop, destroy, explains},
		phasePaused:  {screen.On(&keymap.ScenarioRun.Next, (*Screen).next), goOn, stop, destroy, explains},
		phaseFailed:  {screen.On(&keymap.ScenarioRun.Again, (*Screen).next), goOn, stop, destroy, explains},
		phaseEnded:   {leave, anew, explains},
		phaseStopped: {leave, anew, explains},
	}
	replays = []action{
		screen.On(&keymap.Steps.Show, (*Screen).showSteps).When(hasSteps),
		screen.On(&keymap.Steps.Play, func(s *Screen) tea.Cmd { s.steps.Toggle(s.runner.now()); return nil }).
			When(hasSteps),
		screen.On(&keymap.Steps.Next, func(s *Screen) tea.Cmd { s.steps.Step(1); return nil }).When(hasSteps),
		screen.On(&keymap.Steps.Prev, func(s *Screen) tea.Cmd { s.steps.Step(-1); return nil }).When(hasSteps),
	}
	always = []action{
		screen.On(&keymap.Scenarios.Keep, (*Screen).toggleKeep),
	}
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	taken := false
	if !s.form.Editing() {
		cmd, taken = s.Input(msg)
	}
	switch msg := msg.(type) {
	case screen.ReadMsg:
		s.reader.Done()
		s.takeHost(msg.What.(host))
		if all := s.early; all != nil {
			s.early = nil
			cmd = tea.Batch(cmd, s.start(*all))
		}
	case tea.KeyPressMsg:
		s.early = nil
		if !taken {
			cmd = s.key(msg)
		}
	case tea.PasteMsg:
		switch {
		case taken:
		case s.form.Editing():
			cmd = s.formKey(msg)
		case s.st.phase == phaseNone:
			cmd = pasteAddress(s, msg.Content)
		}
	}
	s.follow()
	return tea.Batch(cmd, s.reader.Start())
}

// hasSteps reports whether the diagram of a request can be shown.
func hasSteps(s *Screen) bool { return s.st.traced }

// showSteps enlarges the diagram of the last request, or shows all panes again.
func (s *Screen) showSteps() tea.Cmd {
	if !s.st.traced {
		return screen.Warn("No request has completed yet")
	}
	if s.Zoom = !s.Zoom || s.Focus != paneTimes; s.Zoom {
		s.Focus = paneTimes
	}
	return nil
}

func (s *Screen) askFilter() tea.Cmd { return s.Entry.Ask(screen.Filter(s.setFilter), s.list.text) }

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	if s.form.Editing() {
		return s.formKey(k)
	}
	if cmd, taken := screen.Do(s, k, phaseActions[s.st.phase], always); taken {
		return cmd
	}
	if s.running() {
		if cmd, taken := screen.Do(s, k, replays); taken {
			return cmd
		}
	}
	switch s.Focus {
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
			s.Focus = paneForm
		}
	}
	return nil
}

// explain explains the line under the cursor: the failures it caused, the event it
// waited for, or its command.
func (s *Screen) explain() tea.Cmd {
	i := s.script.Cursor()
	if i < 0 || i >= len(s.st.lines) {
		return screen.Explain()
	}
	var entries []explain.Entry
	p := &s.st.past[i]
	for j := range p.told {
		entries = append(entries, explained.Event(&p.told[j], "", &session.Snapshot{})...)
	}
	if s.st.outcome != nil {
		for j := range s.st.outcome.Told {
			if e := &s.st.outcome.Told[j]; e.Async != nil && strings.HasPrefix(p.done.Result, e.Async.Type.String()) {
				entries = append(entries, explained.Event(e, "", &session.Snapshot{})...)
			}
		}
	}
	if len(entries) == 0 {
		done := p.done
		done.Line = cmp.Or(done.Line, s.st.lines[i].Text)
		entries = explained.Command(&done)
	}
	return screen.Explain(entries...)
}

// formKey passes a key or a paste to the form, and takes over its values.
func (s *Screen) formKey(msg tea.Msg) tea.Cmd {
	e := s.form.Update(msg)
	if e.Kind != widget.FormChanged {
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
		s.form.SetError(name, err.Error())
	}
	return nil
}

// pasteAddress makes this end the client of a pasted address, which may be followed by a port.
func pasteAddress(s *Screen, text string) tea.Cmd {
	c, words := s.current(), strings.Fields(text)
	switch {
	case c == nil || c.exp != nil || c.sc.Name == "serve":
		return screen.Warn("paste not taken: this scenario has no address; choose another one")
	case len(words) == 0 || len(words) > 2 || !isIP(words[0]):
		return screen.Warn("paste not taken: it is not an IP address; type a host name into address (e)")
	}
	values := [][2]string{{fieldOther, elsewhere}, {fieldRole, client}, {fieldAddress, words[0]}}
	if c.sc.Group {
		values = values[2:]
	}
	if len(words) == 2 {
		values = append(values, [2]string{"port", words[1]})
	}
	for _, v := range values {
		if err := c.set(v[0], v[1]); err != nil {
			s.retell()
			return screen.Warn("paste not taken whole: " + err.Error())
		}
	}
	s.retell()
	return screen.Flash("took " + strings.Join(words, " "))
}

func isIP(s string) bool { _, err := netip.ParseAddr(s); return err == nil }

// toggle switches a field with two values.
func (s *Screen) toggle(name string) tea.Cmd {
	for _, f := range s.form.Fields() {
		if f.Name == name && f.Kind == widget.ChoiceField && len(f.Choices) == 2 {
			for _, o := range f.Choices {
				if o.Value != f.Value {
					return s.set(name, o.Value)
				}
			}
		}
	}
	return screen.Warn("this scenario has only one end")
}

func (s *Screen) start(all bool) tea.Cmd {
	c := s.current()
	if c == nil {
		return nil
	}
	if !s.hosted { // the defaults depend on the devices
		s.early = &all
		return screen.Warn("Reading the devices. The scenario starts afterwards.")
	}
	if len(s.host.devices) == 0 {
		return screen.Warn("no device can run it; d on Devices (1) says why")
	}
	if err := s.host.cannot(c.sc); err != nil {
		return screen.Warn(err.Error())
	}
	if c.exp != nil {
		return s.startLab(c, all)
	}
	able, _ := s.host.ableTo(c.sc)
	p := c.ready(&able)
	if err := p.Check(); err != nil {
		if p.Address == "" && !p.Server {
			s.Focus = paneForm
			s.form.Select(fieldAddress)
			return screen.Warn("enter or paste the server's address (e), be the server (o), or run both ends here (b)")
		}
		return screen.Warn(err.Error())
	}
	return s.runner.start(p, c.theirs(&able), all)
}

func (s *Screen) next() tea.Cmd { return s.runner.next(false) }

// leave returns to the list, after the run's objects have been destroyed.
func (s *Screen) leave() tea.Cmd {
	if s.st.alive > 0 && !s.st.keep {
		return s.runner.stop()
	}
	s.runner.forget()
	return nil
}

// destroy asks first; esc stops without a question.
func (s *Screen) destroy() tea.Cmd {
	return screen.Ask("stop?", "Stop the scenario and destroy what it made?", func() tea.Cmd { return s.runner.stop() })
}

// anew runs an ended scenario again.
func (s *Screen) anew() tea.Cmd {
	if s.st.alive > 0 && !s.st.keep {
		return s.runner.stop() // its objects would be in the way
	}
	s.runner.forget()
	s.st.phase = phaseNone
	return s.start(true)
}

func (s *Screen) toggleKeep() tea.Cmd {
	if s.runner.toggleKeep() {
		return screen.Flash("objects of a scenario are kept for the other screens; K again: destroyed at its end")
	}
	return screen.Flash("objects of a scenario are destroyed at its end")
}

// back removes the filters of the view, one at a time.
func (s *Screen) back() tea.Cmd {
	if !s.Back() {
		s.setFilter("")
	}
	return nil
}
