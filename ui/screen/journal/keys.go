package journal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// actions are the screen's keys with what they do.
var actions = []screen.Action[*Screen]{
	screen.On(&keymap.Journal.Again, func(s *Screen) tea.Cmd { return s.withLine(s.env.Exec) }).When(isCommand),
	screen.On(&keymap.Journal.Copy, func(s *Screen) tea.Cmd { return s.withLine(screen.Edit) }).When(isCommand),
	screen.On(&keymap.Journal.Kind, (*Screen).nextKind),
	screen.On(&keymap.Journal.Failed, (*Screen).toggleFailed),
	screen.On(&keymap.Journal.Save, (*Screen).write),
	screen.On(&keymap.Explain, (*Screen).explain),
	screen.On(&keymap.List.Filter, (*Screen).ask),
	screen.On(&keymap.List.Back, (*Screen).back),
}

func isCommand(s *Screen) bool { return s.line() != "" }

// write asks for the format, then for the file name.
func (s *Screen) write() tea.Cmd {
	return s.Entry.Pick("write", []screen.Choice{
		{Name: "script", Do: func() tea.Cmd { return screen.Edit("export script session.rdma") }},
		{Name: "C program", Do: func() tea.Cmd { return screen.Edit("export c session.c") }},
		{Name: "lines as typed", Do: func() tea.Cmd { return screen.Edit("save session.rdma") }},
	})
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	cmd, taken := s.Input(msg)
	if k, ok := msg.(tea.KeyPressMsg); ok && !taken {
		return s.key(k)
	}
	return cmd
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	cmd, taken := screen.Do(s, k, actions)
	switch {
	case taken:
		return cmd
	case s.Focus == paneDetail:
		s.detail.pager.Update(k)
	case s.table.Update(k):
		s.follow()
	}
	return nil
}

func (s *Screen) setText(text string) {
	if text = strings.ToLower(text); text != s.entries.text {
		s.entries.text = text
		s.refilter()
	}
}

func (s *Screen) ask() tea.Cmd { return s.Entry.Ask(screen.Filter(s.setText), s.entries.text) }

// withLine applies a function to the command under the cursor.
func (s *Screen) withLine(do func(string) tea.Cmd) tea.Cmd {
	if text := s.line(); text != "" {
		return do(text)
	}
	return screen.Flash("this entry is not a command")
}

// explain explains the entry under the cursor.
func (s *Screen) explain() tea.Cmd {
	e := s.entries.at(s.table.Cursor())
	if e == nil {
		return screen.Explain()
	}
	return screen.Explain(explained.Event(e, "", s.session)...)
}

func (s *Screen) nextKind() tea.Cmd {
	s.choice = (s.choice + 1) % len(choices)
	s.entries.kinds = choices[s.choice].kinds
	s.refilter()
	return nil
}

func (s *Screen) toggleFailed() tea.Cmd {
	s.entries.failedOnly = !s.entries.failedOnly
	s.refilter()
	return nil
}

// back removes the filters of the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.Back():
	case s.entries.text != "":
		s.setText("")
	case s.entries.failedOnly:
		return s.toggleFailed()
	case s.choice != 0:
		s.choice = len(choices) - 1
		return s.nextKind()
	}
	return nil
}
