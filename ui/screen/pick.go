package screen

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Choice is one option of [Entry.Pick].
type Choice struct {
	Name string
	Do   func() tea.Cmd
}

// pick is a row of choices, one of them marked.
type pick struct {
	label string
	list  []Choice
	at    int
}

// maxChoices is the number of number keys.
const maxChoices = 9

// Pick asks for one of a few choices; a single one is taken at once.
func (e *Entry) Pick(label string, list []Choice) tea.Cmd {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0].Do()
	}
	e.pick = &pick{label: label, list: list[:min(len(list), maxChoices)]}
	return nil
}

// Leave implements screen.Leaver: it closes the choice if a message is none of its keys,
// and reports whether it did.
func (p *Panes) Leave(msg tea.Msg) bool {
	e := &p.Entry
	if e.pick == nil {
		return false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m := &keymap.Pick
		if keymap.Matches(msg, m.Number) && number(msg) < len(e.pick.list) ||
			keymap.Matches(msg, m.Accept, m.Next, m.Prev, m.Cancel) {
			return false
		}
	case tea.PasteMsg:
	default:
		return false
	}
	e.pick = nil
	return true
}

// number is the choice of a number key, from 0.
func number(k tea.KeyPressMsg) int { return int(k.String()[0] - '1') }

// takePick handles a key of the choice.
func (e *Entry) takePick(k tea.KeyPressMsg) tea.Cmd {
	p, m := e.pick, &keymap.Pick
	switch n := len(p.list); {
	case keymap.Matches(k, m.Accept):
		return e.choose(p.at)
	case keymap.Matches(k, m.Number):
		return e.choose(number(k))
	case keymap.Matches(k, m.Next):
		p.at = (p.at + 1) % n
	case keymap.Matches(k, m.Prev):
		p.at = (p.at + n - 1) % n
	default: // Cancel
		e.pick = nil
	}
	return nil
}

func (e *Entry) choose(i int) tea.Cmd {
	p := e.pick
	if i >= len(p.list) {
		return nil
	}
	e.pick = nil
	return p.list[i].Do()
}

// text returns the text of a choice: its number and name.
func (p *pick) text(i int) string { return fmt.Sprintf(" %d %s ", i+1, p.list[i].Name) }

func (p *pick) draw(b *line.Buf, th *theme.Theme) {
	b.Text(" "+p.label+":", th.Label)
	for i := range p.list {
		st := th.Tab
		if i == p.at {
			st = th.TabActive
		}
		b.Space(1)
		b.Text(p.text(i), st)
	}
}

// click takes the choice at a column.
func (e *Entry) click(x int) (taken bool) {
	if e.pick == nil {
		return false
	}
	i := e.pick.hit(x)
	e.clicked = i + 1
	return i >= 0
}

// hit finds the choice at a column, -1 for none.
func (p *pick) hit(x int) int {
	left := line.Width(p.label) + 3
	for i := range p.list {
		w := line.Width(p.text(i))
		if x >= left && x < left+w {
			return i
		}
		left += w + 1
	}
	return -1
}
