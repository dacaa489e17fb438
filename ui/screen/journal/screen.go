// Package journal is the screen of the whole time line as text: what was done,
// what came of it, and what happened besides.
package journal

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/recent"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/table"
)

// Screen is the Journal screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme

	ring    *recent.Ring
	entries *entries
	table   *table.Table
	detail  *detail
	session *session.Snapshot // as it was in the last frame
	choice  int               // of kinds

	filter   *input.Filter
	onDetail bool
	zoom     bool

	w, h                int
	tableBox, detailBox *frame.Box
	block               widget.Block
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen and begins to keep what it shows.
func New(env *screen.Env) *Screen {
	th := env.Theme
	s := &Screen{env: env, th: th, ring: newRing(env.Session.Timeline()), session: &session.Snapshot{}, filter: input.NewFilter(th), detail: newDetail(th)}
	s.entries = &entries{th: th, buf: line.New(&theme.Theme{})}
	s.table = table.New(th, s.entries, columns...)
	s.table.Tail, s.table.Keeps = true, true
	s.tableBox = frame.New(th, "journal", s.table)
	s.detailBox = frame.New(th, "entry", s.detail)
	s.retitle()
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.filter.Open {
		return keymap.FilterOpen
	}
	return keymap.JournalScreen
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.filter.Open }

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
	var notes []string
	if name := choices[s.choice].name; name != "" {
		notes = append(notes, name)
	}
	if s.entries.failedOnly {
		notes = append(notes, "failed only")
	}
	if s.entries.text != "" {
		notes = append(notes, "/"+line.Escape(s.entries.text))
	}
	if !s.table.Following() {
		notes = append(notes, "end follows")
	}
	notes = append(notes, fmt.Sprintf("%s events", eventline.AppendCount(nil, s.entries.total)))
	s.tableBox.Note = strings.Join(notes, ", ")
	s.table.Empty = "Nothing has happened yet. Press : and type a command."
	if s.entries.total > 0 {
		s.table.Empty = "Nothing passes the filter; esc ends it."
	}
}

// wide is where the entry stands beside the list, high where below it.
const (
	wide = 130
	high = 12
)

// SetSize implements widget.Block.
func (s *Screen) SetSize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

func (s *Screen) arrange() {
	s.table.Focused = !s.onDetail && !s.filter.Open
	s.tableBox.Focused, s.detailBox.Focused = !s.onDetail, s.onDetail
	switch {
	case s.zoom || s.h < high:
		s.block = s.tableBox
		if s.onDetail {
			s.block = s.detailBox
		}
	case s.w >= wide:
		s.block = layout.NewRow(layout.Flex(3, 60, s.tableBox), layout.Flex(2, 50, s.detailBox))
	default:
		s.block = layout.NewCol(layout.Flex(1, 6, s.tableBox), layout.Flex(1, 6, s.detailBox))
	}
	if s.filter.Open {
		entry := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { s.filter.Draw(b) }}
		s.block = layout.NewCol(layout.Flex(1, 3, s.block), layout.Fixed(1, entry))
	}
	s.block.SetSize(s.w, s.h)
}

// DrawLine implements widget.Block.
func (s *Screen) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		s.arrange()
	}
	s.block.DrawLine(b, y)
}

// Mouse implements widget.Mouser.
func (s *Screen) Mouse(m widget.Mouse) bool {
	t, ok := s.block.(widget.Mouser)
	if !ok || s.filter.Open || !t.Mouse(m) {
		return false
	}
	s.follow()
	return true
}

// line is the command under the cursor, "" if there is none.
func (s *Screen) line() string {
	if e := s.entries.at(s.table.Cursor()); e != nil && e.Kind == timeline.KindCommand && e.Command != nil {
		return e.Command.Line
	}
	return ""
}
