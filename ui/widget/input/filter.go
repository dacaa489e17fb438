package input

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Filter is the line below a list in which one types what its rows must contain.
// The list narrows with each key.
type Filter struct {
	Open bool // keys go here

	in *Input
}

// NewFilter makes a closed one.
func NewFilter(th *theme.Theme) *Filter { return &Filter{in: New(th)} }

// Ask opens the line with the text that holds now.
func (f *Filter) Ask(text string) {
	f.Open = true
	f.in.SetValue(text)
}

// Take takes a key or a paste and returns the text that holds from now on, in
// lower case. The line is closed by the keys that accept and cancel.
func (f *Filter) Take(msg tea.Msg) string {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case keymap.Matches(k, keymap.Entry.Accept):
			f.Open = false
			return f.text()
		case keymap.Matches(k, keymap.Entry.Cancel):
			f.Open = false
			return ""
		}
	}
	f.in.Update(msg)
	return f.text()
}

func (f *Filter) text() string { return strings.ToLower(f.in.Value()) }

// Draw draws the line.
func (f *Filter) Draw(b *line.Buf) {
	b.Text(" filter: ", f.in.th.Label)
	f.in.Draw(b, b.Room())
}
