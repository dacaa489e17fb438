package tour

import (
	"fmt"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// Panel draws the advice of a guide in a few rows.
type Panel struct {
	Guide *Guide
	th    *theme.Theme

	advice advice
	texts  []string // below the advice, broken to the width
	w      int
}

// NewPanel makes a panel for a guide.
func NewPanel(th *theme.Theme, g *Guide) *Panel { return &Panel{Guide: g, th: th} }

// indent is the first column of the texts.
const indent = 2

func wrap(text string, w int) []string {
	return widget.Wrap(nil, line.Escape(text), max(w-2*indent, 10))
}

// Height returns the rows that the panel needs in a width: the same for all steps of a tour.
func (p *Panel) Height(w int) int {
	g := p.Guide
	if g.Over() {
		return 1 + len(p.end(w))
	}
	most := 1
	for _, s := range g.Steps {
		most = max(most, len(wrap(s.Why, w)))
	}
	return 3 + most
}

// end returns the texts shown after the last step.
func (p *Panel) end(w int) (out []string) {
	for _, l := range p.Guide.Learned {
		out = append(out, wrap(l, w)...)
	}
	return append(out, wrap("Next: "+p.Guide.Next, w)...)
}

// SetSize implements widget.Block.
func (p *Panel) SetSize(w, h int) {
	p.w, p.advice = w, p.Guide.show()
	if p.Guide.Over() {
		p.texts = p.end(w)
		return
	}
	p.texts = widget.WrapRows(line.Escape(p.advice.why), w-2*indent, h-3)
}

// DrawLine implements widget.Block.
func (p *Panel) DrawLine(b *line.Buf, y int) {
	th := p.th
	if y == 0 {
		p.drawHead(b)
		return
	}
	b.Space(indent)
	cell := b.BeginCell(max(b.Room()-indent, 0), line.Left)
	defer b.End(cell)
	switch i := y - 1; {
	case p.Guide.Over():
		if i < len(p.texts) {
			b.Text(p.texts[i], th.Value)
		}
	case i == 0:
		p.drawMove(b)
	case i-1 < len(p.texts):
		st := th.Dim
		if p.advice.stray {
			st = th.Warn
		}
		b.Text(p.texts[i-1], st)
	case i-1 == len(p.texts):
		p.drawParts(b)
	}
}

// Text around a key.
const (
	press = "press "
	pad   = " "
)

// At returns the key shown at a cell: the one that leaves, or the one to press.
func (p *Panel) At(x, y int) (name string, ok bool) {
	a, leave := &p.advice, keymap.Tour.Leave
	switch {
	case y == 0:
		return leave.Keys()[0], x >= p.w-line.Width(p.leaves())-1
	case y == 1 && !p.Guide.Over() && a.press != "":
		wide := line.Width(press + pad + a.key + pad + " " + a.does)
		return a.press, x >= indent && x < indent+wide
	}
	return "", false
}

// leaves is the hint for the key that leaves the tour.
func (p *Panel) leaves() string {
	leave := keymap.Tour.Leave.Help()
	if p.Guide.Over() {
		return leave.Key + " close "
	}
	return leave.Key + " " + leave.Desc + " "
}

// drawHead writes the bar with the name and the step, and the key that leaves.
func (p *Panel) drawHead(b *line.Buf) {
	th, g := p.th, p.Guide
	right := p.leaves()
	text := fmt.Sprintf("tour: %s %s ", g.Name, th.Glyphs.Sep)
	if g.Over() {
		text += "done"
	} else {
		text += fmt.Sprintf("step %d of %d", g.at+1, len(g.Steps))
		if name := ": " + p.advice.head; line.Width(text+name+right)+2 <= b.Room() {
			text += name
		}
	}
	b.Text(" ", th.TabActive)
	r := b.BeginCell(max(b.Room()-line.Width(right)-1, 0), line.Left)
	b.Text(text, th.TabActive)
	b.Repeat(" ", b.Room(), th.TabActive)
	b.End(r)
	b.Text(" "+right, th.TabActive)
}

// drawMove writes the key to press and its effect.
func (p *Panel) drawMove(b *line.Buf) {
	th, a := p.th, &p.advice
	if a.key != "" {
		b.Text(press, th.Value)
		b.Text(pad+a.key+pad, th.TabActive)
		b.Space(1)
	}
	b.Text(a.does, th.Accent)
}

// drawParts writes the parts of the step and marks those that are done.
func (p *Panel) drawParts(b *line.Buf) {
	th := p.th
	for i := range p.advice.parts {
		m := &p.advice.parts[i]
		sign, st := th.Glyphs.Hollow, th.Dim
		switch {
		case m.name == "":
			return
		case m.done:
			sign, st = th.Glyphs.Check, th.OK
		}
		if i > 0 {
			b.Space(2)
		}
		b.Text(sign+" "+m.name, st)
	}
}
