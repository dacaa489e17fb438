package scenarios

import (
	"strings"

	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// column is one column of the list. Its size is that of its longest text; Min is its
// minimum width, 0 for the full size.
type column struct {
	widget.TableColumn
	text  func(*entry) string
	style func(*theme.Theme) theme.Style
}

var listColumns = []column{
	{widget.TableColumn{Title: "scenario"}, func(e *entry) string { return e.Name },
		func(th *theme.Theme) theme.Style { return th.Value }},
	{widget.TableColumn{Title: "what it does", Space: widget.Space{Min: 24, Weight: 1, Drop: 1}},
		(*entry).told, func(th *theme.Theme) theme.Style { return th.Dim }},
	{widget.TableColumn{Title: "against", Space: widget.Space{Min: 16, Drop: 2}},
		func(e *entry) string { return e.against }, func(th *theme.Theme) theme.Style { return th.Dim }},
}

// columnGap is the cells between two columns, and before the first.
const columnGap = 2

// fitted returns the columns sized to their content.
func fitted(all []entry) []widget.TableColumn {
	out := make([]widget.TableColumn, len(listColumns))
	for i, c := range listColumns {
		c.Size = line.Width(c.Title)
		for n := range all {
			c.Size = max(c.Size, line.Width(c.text(&all[n])))
		}
		out[i] = c.TableColumn
	}
	return out
}

// width returns the width of the pane, frame included, out of w cells: as much as all
// columns take, unless that leaves less than least beside it. Names are never cut.
func (l *list) width(w, least int) int {
	names := l.cols[0].Size + columnGap + 2
	whole := names
	for _, c := range l.cols[1:] {
		whole += columnGap + c.Size
	}
	if left := min(whole, w-least); left >= names+columnGap+l.cols[1].Min {
		return left
	}
	return names
}

// against names the program on the other side.
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
	cols []widget.TableColumn
}

// entry is a scenario in the list.
type entry struct {
	*scenario.Scenario
	against string
	exp     *lab.Experiment // an experiment of the error lab instead of a scenario
	heading bool            // the heading above the experiments
	lack    bool            // no device here can run it
}

// told describes the entry, or says that it cannot be run.
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
	l.cols = fitted(l.all)
	l.refilter("")
	return l
}

// refilter shows the entries whose description contains the text.
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

// Len implements widget.TableRows.
func (l *list) Len() int { return len(l.view) }

// Cell implements widget.TableRows.
func (l *list) Cell(b *line.Buf, row, col int) {
	b.Text(listColumns[col].text(l.view[row]), listColumns[col].style(l.th))
}
