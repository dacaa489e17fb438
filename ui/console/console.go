// Package console is the block at the bottom of the screen in which the user types
// commands: the transcript of earlier commands with their full results, and the input
// line below it. Commands run by a key are in the transcript too.
package console

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// Event is what a message caused.
type Event uint8

// Events.
const (
	None   Event = iota
	Accept       // enter: Value is the line to run
	Closed       // esc
	Copy         // LastResult goes to the clipboard
)

// minRows is the height of the console if there is room: a title, some rows of the
// transcript, the line and its candidates.
const minRows = 8

// Console is a block for the bottom of the screen.
type Console struct {
	th    *theme.Theme
	ring  *timeline.Recent
	taken uint64 // number of the newest event in the transcript
	buf   []timeline.Event

	prompt *prompt
	lines  transcript
	top    int  // the first row shown, while follow is off
	follow bool // show the newest
	busy   string

	open, once, large bool
	w, h              int
}

// New makes a closed console that shows the commands in a log.
func New(th *theme.Theme, log *timeline.Log, complete widget.Completer) *Console {
	return &Console{
		th: th, prompt: newPrompt(th, complete), lines: transcript{th: th}, follow: true,
		ring: timeline.NewRecent(log, maxEntries, func(e *timeline.Event) bool {
			return e.Kind == timeline.KindCommand
		}),
	}
}

// Open shows the console with a text to continue.
func (c *Console) Open(text string) {
	c.open, c.once, c.follow = true, false, true
	c.prompt.set(text)
	c.Refresh()
}

// OpenOnce is Open for a single line that a screen has started: the console closes
// once the line has run.
func (c *Console) OpenOnce(text string) {
	c.Open(text)
	c.once = true
}

// Once reports whether the console is open for a single line.
func (c *Console) Once() bool { return c.once }

// Close hides the console.
func (c *Console) Close() { c.open = false }

// IsOpen reports whether the console has the keyboard.
func (c *Console) IsOpen() bool { return c.open }

// Value returns the text of the input line.
func (c *Console) Value() string { return c.prompt.in.Value() }

// SetValue replaces the text of the input line.
func (c *Console) SetValue(text string) { c.prompt.set(text) }

// Fail shows why the line was not run and puts the cursor at the error; meant is the
// suggested correction, nil for none.
func (c *Console) Fail(text string, at int, meant *widget.Candidate) { c.prompt.fail(text, at, meant) }

// SetHistory replaces the history, oldest line first.
func (c *Console) SetHistory(lines []string) { c.prompt.setHistory(lines) }

// Remember adds a line to the history.
func (c *Console) Remember(text string) { c.prompt.remember(text) }

// History returns the history, oldest line first.
func (c *Console) History() []string { return c.prompt.history }

// LastResult returns the newest result.
func (c *Console) LastResult() string { return c.lines.last() }

// Text returns the transcript as plain text.
func (c *Console) Text() string {
	c.Refresh()
	return c.lines.text()
}

// SetBusy shows the command under way, "" for none.
func (c *Console) SetBusy(text string) { c.busy = text }

// Tell adds a line and its answer that are not in the session's log.
func (c *Console) Tell(command, answer string) { c.tell(command, answer, kindResult) }

// Warn is Tell for an error.
func (c *Console) Warn(command, answer string) { c.tell(command, answer, kindError) }

func (c *Console) tell(command, answer string, k kind) {
	c.Refresh() // earlier commands stand above it
	e := entry{}
	e.add(kindCommand, command)
	e.add(k, answer)
	c.append(e)
}

func (c *Console) append(e entry) {
	c.follow = c.follow || c.top >= c.end() // a reader at the end follows new rows
	if dropped := c.lines.append(e); !c.follow {
		c.top = max(c.top-dropped, 0)
	}
}

// Refresh adds the commands carried out since the last call, and reports whether
// there were any. A closed console leaves them in the log.
func (c *Console) Refresh() bool {
	if !c.open || c.ring.Newest() <= c.taken {
		return false
	}
	c.buf = c.ring.Since(c.taken, 0, c.buf[:0])
	for i := range c.buf {
		c.append(ofCommand(c.buf[i].Command))
		c.taken = c.buf[i].Seq
	}
	clear(c.buf)
	return len(c.buf) > 0
}

