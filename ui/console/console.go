// Package console is the lower part of the screen in which one types commands: those
// so far with their whole results, and below them the line to type in. What ran by a
// key stands there too.
package console

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/recent"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
)

// Event is what came of a message.
type Event uint8

// Events.
const (
	None   Event = iota
	Accept       // enter: Value is the line to run
	Closed       // esc
	Copy         // LastResult is to go to the clipboard
)

// minRows is how high the console is where there is room: a title, some rows of the
// transcript, the line and its candidates.
const minRows = 8

// Console is a block for the bottom of the screen.
type Console struct {
	th    *theme.Theme
	ring  *recent.Ring
	taken uint64 // number of the newest event that the transcript has
	buf   []timeline.Event

	prompt *prompt
	lines  transcript
	top    int  // the first row that is shown, where follow is off
	follow bool // show the newest
	busy   string

	open, once, large bool
	w, h              int
}

// New makes a closed console over what a log has and gets.
func New(th *theme.Theme, log *timeline.Log, complete input.Completer) *Console {
	return &Console{
		th: th, prompt: newPrompt(th, complete), lines: transcript{th: th}, follow: true,
		ring: recent.New(log, maxEntries, func(e *timeline.Event) bool { return e.Kind == timeline.KindCommand }),
	}
}

// Open shows the console with a text to go on from.
func (c *Console) Open(text string) {
	c.open, c.once, c.follow = true, false, true
	c.prompt.set(text)
	c.Refresh()
}

// OpenOnce is Open for one line, which a screen has begun: the console is to close
// once it was run.
func (c *Console) OpenOnce(text string) {
	c.Open(text)
	c.once = true
}

// Once reports whether it is open for one line.
func (c *Console) Once() bool { return c.once }

// Close hides it.
func (c *Console) Close() { c.open = false }

// IsOpen reports whether it has the keyboard.
func (c *Console) IsOpen() bool { return c.open }

// Value returns the line.
func (c *Console) Value() string { return c.prompt.in.Value() }

// SetValue replaces the line.
func (c *Console) SetValue(text string) { c.prompt.set(text) }

// Fail shows why the line was not run, with the cursor at the place; meant, if not
// nil, is what it was meant to be.
func (c *Console) Fail(text string, at int, meant *input.Candidate) { c.prompt.fail(text, at, meant) }

// SetHistory replaces the lines that can be recalled, oldest first.
func (c *Console) SetHistory(lines []string) { c.prompt.setHistory(lines) }

// Remember adds a line to those that can be recalled.
func (c *Console) Remember(text string) { c.prompt.remember(text) }

// History is the lines that can be recalled, oldest first.
func (c *Console) History() []string { return c.prompt.history }

// LastResult is the result shown last.
func (c *Console) LastResult() string { return c.lines.last() }

// Text is the transcript as plain text.
func (c *Console) Text() string {
	c.Refresh()
	return c.lines.text()
}

// SetBusy shows a command that is being carried out, "" for none.
func (c *Console) SetBusy(text string) { c.busy = text }

// Tell adds what the session knows nothing of: a line with its answer.
func (c *Console) Tell(command, answer string) { c.tell(command, answer, kindResult) }

// Warn is Tell of what has gone wrong.
func (c *Console) Warn(command, answer string) { c.tell(command, answer, kindError) }

func (c *Console) tell(command, answer string, k kind) {
	c.Refresh() // what was done before stands above
	e := entry{}
	e.add(kindCommand, command)
	e.add(k, answer)
	c.append(e)
}

func (c *Console) append(e entry) {
	c.follow = c.follow || c.top >= c.end() // who reads the end goes on with what is new
	if dropped := c.lines.append(e); !c.follow {
		c.top = max(c.top-dropped, 0)
	}
}

// Refresh takes the commands that were carried out since the last time, and reports
// whether there were any. A closed console leaves them where they are.
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

// Update takes keys and pastes of one line while open. After Accept the caller runs
// Value and sets another, or calls Fail or Close.
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

// Height is how many rows it wants of those between the bar of screens and the end.
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

// typing is how many rows the line with its candidates gets, at most two thirds.
func (c *Console) typing() int {
	return min(c.prompt.height(), max(c.h*2/3, 1+c.prompt.errLines()))
}

func (c *Console) busyRows() int {
	if c.busy == "" {
		return 0
	}
	return 1
}

// view is how many rows of the transcript are shown.
func (c *Console) view() int { return max(c.h-1-c.busyRows()-c.typing(), 0) }

// first is the first row that is shown: of a newest entry that is longer than the
// view its first, so that one reads it from its beginning.
func (c *Console) first() int {
	if !c.follow {
		return min(c.top, c.end())
	}
	return min(c.end(), max(c.lines.total-c.lines.lastRows(), 0))
}

// end is the first row of the last view.
func (c *Console) end() int { return max(c.lines.total-c.view(), 0) }

func (c *Console) scroll(by int) {
	c.top = min(max(c.first()+by, 0), c.end())
	c.follow = false
}

// DrawLine implements widget.Block.
func (c *Console) DrawLine(b *line.Buf, y int) {
	view, busy := c.view(), c.busyRows()
	blank := max(view-c.lines.total, 0) // the transcript begins at the bottom
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

// drawTitle draws the line above: what can be scrolled to, and the keys.
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
	keys := [][2]string{{"pgup pgdn", "scroll"}, {m.Search.Help().Key, "search"}, {m.Enlarge.Help().Key, "enlarge"}, {m.Close.Help().Key, "close"}}
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
