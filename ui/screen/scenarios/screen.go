// Package scenarios is the screen of example programs: each can be run in either
// role, in one go or a step at a time, against the stock program or with both ends
// here.
package scenarios

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/replay"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
)

// The panes. The first two are shown while choosing, the others while running.
const (
	paneList screen.Pane = iota
	paneForm
	paneScript
	paneDetail
	paneTimes
)

// Screen is the Scenarios screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme

	reader  screen.Reader
	host    host
	hosted  bool     // host has been read
	early   *bool    // a start, of all or of one step, that waits for host; nil: none
	opened  []string // open devices, which are offered first
	choices map[string]*choice
	name    string // the scenario under the cursor

	told  scenario.About // description of that scenario with its settings
	list  *list
	table *widget.Table
	about *widget.Pager
	form  *widget.Form

	runner  *runner
	st      status
	version int
	shown   int // the line of the script to follow
	beat    int64
	script  *widget.Table
	detail  *widget.Pager
	times   *widget.Pager  // the outcome of an experiment
	steps   *replay.Replay // of the last request
	diagram widget.Block   // draws it

	face face
	screen.Fields
	screen.Panes
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen.
func New(env *screen.Env) *Screen {
	th := env.Theme
	s := &Screen{
		env: env, th: th, choices: map[string]*choice{}, list: newList(th), about: widget.NewPager(th),
		form: widget.NewForm(th), runner: newRunner(env), detail: widget.NewPager(th), times: widget.NewPager(th),
		shown: -1, steps: new(replay.Replay),
	}
	s.diagram = replay.Block(th, s.steps, noSteps)
	s.st.at = -1
	s.table = widget.NewTable(th, s.list, s.list.cols...)
	s.table.Keeps, s.table.Empty = true, "No scenario matches the filter. esC clears it."
	s.script = widget.NewTable(th, scriptRows{s}, scriptColumns()...)
	s.script.Keeps, s.script.NoHead = true, true
	s.face, s.Panes = newFace(s), newPanes(s)
	s.pick()
	s.Fields = func(name string) string { return tourField(s, name) }
	return s
}

// running reports whether a scenario was started and not left.
func (s *Screen) running() bool { return s.st.phase != phaseNone }

// contexts are the keys of a started scenario.
var contexts = map[phase]keymap.Context{
	phaseBusy: keymap.ScenarioBusy, phasePaused: keymap.ScenarioStepping, phaseFailed: keymap.ScenarioFailed,
	phaseEnded: keymap.ScenarioOver, phaseStopped: keymap.ScenarioOver,
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	switch {
	case s.Entry.Open():
		return s.Entry.Context()
	case s.form.Editing():
		return s.form.Context()
	}
	if c, ok := contexts[s.st.phase]; ok {
		return screen.ContextNow(s, c, replays)
	}
	return screen.ContextNow(s, keymap.ScenariosScreen, choosing)
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.Entry.Open() || s.form.Editing() }

// Show implements screen.Screen: devices may have been added or removed meanwhile.
func (s *Screen) Show() tea.Cmd {
	s.reader.Ask(func() any { return readHost(s.env.Inventory) })
	return s.reader.Start()
}

// takeHost keeps settings made by the user; the rest is chosen anew for the current
// devices.
func (s *Screen) takeHost(h host) {
	s.host, s.hosted = h.offering(s.opened), true
	for i := range s.list.all {
		e := &s.list.all[i]
		e.lack = !e.heading && h.cannot(e.Scenario) != nil
	}
	for name, c := range s.choices {
		if !c.touched {
			delete(s.choices, name)
		} else if c.p.Device == "" && c.exp != nil {
			able, _ := h.ableTo(c.sc)
			c.p.Device = able.device("").name
		}
	}
	s.pick()
}

// takeOpened records the open devices, and reports whether they have changed.
func (s *Screen) takeOpened(devices []session.DeviceView) bool {
	names := make([]string, len(devices))
	for i := range devices {
		names[i] = devices[i].Name
	}
	if slices.Equal(names, s.opened) {
		return false
	}
	if s.opened = names; s.hosted {
		s.takeHost(s.host)
	}
	return true
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(frame *screen.State) (bool, tea.Cmd) {
	opened := !s.running() && s.takeOpened(frame.Session.Devices)
	return s.follow() || opened, nil
}

// follow takes over the status of the run, and reports whether it looks different.
func (s *Screen) follow() (changed bool) {
	st, version := s.runner.status()
	if version != s.version {
		s.version, changed = version, true
		s.takeStatus(st)
	}
	if s.st.phase == phaseBusy {
		if beat := int64(s.waited() / (time.Second / 10)); beat != s.beat {
			s.beat, changed = beat, true
		}
	}
	return s.steps.Refresh(s.runner.now()) || changed
}

// waited returns how long the current line has been running.
func (s *Screen) waited() time.Duration { return s.runner.now().Sub(s.st.began) }

func (s *Screen) takeStatus(st status) {
	was := s.st.phase
	s.st = st
	switch {
	case was == phaseNone && st.phase != phaseNone:
		s.First, s.Count, s.Focus, s.Zoom, s.shown = paneScript, 3, paneScript, false, -1
	case was != phaseNone && st.phase == phaseNone:
		s.First, s.Count, s.Focus, s.Zoom = paneList, 2, paneList, false
	}
	switch {
	case st.traced:
		s.steps.Set(st.req, s.runner.now(), true)
	case st.phase == phaseNone:
		*s.steps = replay.Replay{}
	}
	at := st.at
	if at < 0 {
		at = len(st.lines) - 1
	}
	if at >= 0 && at != s.shown {
		s.shown = at
		s.script.SetCursor(at)
	}
}

// pick shows the scenario under the cursor.
func (s *Screen) pick() {
	if sc := s.list.at(s.table.Cursor()); sc != nil {
		s.name = sc.Name
	}
	s.retell()
}

// retell shows the settings of the scenario, and its description with them.
func (s *Screen) retell() {
	c := s.current()
	if c == nil {
		s.told = scenario.About{}
		s.form.SetFields(nil)
		return
	}
	able, _ := s.host.ableTo(c.sc)
	if s.told = (scenario.About{}); c.exp == nil {
		s.told, _ = c.ready(&able).About() // a test reads them all
	}
	s.form.SetFields(c.fields(&able))
}

// current returns the settings of the scenario shown; nil if none is.
func (s *Screen) current() *choice {
	sc := s.list.at(s.table.Cursor())
	if sc == nil || sc.heading {
		return nil
	}
	able, _ := s.host.ableTo(sc.Scenario)
	c := s.choices[sc.Name]
	if c == nil && sc.exp != nil {
		c = newExperiment(sc, &able)
		s.choices[sc.Name] = c
	}
	if c == nil {
		c = newChoice(sc.Scenario, &able)
		c.against = sc.against
		s.choices[sc.Name] = c
	}
	return c
}

// Pick implements screen.Picker: it shows a scenario or an experiment, unless one is
// running.
func (s *Screen) Pick(item string) tea.Cmd {
	if s.running() {
		return screen.Warn("A scenario is running: end it first (x)")
	}
	s.setFilter("")
	if at := s.list.index(item); at >= 0 {
		s.table.SetCursor(at)
		s.pick()
	}
	return nil
}

func (s *Screen) setFilter(text string) {
	if text = strings.ToLower(text); text == s.list.text {
		return
	}
	s.list.refilter(text)
	s.table.SetCursor(max(s.list.index(s.name), 0))
	s.pick()
}
