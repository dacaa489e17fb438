package widget

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// search is a pager with a line at the bottom for the search text.
type search struct {
	th     *theme.Theme
	pager  *Pager
	in     *Input
	typing bool
	h      int
}

func newSearch(th *theme.Theme, placeholder string) search {
	s := search{th: th, pager: NewPager(th), in: NewInput(th)}
	s.in.Placeholder = placeholder
	return s
}

// Typing reports whether the user types the search text, which then receives every key.
func (s *search) Typing() bool { return s.typing }

// foot returns the height of the line, 0 if there is no search.
func (s *search) foot() int {
	if s.typing || s.in.Value() != "" {
		return 1
	}
	return 0
}

// take handles a key or a paste. It reports whether the search text may have changed.
func (s *search) take(msg tea.Msg) (taken, changed bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	switch {
	case !s.typing && isKey && keymap.Matches(k, keymap.Verb.Filter):
		s.typing = true
		return true, false
	case !s.typing:
		return false, false
	case isKey && keymap.Matches(k, keymap.Entry.Accept):
		s.typing = false
		return true, false
	case isKey && keymap.Matches(k, keymap.Entry.Cancel):
		s.typing = false
		s.in.SetValue("")
	default:
		s.in.Update(msg)
	}
	return true, true
}

// SetSize implements widget.Block.
func (s *search) SetSize(w, h int) {
	s.h = h
	s.pager.SetSize(w, max(h-s.foot(), 0))
}

// Len returns the number of rows.
func (s *search) Len() int { return s.pager.Len() + s.foot() }

// DrawLine implements widget.Block.
func (s *search) DrawLine(b *line.Buf, y int) {
	if s.foot() > 0 && y == s.h-1 {
		s.draw(b)
		return
	}
	s.pager.DrawLine(b, y)
}

// Mouse implements widget.Mouser.
func (s *search) Mouse(m Mouse) bool { return s.pager.Mouse(m) }

func (s *search) draw(b *line.Buf) {
	b.Text(" /", s.th.Key)
	b.Space(1)
	s.in.Focused = s.typing
	s.in.Draw(b, b.Room())
}

// TextPage is a text shown over a screen; / searches it.
type TextPage struct{ search }

// NewTextPage makes a text in one style.
func NewTextPage(th *theme.Theme, text string, st theme.Style) *TextPage {
	t := &TextPage{newSearch(th, "part of a line")}
	t.pager.SetText(text, st)
	return t
}

// Update takes the keys that scroll, and those of the search.
func (t *TextPage) Update(msg tea.Msg) bool {
	taken, changed := t.take(msg)
	if changed {
		t.pager.Find(t.in.Value())
	}
	return taken || t.pager.Update(msg)
}
