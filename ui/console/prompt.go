package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/ring"
)

const (
	shown      = 8    // the most candidates shown
	maxHistory = 1000 // the most lines of history
)

// prompt is the input line, with candidates above and an error below. During a
// history search the typed text is the search term, and the candidates are the
// matching lines.
type prompt struct {
	complete widget.Completer

	th      *theme.Theme
	in      *widget.Input
	cycle   widget.Cycle
	history []string
	at      int    // index in history; len(history): the line being written
	draft   string // the unfinished line, while the history is shown or searched
	err     string
	search  bool
}

func newPrompt(th *theme.Theme, complete widget.Completer) *prompt {
	in := widget.NewInput(th)
	in.Placeholder = "command"
	return &prompt{complete: complete, th: th, in: in}
}

// set replaces the line with a text to continue.
func (p *prompt) set(text string) {
	p.err, p.draft, p.at, p.search = "", "", len(p.history), false
	p.in.SetValue(text)
	p.refresh()
}

// fail shows why the line was not run and puts the cursor at the error; the next edit
// clears it. Tab inserts the suggested correction, if there is one.
func (p *prompt) fail(text string, at int, meant *widget.Candidate) {
	p.err = text
	p.in.SetCursor(at)
	if meant != nil {
		p.cycle.Set([]widget.Candidate{*meant})
	}
}

func (p *prompt) setHistory(lines []string) {
	p.history = ring.Newest(slices.Clone(lines), maxHistory)
	p.at = len(p.history)
}

// height returns how many lines the prompt wants: candidates, input and error.
func (p *prompt) height() int { return min(len(p.cycle.List), shown) + 1 + p.errLines() }

func (p *prompt) errLines() int {
	if p.err == "" {
		return 0
	}
	return 1
}

func (p *prompt) refresh() {
	p.cycle.Set(nil)
	switch {
	case p.search:
		p.cycle.Set(p.found())
		p.cycle.At = min(0, len(p.cycle.List)-1)
	case p.complete != nil && p.in.Value() != "": // an empty line leaves its rows to results
		p.cycle.Set(p.complete(p.in.Value(), p.in.Cursor()))
	}
}

// update takes keys and single-line pastes.
func (p *prompt) update(msg tea.Msg) Event {
	k, isKey := msg.(tea.KeyPressMsg)
	m := &keymap.Console
	switch {
	case p.search && isKey && p.searchKey(k):
	case isKey && keymap.Matches(k, m.Accept):
		return Accept
	case isKey && keymap.Matches(k, m.Close):
		return Closed
	case isKey && keymap.Matches(k, m.Search):
		p.beginSearch()
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

// step lists the candidates of an empty line, or takes one; a single candidate is taken at once, and what can
// follow it is listed.
func (p *prompt) step(dir int) {
	p.err = ""
	if p.in.Value() == "" && len(p.cycle.List) == 0 && p.complete != nil {
		p.cycle.Set(p.complete("", 0))
		return
	}
	if p.cycle.Step(p.in, dir) && len(p.cycle.List) == 1 {
		p.refresh()
	}
}

func (p *prompt) recall(dir int) {
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

func (p *prompt) remember(s string) {
	if n := len(p.history); s != "" && (n == 0 || p.history[n-1] != s) {
		p.history = ring.Newest(append(p.history, s), maxHistory)
	}
	p.at = len(p.history)
}

func (p *prompt) beginSearch() {
	p.draft, p.search, p.err = p.in.Value(), true, ""
	p.in.SetValue("")
	p.refresh()
}

// endSearch ends the search and continues with a line.
func (p *prompt) endSearch(text string) {
	p.search, p.at = false, len(p.history)
	p.in.SetValue(text)
	p.refresh()
}

// searchKey takes the keys that have another meaning during a history search.
func (p *prompt) searchKey(k tea.KeyPressMsg) bool {
	m, n := &keymap.Console, len(p.cycle.List)
	switch {
	case keymap.Matches(k, m.Close):
		p.endSearch(p.draft)
	case keymap.Matches(k, m.Accept, m.Complete):
		text := p.draft
		if n > 0 {
			text = p.cycle.List[p.cycle.At].Text
		}
		p.endSearch(text)
	case keymap.Matches(k, m.Search, m.HistoryDown) && n > 0:
		p.cycle.At = min(p.cycle.At+1, n-1)
	case keymap.Matches(k, m.HistoryUp, m.CompletePrev) && n > 0:
		p.cycle.At = max(p.cycle.At-1, 0)
	default:
		return false
	}
	return true
}

// found lists the lines of the history that contain all words of the text, newest
// first, without duplicates.
func (p *prompt) found() (list []widget.Candidate) {
	words := strings.Fields(strings.ToLower(p.in.Value()))
	seen := map[string]bool{}
	for _, l := range slices.Backward(p.history) {
		lower := strings.ToLower(l)
		if !seen[l] && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(lower, w) }) {
			list = append(list, widget.Candidate{Text: l})
		}
		seen[l] = true
	}
	return list
}

// drawLine draws row y of h. If h is less than height, fewer candidates are shown.
func (p *prompt) drawLine(b *line.Buf, y, h int) {
	rows := max(h-1-p.errLines(), 0)
	switch {
	case y < rows:
		p.drawCandidate(b, p.cycle.Window(rows)+y)
	case y == rows:
		b.Text(p.label(), p.th.Key)
		p.in.Draw(b, b.Room())
	default:
		b.Space(len(p.label()))
		r := b.BeginCell(b.Room(), line.Left)
		b.Text(p.err, p.th.Err)
		b.End(r)
	}
}

func (p *prompt) label() string {
	if p.search {
		return "find in the history: "
	}
	return ":"
}

func (p *prompt) drawCandidate(b *line.Buf, i int) {
	if i >= len(p.cycle.List) {
		return
	}
	c := p.cycle.List[i]
	if i == p.cycle.At {
		defer b.Over(b.Over(p.th.Selection))
		defer func() { b.Space(b.Room()) }()
	}
	b.Space(1)
	if c.Help == "" {
		b.Cell(c.Text, b.Room(), line.Left, p.th.Value)
		return
	}
	w := max(b.Room()/3, min(24, b.Room()))
	b.Cell(c.Text, w, line.Left, p.th.Value)
	b.Space(1)
	b.Cell(c.Help, b.Room(), line.Left, p.th.Dim)
}
