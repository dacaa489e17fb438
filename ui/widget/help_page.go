package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// minSentence is the least cells for a sentence; in a narrower column there are labels only.
const minSentence = 20

// Widths from which the page has two and three columns, so that no text is cut, and the width of a key.
const (
	twoColumns   = 106
	threeColumns = 160
	helpKeyWidth = 14
)

// helpRow is a line of a section: a key or a glyph, and what it means, in a word and in a sentence ("" for none).
type helpRow struct {
	key, text string
	st        theme.Style
	says      string
}

// helpSection is rows under a heading.
type helpSection struct {
	head string
	rows []helpRow
}

// HelpPage shows all keys of a context, what glyphs and colours mean, and what the
// mouse does; / searches in it.
type HelpPage struct {
	search
	all     []helpSection
	columns [][]helpRow // of the shown sections; a row without a key is a heading or a blank
	w       int
}

// NewHelpPage makes the page of a context.
func NewHelpPage(th *theme.Theme, c keymap.Context) *HelpPage {
	p := &HelpPage{search: newSearch(th, "part of a key or of what it does")}
	for _, g := range c.Groups {
		s := helpSection{head: g.Name}
		for _, b := range g.Keys {
			if b.Enabled() {
				s.rows = append(s.rows, helpRow{b.Help().Key, b.Help().Desc, th.Key, c.Sentence(b)})
			}
		}
		p.all = append(p.all, s)
	}
	p.all = append(p.all, helpMouse(th), helpLegend(th))
	return p
}

func helpMouse(th *theme.Theme) helpSection {
	return helpSection{"Mouse", []helpRow{
		{"click", "focus the pane, select the row", th.Key, ""},
		{"double click", "open the row, or edit the field", th.Key, ""},
		{"wheel", "scroll the pane under the pointer", th.Key, ""},
		{"click a hint", "press its key", th.Key, ""},
		{"click a tab", "show that screen", th.Key, ""},
	}}
}

func helpLegend(th *theme.Theme) helpSection {
	g := &th.Glyphs
	return helpSection{"Glyphs and colors", []helpRow{
		{g.Check, "OK", th.OK, ""},
		{g.Ban, "it failed, or cannot work", th.Err, ""},
		{g.Right + g.Check, "a packet, recorded at both ends", th.OK, ""},
		{g.Alert, "a fault is switched on", th.Warn, ""},
		{g.Pointer, "the row under the cursor", th.Accent, ""},
		{g.Full, "required, selected or open", th.Required, ""},
		{g.Hollow, "optional, or not created yet", th.Optional, ""},
		{"name", "of the queue pair in hand", th.Accent, ""},
		{g.Ellipsis, "cut: the detail or zoom shows all", th.Value, ""},
		{g.Dash, "no value", th.Undefined, ""},
		{"changed", "bytes that the last request changed", th.Changed, ""},
		{"focus", "frame of the focused pane", th.FrameFocus, ""},
		{"mine", "a value of this end", th.Mine, ""},
		{"theirs", "a value of the other end", th.Theirs, ""},
		{"undefined", "a field without meaning here", th.Undefined, ""},
	}}
}

// SetSize implements widget.Block.
func (p *HelpPage) SetSize(w, h int) {
	if w != p.w {
		p.w = w
		p.arrange()
	}
	p.search.SetSize(w, h)
}

// arrange distributes the sections that match the search over the columns, each to the
// shortest one.
func (p *HelpPage) arrange() {
	n := 1
	switch {
	case p.w >= threeColumns:
		n = 3
	case p.w >= twoColumns:
		n = 2
	}
	p.columns = make([][]helpRow, n)
	words := strings.ToLower(p.in.Value())
	for _, s := range p.all {
		rows := s.found(words)
		if len(rows) == 0 {
			continue
		}
		at := 0
		for i := range p.columns {
			if len(p.columns[i]) < len(p.columns[at]) {
				at = i
			}
		}
		if len(p.columns[at]) > 0 {
			p.columns[at] = append(p.columns[at], helpRow{})
		}
		p.columns[at] = append(p.columns[at], helpRow{text: s.head, st: p.th.Header})
		for i := range rows {
			p.columns[at] = append(p.columns[at], rows[i])
			room := p.w/n - helpKeyWidth - 4
			if rows[i].says == "" || room < minSentence {
				continue
			}
			for _, part := range Fill(nil, rows[i].says, room) {
				p.columns[at] = append(p.columns[at], helpRow{says: part})
			}
		}
	}
	most := 0
	for _, c := range p.columns {
		most = max(most, len(c))
	}
	p.pager.SetLines(most, p.drawRow)
}

// found returns the rows that contain the words.
func (s *helpSection) found(words string) (out []helpRow) {
	for _, r := range s.rows {
		if strings.Contains(strings.ToLower(s.head+" "+r.key+" "+r.text+" "+r.says), words) {
			out = append(out, r)
		}
	}
	return out
}

func (p *HelpPage) drawRow(b *line.Buf, i int) {
	w := p.w / len(p.columns)
	for _, c := range p.columns {
		cell := b.BeginCell(w-1, line.Left)
		b.Space(1)
		if i < len(c) {
			switch r := &c[i]; {
			case r.key == "" && r.says != "":
				b.Space(helpKeyWidth + 2)
				b.Text(r.says, p.th.Dim)
			case r.key == "":
				b.Text(r.text, r.st)
			default:
				b.Space(1)
				b.Cell(r.key, helpKeyWidth, line.Left, r.st)
				b.Space(1)
				b.Text(r.text, p.th.KeyText)
			}
		}
		b.End(cell)
		b.Space(1)
	}
}

// Update takes the keys that scroll, and those of the search.
func (p *HelpPage) Update(msg tea.Msg) bool {
	taken, changed := p.take(msg)
	if changed {
		p.arrange()
	}
	return taken || p.pager.Update(msg)
}
