package steps

import (
	"strings"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// Line is a text with its label.
type Line struct {
	Label, Text string
	Style       theme.Style
}

// Rows scrolls through labelled texts without cutting any.
type Rows struct {
	*widget.Pager
	th   *theme.Theme
	list []Line
	rows []Line // list, wrapped to the width; only the first line of a text has its label
}

// NewRows makes an empty list.
func NewRows(th *theme.Theme) *Rows { return &Rows{Pager: widget.NewPager(th), th: th} }

// Set replaces the texts; SetSize must follow.
func (r *Rows) Set(list []Line) { r.list = list }

// SetSize implements widget.Block.
func (r *Rows) SetSize(w, h int) {
	r.rows = r.rows[:0]
	for _, l := range r.list {
		label := l.Label
		for part := range strings.SplitSeq(l.Text, "\n") {
			for _, t := range widget.Fill(nil, line.Escape(part), max(w-labelWidth-2, 8)) {
				r.rows = append(r.rows, Line{label, t, l.Style})
				label = ""
			}
		}
	}
	r.Pager.SetSize(w, h)
	r.SetLines(len(r.rows), r.drawRow)
}

func (r *Rows) drawRow(b *line.Buf, i int) {
	l := &r.rows[i]
	b.Space(1)
	b.Cell(l.Label, labelWidth, line.Left, r.th.Label)
	b.Cell(l.Text, b.Room(), line.Left, l.Style)
}

// Lines returns the full outcome of the last command.
func (o *Outcome) Lines() (out []Line) {
	for _, s := range append(o.sections[:len(o.sections):len(o.sections)], o.extra) {
		if s.text != "" {
			out = append(out, Line{s.label, s.text, s.style})
		}
	}
	if len(out) == 0 {
		out = append(out, Line{"", o.Empty, o.th.Dim})
	}
	return out
}