// Update takes keys and single-line pastes while the console is open. After Accept
// the caller runs Value and sets another, or calls Fail or Close.
func (c *Console) Update(msg tea.Msg) Event {
	k, _ := msg.(tea.KeyPressMsg)
	m := &keymap.Console
	switch {
	case !c.open:
	case keymap.Matches(k, m.PageUp):
		c.scroll(1 - c.view())
	case keymap.Matches(k, m.PageDown):
		c.scroll(c.view() - 1)
	case keymap.Matches(k, m.Enlarge):
		c.large = !c.large
	case keymap.Matches(k, m.Copy):
		return Copy
	default:
		ev := c.prompt.update(msg)
		if ev == Closed {
			c.Close()
		}
		return ev
	}
	return None
}

// Mouse implements widget.Mouser.
func (c *Console) Mouse(m widget.Mouse) bool {
	switch {
	case m.Kind == widget.WheelUp:
		c.scroll(-3)
	case m.Kind == widget.WheelDown:
		c.scroll(3)
	case m.Y == 0:
		c.large = !c.large
	default:
		return false
	}
	return true
}

// Height returns how many of the rows below the bar of screens the console wants.
func (c *Console) Height(rows int) int {
	switch {
	case !c.open:
		return 0
	case c.large:
		return rows
	}
	return min(max(rows/2, minRows), rows)
}

// SetSize implements widget.Block.
func (c *Console) SetSize(w, h int) {
	c.w, c.h = w, h
	c.lines.setWidth(w)
}

// typing returns the rows of the input line with its candidates, at most two thirds.
func (c *Console) typing() int {
	return min(c.prompt.height(), max(c.h*2/3, 1+c.prompt.errLines()))
}

func (c *Console) busyRows() int {
	if c.busy == "" {
		return 0
	}
	return 1
}

// view returns the number of transcript rows shown.
func (c *Console) view() int { return max(c.h-1-c.busyRows()-c.typing(), 0) }

// first returns the first row shown. If the newest entry is longer than the view, it
// is shown from its beginning.
func (c *Console) first() int {
	if !c.follow {
		return min(c.top, c.end())
	}
	return min(c.end(), max(c.lines.total-c.lines.lastRows(), 0))
}

// end returns the first row of the last page.
func (c *Console) end() int { return max(c.lines.total-c.view(), 0) }

func (c *Console) scroll(by int) {
	c.top = min(max(c.first()+by, 0), c.end())
	c.follow = false
}

// DrawLine implements widget.Block.
func (c *Console) DrawLine(b *line.Buf, y int) {
	view, busy := c.view(), c.busyRows()
	blank := max(view-c.lines.total, 0) // a short transcript is aligned to the bottom
	switch {
	case y == 0:
		c.drawTitle(b)
	case y <= blank:
	case y <= view:
		c.lines.drawRow(b, c.first()+y-1-blank)
	case y <= view+busy:
		b.Space(2)
		r := b.BeginCell(b.Room(), line.Left)
		b.Text(c.busy, c.th.Warn)
		b.End(r)
	default:
		c.prompt.drawLine(b, y-1-view-busy, c.h-1-view-busy)
	}
}

// drawTitle draws the title line: the position in the transcript, and the keys.
func (c *Console) drawTitle(b *line.Buf) {
	th, g := c.th, &c.th.Glyphs
	b.Repeat(g.H, 1, th.FrameFocus)
	b.Text(" console ", th.FrameTitle)
	var where []string
	if n := c.first(); n > 0 {
		where = append(where, g.Up)
	}
	if c.first()+c.view() < c.lines.total {
		where = append(where, g.Down)
	}
	if where != nil {
		b.Text(strings.Join(where, "")+" ", th.Accent)
	}
	m := &keymap.Console
	keys := [][2]string{{"pgup pgdn", "scroll"}, {m.Search.Help().Key, "search"}, {m.Enlarge.Help().Key, "enlarge"},
		{m.Close.Help().Key, "close"}}
	switch {
	case c.prompt.search:
		keys = [][2]string{{"enter", "take"}, {m.Search.Help().Key, "older"}, {"esc", "cancel"}}
	case c.large:
		keys[2][1] = "shrink"
	}
	wide := 2
	for _, k := range keys {
		wide += line.Width(k[0]) + line.Width(k[1]) + 3
	}
	if room := b.Room() - wide; room > 0 {
		b.Repeat(g.H, room, th.FrameFocus)
		for _, k := range keys {
			b.Space(1)
			b.Text(k[0], th.Key)
			b.Text(" "+k[1]+" ", th.KeyText)
		}
	}
	b.Repeat(g.H, b.Room(), th.FrameFocus)
}
