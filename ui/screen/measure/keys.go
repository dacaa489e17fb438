package measure

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/bench"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

type action = screen.Action[*Screen]

// Actions while no test runs and while one does; other keys go to the pane.
var (
	always = append(screen.FormActions(onForm),
		screen.On(&keymap.Explain, (*Screen).explain),
		screen.On(&keymap.Measure.All, func(s *Screen) tea.Cmd { s.all = !s.all; s.refill(); return nil }),
		screen.On(&keymap.Measure.Compare, withRun((*Screen).compare)).When(hasRun),
		screen.On(&keymap.Measure.Name, withRun((*Screen).name)).When(hasRun),
		screen.On(&keymap.Measure.Write, withRun((*Screen).write)).When(hasRun),
		screen.On(&keymap.Measure.Remove, withRun((*Screen).remove)).When(func(s *Screen) bool {
			n := s.shown()
			return n != nil && n.view.State.Over()
		}),
		screen.On(&keymap.Measure.Double, (*Screen).double).When((*Screen).onNumber),
		screen.On(&keymap.Measure.Halve, (*Screen).halve).When((*Screen).onNumber),
	)
	idle = append([]action{
		screen.On(&keymap.Form.Submit, (*Screen).run),
		screen.On(&keymap.Measure.Again, withRun((*Screen).again)).When(hasRun),
		screen.On(&keymap.List.Back, func(s *Screen) tea.Cmd { s.Back(); return nil }),
	}, always...)
	busy = append([]action{
		screen.On(&keymap.Measure.Apply, (*Screen).apply).When(func(s *Screen) bool {
			n := s.runs.running()
			return n.settings.ends == bothEnds && n.settings.p != s.settings.p
		}),
		screen.On(&keymap.Measure.Stop, (*Screen).stop),
	}, always...)
)

// onForm returns the form while it has the focus.
func onForm(s *Screen) *widget.Form {
	if s.Focus == paneForm {
		return s.form
	}
	return nil
}

func hasRun(s *Screen) bool { return s.shown() != nil }

// withRun makes an action of one that needs a run.
func withRun(do func(*Screen, *run) tea.Cmd) func(*Screen) tea.Cmd {
	return func(s *Screen) tea.Cmd {
		if n := s.shown(); n != nil {
			return do(s, n)
		}
		return screen.Warn("No runs yet. enter starts the test.")
	}
}

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
		s.devices, s.hosted = msg.What.([]device), true
		s.refill()
		if s.early {
			s.early = false
			cmd = tea.Batch(cmd, s.run())
		}
	case tea.KeyPressMsg:
		if !taken {
			cmd = s.key(msg)
		}
	case tea.PasteMsg:
		if !taken && s.form.Editing() {
			cmd = s.formKey(msg)
		}
	}
	s.runs.refresh()
	return tea.Batch(cmd, s.reader.Start())
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	if s.form.Editing() {
		return s.formKey(k)
	}
	actions := idle
	if s.runs.running() != nil {
		actions = busy
	}
	if cmd, taken := screen.Do(s, k, actions); taken {
		return cmd
	}
	switch s.Focus {
	case paneForm:
		return s.formKey(k)
	case paneRuns:
		s.table.Update(k)
	case paneReport:
		s.pager.Update(k)
	}
	return nil
}

// formKey passes a key or a paste to the form, and takes over its values.
func (s *Screen) formKey(msg tea.Msg) tea.Cmd {
	e := s.form.Update(msg)
	if e.Kind != widget.FormChanged {
		return nil
	}
	err := s.settings.set(e.Name, e.Value)
	s.refill()
	if err != nil {
		s.form.SetError(e.Name, err.Error())
	}
	return nil
}

// run starts the test of the form.
func (s *Screen) run() tea.Cmd {
	if s.runs.running() != nil {
		return screen.Warn("A test is running. esc stops it.")
	}
	if !s.hosted { // the device depends on it
		s.early = true
		return screen.Warn("Reading the devices. The test starts afterwards.")
	}
	if len(s.devices) == 0 {
		return screen.Warn("no device can run it; d on Devices (1) says why")
	}
	set := s.settings
	if set.ends == asClient && set.p.Host == "" {
		s.Focus = paneForm
		s.form.Select(fieldAddress)
		return screen.Warn("enter the server's address (e), or run both ends here")
	}
	p := set.params(s.devices, s.usual())
	t, err := s.start(p, set.ends == bothEnds)
	if err != nil {
		return screen.Warn(err.Error())
	}
	s.runs.add(&run{name: s.runs.nextName(&p), settings: set, test: t, view: t.View()})
	s.table.SetCursor(0)
	return nil
}

// again runs the test of the run shown.
func (s *Screen) again(n *run) tea.Cmd {
	s.settings = n.settings
	s.refill()
	return s.run()
}

