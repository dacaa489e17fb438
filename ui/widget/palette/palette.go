// Package palette is the command line: one line of input with completions above
// it and the last error.
package palette

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/ring"
)

// Event is what came of a message.
type Event uint8

// Events.
const (
	None   Event = iota
	Accept       // enter: Value is the line to run
	Closed       // esc
)

const (
	shown      = 8   // candidates at most
	maxHistory = 500 // lines kept
)

// Palette is a block of Height lines for the bottom of the screen.
type Palette struct {
	Prompt   string
	Complete input.Completer

	th      *theme.Theme
	in      *input.Input
	cycle   input.Cycle
	history []string
	at      int    // place in history; len(history): the line being written
	draft   string // that line, while an earlier one is shown
	err     string
	open    bool
	h       int
}

// New makes a closed palette.
func New(th *theme.Theme, complete input.Completer) *Palette {
	in := input.New(th)
	in.Placeholder = "command"
	return &Palette{Prompt: ":", Complete: complete, th: th, in: in}
}

// Open shows the palette with a text to go on from.
func (p *Palette) Open(text string) {
	p.open, p.err, p.draft, p.at = true, "", "", len(p.history)
	p.in.SetValue(text)
	p.refresh()
}

// Close hides it.
func (p *Palette) Close() { p.open = false }

// IsOpen reports whether it has the keyboard.
func (p *Palette) IsOpen() bool { return p.open }

// Value returns the line.
func (p *Palette) Value() string { return p.in.Value() }

// SetError shows why the line was not run; the next edit clears it.
func (p *Palette) SetError(s string) { p.err = s }

// SetHistory replaces the earlier lines, oldest first.
func (p *Palette) SetHistory(lines []string) {
	p.history = append([]string(nil), lines...)
	p.at = len(p.history)
}

// Height is how many lines it wants: candidates, the input, the error.
func (p *Palette) Height() int {
	if !p.open {
		return 0
	}
	return min(len(p.cycle.List), shown) + 1 + p.errLines()
}

func (p *Palette) errLines() int {
	if p.err == "" {
		return 0
	}
	return 1
}

func (p *Palette) refresh() {
	p.cycle.Set(nil)
	if p.Complete != nil {
		p.cycle.Set(p.Complete(p.in.Value(), p.in.Cursor()))
	}
}

// Update takes keys and pastes while open. After Accept the caller runs Value,
// then calls Close or SetError.
func (p *Palette) Update(msg tea.Msg) Event {
	k, isKey := msg.(tea.KeyPressMsg)
	m := &keymap.Palette
	switch {
	case !p.open:
	case isKey && keymap.Matches(k, m.Accept):
		p.remember(p.in.Value())
		return Accept
	case isKey && keymap.Matches(k, m.Close):
		p.Close()
		return Closed
	case isKey && keymap.Matches(k, m.Complete):
		p.step(1)
	case isKey && keymap.Matches(k, m.CompletePrev):
		p.step(-1)
	case isKey && keymap.Matches(k, m.HistoryUp):
		p.recall(-1)
	case isKey && keymap.Matches(k, m.HistoryDown):
		p.recall(1)
	case p.in.Update(msg):
		p.err = ""
		p.refresh()
	}
	return None
}

// step takes a candidate; the only one there is counts as taken, and what can
// follow it is listed.
func (p *Palette) step(dir int) {
	p.err = ""
	if p.cycle.Step(p.in, dir) && len(p.cycle.List) == 1 {
		p.refresh()
	}
}

func (p *Palette) recall(dir int) {
	to := p.at + dir
	if to < 0 || to > len(p.history) {
		return
	}
	if p.at == len(p.history) {
		p.draft = p.in.Value()
	}
	p.at, p.err = to, ""
	if to == len(p.history) {
		p.in.SetValue(p.draft)
	} else {
		p.in.SetValue(p.history[to])
	}
	p.refresh()
}

func (p *Palette) remember(s string) {
	if n := len(p.history); s != "" && (n == 0 || p.history[n-1] != s) {
		p.history = ring.Newest(append(p.history, s), maxHistory)
	}
	p.at = len(p.history)
}

// SetSize implements widget.Block.
func (p *Palette) SetSize(_, h int) { p.h = h }

// DrawLine implements widget.Block. When there are fewer lines than Height the
// candidates give way.
func (p *Palette) DrawLine(b *line.Buf, y int) {
	rows := max(p.h-1-p.errLines(), 0)
	switch {
	case y < rows:
		p.candidate(b, p.cycle.Window(rows)+y)
	case y == rows:
		b.Text(p.Prompt, p.th.Key)
		p.in.Draw(b, b.Room())
	default:
		b.Text(p.err, p.th.Err)
	}
}

func (p *Palette) candidate(b *line.Buf, i int) {
	if i >= len(p.cycle.List) {
		return
	}
	c := p.cycle.List[i]
	if i == p.cycle.At {
		defer b.Over(b.Over(p.th.Selection))
		defer func() { b.Space(b.Room()) }()
	}
	b.Space(len(p.Prompt))
	w := max(b.Room()/3, min(24, b.Room()))
	b.Cell(c.Text, w, line.Left, p.th.Value)
	b.Space(1)
	b.Cell(c.Help, b.Room(), line.Left, p.th.Dim)
}
