package screen

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// Question is a question asked in the line below the panes.
type Question struct {
	Label, Placeholder string
	// Each receives the text after every key, and "" if the line is left with esc; nil:
	// only the accepted text counts.
	Each func(text string)
	// Done receives the accepted text; nil: Each did everything.
	Done func(text string) tea.Cmd
	// Complete lists how the text may go on; nil: unknown.
	Complete widget.Completer
}

// Filter asks for a text that rows must contain; set applies it after every key, and
// does nothing if the text is unchanged.
func Filter(set func(text string)) *Question { return &Question{Label: "filter", Each: set} }

// Entry is the line below the panes for typing or choosing.
type Entry struct {
	th *theme.Theme
	q  *Question // nil: nothing is being typed
	in *widget.Input

	cycle widget.Cycle // of what Complete lists

	pick    *pick // nil: nothing is being chosen
	clicked int   // the choice clicked on, from 1; 0: none
}

// NewEntry makes a closed line.
func NewEntry(th *theme.Theme) Entry { return Entry{th: th, in: widget.NewInput(th)} }

// Ask opens the line with an initial text, which the first key typed replaces.
func (e *Entry) Ask(q *Question, text string) tea.Cmd {
	e.q, e.in.Placeholder = q, q.Placeholder
	e.in.Offer(text)
	e.list()
	return nil
}

// list lists how the text may go on.
func (e *Entry) list() {
	e.cycle.Set(nil)
	if e.q.Complete != nil {
		e.cycle.Set(e.q.Complete(e.in.Value(), e.in.Cursor()))
	}
}

// Open reports whether the user is typing or choosing.
func (e *Entry) Open() bool { return e.q != nil || e.pick != nil }

// Asks returns the label of the question that is being answered, "" if there is none.
func (e *Entry) Asks() string {
	if e.q == nil {
		return ""
	}
	return e.q.Label
}

// Context returns the keys that work while the line is open.
func (e *Entry) Context() keymap.Context {
	switch {
	case e.pick != nil:
		return keymap.PickOpen
	case e.q.Each != nil:
		return keymap.FilterOpen
	}
	return keymap.FieldOpen
}

// take handles a key or a paste. Accepting and cancelling close the line.
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
	case keymap.Matches(k, keymap.Entry.Complete):
		e.cycle.Step(e.in, 1)
		text = e.in.Value()
	case keymap.Matches(k, keymap.Entry.CompletePrev):
		e.cycle.Step(e.in, -1)
		text = e.in.Value()
	default:
		e.in.Update(msg)
		e.list()
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
		if len(e.cycle.List) == 0 {
			e.in.Draw(b, b.Room())
			return
		}
		e.in.Draw(b, min(line.Width(e.in.Value())+2, b.Room()))
		e.drawList(b)
	}
}

// maxListed is how many ways to go on are shown at once.
const maxListed = 8

// drawList shows how the text may go on, and what the taken one means.
func (e *Entry) drawList(b *line.Buf) {
	from := e.cycle.Window(maxListed)
	for i, c := range e.cycle.List[from:min(from+maxListed, len(e.cycle.List))] {
		st := e.th.Dim
		if from+i == e.cycle.At {
			st = e.th.Value
		}
		b.Space(2)
		b.Text(c.Text, st)
	}
	if e.cycle.At >= 0 || len(e.cycle.List) == 1 {
		b.Space(2)
		b.Text(e.cycle.List[max(e.cycle.At, 0)].Help, e.th.Label)
	}
}

// Notes are the texts that a frame shows about its content, most important first.
type Notes []string

// Add adds a note if on is true.
func (n *Notes) Add(on bool, format string, args ...any) {
	if on {
		*n = append(*n, fmt.Sprintf(format, args...))
	}
}

// String joins all notes in one line.
func (n Notes) String() string { return strings.Join(n, ", ") }

// Flash returns the work of showing a message on the bottom line for a while.
func Flash(text string) tea.Cmd { return Send(FlashMsg{Text: text}) }

// Warn is Flash for the reason why a key does nothing.
func Warn(text string) tea.Cmd {
	return Send(FlashMsg{Level: timeline.LevelWarn, Text: text})
}

// Ask returns the work of asking before an action that cannot be undone.
func Ask(title, text string, yes func() tea.Cmd) tea.Cmd {
	return Send(AskMsg{Title: title, Text: text, Yes: yes})
}

// Edit returns the work of opening the console with a line to edit.
func Edit(text string) tea.Cmd { return Send(EditMsg{Line: text}) }
