package help

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/form"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// search is the line at the bottom for the search text.
type search struct {
	th     *theme.Theme
	in     *form.Input
	typing bool
}

func newSearch(th *theme.Theme, placeholder string) search {
	s := search{th: th, in: form.NewInput(th)}
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

func (s *search) draw(b *line.Buf) {
	b.Text(" /", s.th.Key)
	b.Space(1)
	s.in.Focused = s.typing
	s.in.Draw(b, b.Room())
}

// Text is a text shown over a screen; / searches it.
type Text struct {
	search
	pager *pager.Pager
	h     int
}

// NewText makes a text in one style.
func NewText(th *theme.Theme, text string, st theme.Style) *Text {
	t := &Text{search: newSearch(th, "part of a line"), pager: pager.New(th)}
	t.pager.SetText(text, st)
	return t
}

// SetSize implements widget.Block.
func (t *Text) SetSize(w, h int) {
	t.h = h
	t.pager.SetSize(w, max(h-t.foot(), 0))
}

// Len returns the number of rows.
func (t *Text) Len() int { return t.pager.Len() + t.foot() }

// DrawLine implements widget.Block.
func (t *Text) DrawLine(b *line.Buf, y int) {
	if t.foot() > 0 && y == t.h-1 {
		t.draw(b)
		return
	}
	t.pager.DrawLine(b, y)
}

// Update takes the keys that scroll, and those of the search.
func (t *Text) Update(msg tea.Msg) bool {
	taken, changed := t.take(msg)
	if changed {
		t.pager.Find(t.in.Value())
	}
	return taken || t.pager.Update(msg)
}

// Mouse implements widget.Mouser.
func (t *Text) Mouse(m widget.Mouse) bool { return t.pager.Mouse(m) }
