package journal

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// actions is what the screen's keys do.
var actions = []struct {
	key *key.Binding
	do  func(*Screen) tea.Cmd
}{
	{&keymap.Journal.Again, func(s *Screen) tea.Cmd { return s.withLine(s.env.Exec) }},
	{&keymap.Journal.Copy, func(s *Screen) tea.Cmd { return s.withLine(edit) }},
	{&keymap.Journal.Kind, (*Screen).nextKind},
	{&keymap.Journal.Failed, (*Screen).toggleFailed},
	{&keymap.Journal.Save, func(*Screen) tea.Cmd { return edit("save session.rdma") }},
	{&keymap.Journal.Export, func(*Screen) tea.Cmd { return edit("export c session.c") }},
	{&keymap.Journal.Script, func(*Screen) tea.Cmd { return edit("export script session.rdma") }},
	{&keymap.Explain, (*Screen).explain},
	{&keymap.List.Filter, (*Screen).ask},
	{&keymap.List.Back, (*Screen).back},
	{&keymap.Pane.Next, (*Screen).otherPane},
	{&keymap.Pane.Prev, (*Screen).otherPane},
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
	}
	return nil
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	for _, a := range actions {
		if keymap.Matches(k, *a.key) {
			return a.do(s)
		}
	}
	if s.onDetail {
		s.detail.pager.Update(k)
	} else if s.table.Update(k) {
		s.follow()
	}
	return nil
}

func (s *Screen) setText(text string) {
	if text != s.entries.text {
		s.entries.text = text
		s.refilter()
	}
}

func (s *Screen) ask() tea.Cmd {
	s.filter.Ask(s.entries.text)
	return nil
}

// withLine does something with the command under the cursor.
func (s *Screen) withLine(do func(string) tea.Cmd) tea.Cmd {
	if text := s.line(); text != "" {
		return do(text)
	}
	return screen.Send(screen.FlashMsg{Text: "this entry is no command"})
}

// explain asks for all that is known of the entry under the cursor.
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

func (s *Screen) otherPane() tea.Cmd {
	s.onDetail = !s.onDetail
	return nil
}

// back ends what narrows the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.zoom:
		s.zoom = false
	case s.onDetail:
		s.onDetail = false
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
