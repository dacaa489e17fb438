// Package journal is the screen of the whole time line as text: what was done,
// what came of it, and what happened besides.
package journal

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// Screen is the Journal screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme

	ring    *timeline.Recent
	entries *entries
	table   *widget.Table
	detail  *detail
	session *session.Snapshot // as it was in the last frame
	choice  int               // of kinds

	screen.Panes
}

// The panes.
const (
	paneTable screen.Pane = iota
	paneDetail
	panes
)

var _ screen.Screen = (*Screen)(nil)

// New makes the screen and begins to keep what it shows.
func New(env *screen.Env) *Screen {
	th := env.Theme
	s := &Screen{
		env: env, th: th, ring: newRing(env.Session.Timeline()), session: &session.Snapshot{}, detail: newDetail(th),
	}
	s.entries = &entries{th: th, buf: line.New(&theme.Theme{})}
	s.table = widget.NewTable(th, s.entries, columns...)
	s.table.Tail, s.table.Keeps = true, true
	s.Panes = screen.Panes{Count: int(panes), Entry: screen.NewEntry(th), Lay: s.lay, Used: s.follow, Texts: s.texts,
		Boxes: []*widget.Box{paneTable: widget.NewBox(th, "journal", s.table),
			paneDetail: widget.NewBox(th, "entry", s.detail)}}
	s.retitle()
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.Entry.Open() {
		return s.Entry.Context()
	}
	return screen.ContextNow(s, keymap.JournalScreen, actions)
}

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd { return nil }

// Refresh implements screen.Screen.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	s.session = &st.Session
	changed, dropped := s.entries.take(s.ring)
	if !changed {
		return false, nil
	}
	if dropped > 0 && !s.table.Following() {
		s.table.Shift(dropped)
	}
	s.follow()
	return true, nil
}

// follow shows the entry under the cursor in detail.
func (s *Screen) follow() {
	s.detail.show(s.entries.at(s.table.Cursor()))
	s.retitle()
}

// refilter shows what passes now, at its newest.
func (s *Screen) refilter() {
	s.entries.filter()
	s.table.SetCursor(s.entries.Len() - 1)
	s.follow()
}

func (s *Screen) retitle() {
	var notes screen.Notes
	name := choices[s.choice].name
	notes.Add(name != "", "%s", name)
	notes.Add(s.entries.failedOnly, "failed only")
	notes.Add(s.entries.text != "", "/%s", line.Escape(s.entries.text))
	notes.Add(!s.table.Following(), "end follows")
	notes.Add(true, "%s", format.Counted(s.entries.total, "event"))
	s.Boxes[paneTable].Note = notes.String()
	s.table.Empty = "No entries yet. Press : and type a command."
	if s.entries.total > 0 {
		s.table.Empty = "No entry matches the filter. esC clears it."
	}
}

// wide is where the entry stands beside the list, high where below it.
const (
	wide = 130
	high = 12
)

// lay puts the entry beside or below the list.
func (s *Screen) lay() widget.Block {
	s.table.Focused = s.Has(paneTable)
	list, entry := s.Boxes[paneTable], s.Boxes[paneDetail]
	switch {
	case s.Zoom || s.H < high:
		return s.Box()
	case s.W >= wide:
		return widget.NewRow(widget.Flex(3, 60, list), widget.Flex(2, 50, entry))
	}
	return widget.NewCol(widget.Flex(1, 6, list), widget.Flex(1, 6, entry))
}

// line is the command under the cursor, "" if there is none.
func (s *Screen) line() string {
	if e := s.entries.at(s.table.Cursor()); e != nil && e.Kind == timeline.KindCommand && e.Command != nil {
		return e.Command.Line
	}
	return ""
}