// apply changes the running test to the settings of the form.
func (s *Screen) apply() tea.Cmd {
	n := s.runs.running()
	if n.settings.p == s.settings.p && n.settings.ends == bothEnds {
		return screen.Warn("The test already runs with these settings. Edit one first.")
	}
	p := s.settings.params(s.devices, s.usual())
	if err := n.test.Change(p); err != nil {
		return screen.Warn(err.Error())
	}
	n.settings = s.settings
	return nil
}

func (s *Screen) onNumber() bool {
	_, ok := s.settings.scale(s.form.Name(), true)
	return ok && s.Focus == paneForm && s.form.Clears() // it has a value
}

func (s *Screen) double() tea.Cmd { return s.scale(true) }
func (s *Screen) halve() tea.Cmd  { return s.scale(false) }

// scale doubles or halves the number under the form's cursor, of a running test at once.
func (s *Screen) scale(twice bool) tea.Cmd {
	name := s.form.Name()
	value, _ := s.settings.scale(name, twice)
	if !s.onNumber() {
		return screen.Warn("move to a number of the form first")
	}
	err := s.settings.set(name, value)
	s.refill()
	if err != nil {
		return screen.Warn(err.Error())
	}
	if n := s.runs.running(); n != nil && n.settings.ends == bothEnds {
		return s.apply()
	}
	return nil
}

func (s *Screen) stop() tea.Cmd {
	if n := s.runs.running(); n != nil {
		n.test.Stop()
	}
	return nil
}

// compare lays the run shown over others, or no longer.
func (s *Screen) compare(n *run) tea.Cmd {
	if s.runs.compared == n {
		s.runs.compared = nil
		return screen.Flash("no longer compared")
	}
	s.runs.compared = n
	return screen.Flash("compared with the run you select: " + line.Escape(n.name))
}

// maxName bounds the name of a run.
const maxName = 40

// name asks for the name of the run shown.
func (s *Screen) name(n *run) tea.Cmd {
	return s.Entry.Ask(&screen.Question{Label: "name", Done: func(text string) tea.Cmd {
		if text = strings.TrimSpace(text); text != "" {
			n.name = string([]rune(text)[:min(len([]rune(text)), maxName)])
		}
		return nil
	}}, n.name)
}

func (s *Screen) remove(n *run) tea.Cmd {
	if !n.view.State.Over() {
		return screen.Warn("This test is running. esc stops it.")
	}
	return screen.Ask("discard?", fmt.Sprintf("Discard the run %q?", line.Escape(n.name)), func() tea.Cmd {
		for i, o := range s.runs.list {
			if o == n && n.view.State.Over() {
				s.runs.remove(i)
				break
			}
		}
		return nil
	})
}

// ownLines returns the command lines of the ends in this program, without a screen.
func (s *Screen) ownLines(set *settings) []string {
	p := set.params(s.devices, s.usual())
	program := "rdmatui bench " + p.Test.String()
	if set.ends == bothEnds {
		return []string{commandLine(program, &p, ""), commandLine(program, &p, cmp.Or(p.Host, "127.0.0.1"))}
	}
	return []string{commandLine(program, &p, p.Host)}
}

// peerLine returns the command line for the peer, "" if both ends are here.
func (s *Screen) peerLine(set *settings) string {
	p := set.params(s.devices, s.usual())
	switch set.ends {
	case asClient:
		p.Device = "DEVICE"
		return commandLine(p.Test.Stock(), &p, "")
	case asServer:
		address := "ADDRESS"
		for _, d := range s.devices {
			if d.name == p.Device && d.address != "" {
				address = d.address
			}
		}
		p.Device = "DEVICE"
		return commandLine(p.Test.Stock(), &p, address)
	}
	return ""
}

// commandLine joins a program with the flags of a test.
func commandLine(program string, p *bench.Params, host string) string {
	words := []string{program}
	if p.Device != "" {
		words = append(words, "-d "+p.Device)
	}
	for _, w := range []string{p.Flags(), host} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// texts lists what can be copied from a pane.
func (s *Screen) texts(at screen.Pane) []screen.CopyText {
	if at == paneForm {
		return screen.CopyTexts(screen.CopyText{Name: "without a screen",
			Text: strings.Join(s.ownLines(&s.settings), "\n")},
			screen.CopyText{Name: "at the peer", Text: s.peerLine(&s.settings)})
	}
	n := s.shown()
	if n == nil || len(n.view.Results) == 0 {
		return nil
	}
	return screen.CopyTexts(screen.CopyText{Name: "perftest's report", Text: n.report()})
}

// report returns what perftest would print.
func (n *run) report() string {
	text := n.view.Info.Text()
	for i := range n.view.Results {
		text += n.view.Results[i].Row(&n.view.Info.Params) + "\n"
	}
	return text + bench.Rule + "\n"
}
