package scenarios

import (
	"strings"

	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/table"
)

// column is one column of the list.
type column struct {
	table.Column
	draw func(b *line.Buf, sc *entry, th *theme.Theme)
}

var listColumns = []column{
	{table.Column{Title: "scenario", Item: layout.Item{Size: 17, Min: 12}},
		func(b *line.Buf, sc *entry, th *theme.Theme) { b.Text(sc.Name, th.Value) }},
	{table.Column{Title: "what it does", Item: layout.Item{Size: 24, Weight: 1, Drop: 2}},
		func(b *line.Buf, sc *entry, th *theme.Theme) { b.Text(sc.told(), th.Dim) }},
	{table.Column{Title: "against", Item: layout.Item{Size: 24, Drop: 3}},
		func(b *line.Buf, sc *entry, th *theme.Theme) { b.Text(sc.against, th.Dim) }},
}

// against is the program at the other side.
func against(sc *scenario.Scenario) string {
	p := scenario.DefaultParams(sc.Name)
	p.Server = true
	if about, err := p.About(); err == nil && strings.HasPrefix(about.Partner, "rdmatui ") {
		return "itself"
	}
	return sc.Partner
}

// list is the scenarios that pass the filter.
type list struct {
	th   *theme.Theme
	text string
	all  []entry
	view []*entry
}

// entry is a scenario in the list.
type entry struct {
	*scenario.Scenario
	against string
	exp     *lab.Experiment // it is none, but an experiment of the error lab
	heading bool            // it is none, but stands above those
	lack    bool            // no device here can run it
}

// told is what it does, or that it cannot be done.
func (e *entry) told() string {
	if e.lack {
		return "no device here can run it"
	}
	return e.Summary
}

func newList(th *theme.Theme) *list {
	l := &list{th: th}
	for i := range scenario.All {
		sc := &scenario.All[i]
		l.all = append(l.all, entry{Scenario: sc, against: against(sc)})
	}
	l.all = append(l.all, labEntries()...)
	l.refilter("")
	return l
}

// refilter shows those with the text in what is told of them.
func (l *list) refilter(text string) {
	l.text, l.view = text, nil
	for i := range l.all {
		sc := &l.all[i]
		if strings.Contains(strings.ToLower(sc.Name+" "+sc.Summary+" "+sc.against), text) {
			l.view = append(l.view, sc)
		}
	}
}

func (l *list) at(row int) *entry {
	if row < 0 || row >= len(l.view) {
		return nil
	}
	return l.view[row]
}

func (l *list) index(name string) int {
	for i, sc := range l.view {
		if sc.Name == name {
			return i
		}
	}
	return -1
}

// Len implements table.Rows.
func (l *list) Len() int { return len(l.view) }

// Cell implements table.Rows.
func (l *list) Cell(b *line.Buf, row, col int) { listColumns[col].draw(b, l.view[row], l.th) }

func tableColumns(from []column) []table.Column {
	out := make([]table.Column, len(from))
	for i := range from {
		out[i] = from[i].Column
	}
	return out
}
