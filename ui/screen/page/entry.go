package page

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
)

// Question is what is asked for in the line below the panes.
type Question struct {
	Label, Placeholder string
	// Each is told the text with every key, and "" where the line is left with esc;
	// nil: the text counts only when it is accepted.
	Each func(text string)
	// Done is told the text that was accepted; nil: Each did all.
	Done func(text string) tea.Cmd
}

// Filter asks for what rows must contain; set narrows them with every key, and
// does nothing where the text is the same.
func Filter(set func(text string)) *Question { return &Question{Label: "filter", Each: set} }

// Entry is the line below the panes in which one types or chooses.
type Entry struct {
	th *theme.Theme
	q  *Question // nil: nothing is typed
	in *input.Input

	pick    *pick // nil: nothing is chosen
	clicked int   // the choice that was clicked on, from 1; 0: none
}

// NewEntry makes a closed line.
func NewEntry(th *theme.Theme) Entry { return Entry{th: th, in: input.New(th)} }

// Ask opens the line with the text that it begins with.
func (e *Entry) Ask(q *Question, text string) tea.Cmd {
	e.q, e.in.Placeholder = q, q.Placeholder
	e.in.SetValue(text)
	return nil
}

// Open reports whether something is being typed or chosen.
func (e *Entry) Open() bool { return e.q != nil || e.pick != nil }

// Context is what can be pressed while the line is open.
func (e *Entry) Context() keymap.Context {
	switch {
	case e.pick != nil:
		return keymap.PickOpen
	case e.q.Each != nil:
		return keymap.FilterOpen
	}
	return keymap.FieldOpen
}

// take takes a key or a paste. The line is closed by the keys that accept and cancel.
func (e *Entry) take(msg tea.Msg) tea.Cmd {
	q, text := e.q, ""
	k, _ := msg.(tea.KeyPressMsg)
	if e.pick != nil {
		return e.takePick(k)
	}
	switch {
	case keymap.Matches(k, keymap.Entry.Cancel):
		e.q = nil
	case keymap.Matches(k, keymap.Entry.Accept):
		e.q, text = nil, e.in.Value()
		if q.Done != nil {
			return q.Done(text)
		}
	default:
		e.in.Update(msg)
		text = e.in.Value()
	}
	if q.Each != nil {
		q.Each(text)
	}
	return nil
}

// SetSize implements widget.Block.
func (e *Entry) SetSize(int, int) {}

// DrawLine implements widget.Block.
func (e *Entry) DrawLine(b *line.Buf, _ int) {
	switch {
	case e.pick != nil:
		e.pick.draw(b, e.th)
	case e.q != nil:
		b.Text(" "+e.q.Label+": ", e.th.Label)
		e.in.Draw(b, b.Room())
	}
}

// Notes are what a frame says of what it shows, the most important first.
type Notes []string

// Add adds a note if it is on.
func (n *Notes) Add(on bool, format string, args ...any) {
	if on {
		*n = append(*n, fmt.Sprintf(format, args...))
	}
}

// String is all notes in one line.
func (n Notes) String() string { return strings.Join(n, ", ") }

// Flash is the work of showing a line at the bottom for a while.
func Flash(text string) tea.Cmd { return screen.Send(screen.FlashMsg{Text: text}) }

// Warn is Flash of what keeps a key from doing its work.
func Warn(text string) tea.Cmd {
	return screen.Send(screen.FlashMsg{Level: timeline.LevelWarn, Text: text})
}

// Ask is the work of asking before something is done that nothing undoes.
func Ask(title, text string, yes func() tea.Cmd) tea.Cmd {
	return screen.Send(screen.AskMsg{Title: title, Text: text, Yes: yes})
}

// Edit is the work of opening the console with a line to edit.
func Edit(text string) tea.Cmd { return screen.Send(screen.EditMsg{Line: text}) }
