package objects

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// Graph shows a plan, with a cursor. The last row describes the object under it.
type Graph struct {
	Focused bool
	Empty   string // shown if there are no objects

	th     *theme.Theme
	nodes  []Node
	edges  []Edge
	gather int
	plan   *Plan
	cursor string // a key
	top    int    // the first row in sight
	first  int    // the first column in sight
	w, h   int
	placed int // the width that the plan is for
}

// NewGraph makes an empty graph. gather is that of [NewPlan].
func NewGraph(th *theme.Theme, gather int) *Graph {
	return &Graph{th: th, gather: gather, plan: NewPlan(nil, nil, gather, 0)}
}

// Set replaces the objects. The cursor stays on its own while that exists.
func (g *Graph) Set(nodes []Node, edges []Edge) {
	was := g.plan.byKey[g.cursor]
	g.nodes, g.edges, g.placed = nodes, edges, 0
	if !slices.ContainsFunc(nodes, func(n Node) bool { return n.Key == g.cursor }) {
		g.cursor = ""
		if len(nodes) > 0 {
			g.cursor = nodes[min(was, len(nodes)-1)].Key
		}
	}
	g.fit()
}

// Choose puts the cursor on an object, if it is there.
func (g *Graph) Choose(key string) {
	if _, ok := g.plan.byKey[key]; ok {
		g.cursor = key
		g.fit()
	}
}

// At returns the object under the cursor; ok is false if there is none.
func (g *Graph) At() (n Node, ok bool) {
	i, ok := g.plan.byKey[g.cursor]
	if !ok {
		return n, false
	}
	return g.plan.Nodes[i], true
}

// SetSize implements widget.Block.
func (g *Graph) SetSize(w, h int) {
	g.w, g.h = w, h
	g.fit()
}

// margin is the blank at both sides.
const margin = 1

// fit places the objects if they or the width have changed, and keeps the one under the cursor in sight.
func (g *Graph) fit() {
	if w := max(g.w-2*margin, 1); g.placed != w {
		g.plan, g.placed = NewPlan(g.nodes, g.edges, g.gather, w), w
	}
	p := g.plan
	g.top = max(min(g.top, p.count-g.rows()), 0)
	i, ok := p.byKey[g.cursor]
	if !ok {
		g.top, g.first = 0, 0
		return
	}
	g.top = max(min(g.top, p.rows[i]), p.rows[i]-g.rows()+1)
	layer := p.Nodes[i].Layer
	g.first = min(g.first, layer)
	for g.first > 0 && p.wholeFrom(g.first-1) <= g.w-2*margin {
		g.first--
	}
	for g.first < layer && p.left[layer]+p.wide[layer]-p.left[g.first] > g.w-2*margin {
		g.first++
	}
}

// wholeFrom is the width of everything from a column on.
func (p *Plan) wholeFrom(layer int) int {
	last := len(p.left) - 1
	if last < 0 {
		return 0
	}
	return p.left[last] + p.wide[last] - p.left[layer]
}

// rows is how many rows of the plan are in sight.
func (g *Graph) rows() int { return max(g.h-g.foot(), 0) }

// foot is the height of the description.
func (g *Graph) foot() int {
	if g.h < 3 || len(g.nodes) == 0 {
		return 0
	}
	return 1
}

// Below implements widget.Scroller.
func (g *Graph) Below() int { return max(g.plan.count-g.top-g.rows(), 0) }

// DrawLine implements widget.Block.
func (g *Graph) DrawLine(b *line.Buf, y int) {
	b.Text(g.more(y, g.first > 0, g.th.Glyphs.Left), g.th.Dim)
	r := b.Begin(max(b.Room()-margin, 0))
	defer func() {
		b.End(r)
		b.Text(g.more(y, g.plan.wholeFrom(g.first) > g.w-2*margin, g.th.Glyphs.Right), g.th.Dim)
	}()
	switch p := g.plan; {
	case len(g.nodes) == 0:
		if y == 0 {
			b.Text(g.Empty, g.th.Dim)
		}
	case y == g.h-1 && g.foot() > 0:
		if n, ok := g.At(); ok {
			b.Text(n.About, g.th.Label)
		}
	case g.top+y < p.count:
		at, has := p.byKey[g.cursor]
		if !has {
			at = -1
		}
		for layer := g.first; layer < len(p.columns); layer++ {
			if p.wide[layer] > 0 && b.Room() > 0 {
				goesOn := g.drawNode(b, layer, g.top+y, at)
				g.drawGap(b, layer, g.top+y, at, goesOn)
			}
		}
	}
}

// more is the mark in a margin for columns that are out of sight, in the first row.
func (g *Graph) more(y int, out bool, glyph string) string {
	if y > 0 || !out {
		return " "
	}
	return glyph
}

// drawNode draws what a column has in a row: a node, or a line that passes. It reports whether a line goes on from the
// column's last cell.
func (g *Graph) drawNode(b *line.Buf, layer, row, cursor int) (goesOn bool) {
	p := g.plan
	cell := b.Begin(p.wide[layer])
	defer b.End(cell)
	n := p.at[layer][row]
	if n < 0 {
		return false
	}
	st := g.lineStyle(p.gaps[layer].cells[row][0].net, layer, cursor)
	if it := &p.Nodes[n]; it.Key != "" {
		g.drawText(b, it, n == cursor)
		if p.gaps[layer].cells[row][0].goes&goesRight == 0 || b.Room() < 2 {
			return false
		}
		b.Space(1)
	}
	b.Repeat(g.th.Glyphs.H, b.Room(), st)
	return true
}

func (g *Graph) drawText(b *line.Buf, it *Node, chosen bool) {
	th := g.th
	if chosen {
		over := th.SelBlur
		if g.Focused {
			over = th.Selection
		}
		defer b.Over(b.Over(over))
	}
	b.Text(it.Kind+" ", th.Dim)
	name := th.Value
	if it.InHand {
		name = th.Mine
	}
	b.Text(it.Name, name)
	if it.InHand {
		b.Text(" "+th.Glyphs.Full, th.Mine)
	}
	for _, part := range it.Parts[:min(g.plan.levels[it.Layer], len(it.Parts))] {
		b.Text(" "+part.Text, *part.Style)
	}
}

// drawGap draws the lines right of a column in a row; those of the object under the cursor stand out.
func (g *Graph) drawGap(b *line.Buf, layer, row, cursor int, goesOn bool) {
	cells := g.plan.gaps[layer].cells[row]
	if goesOn && b.Room() > 0 {
		b.Text(g.th.Glyphs.H, g.lineStyle(cells[0].net, layer, cursor))
	} else {
		b.Space(gapMargin)
	}
	for _, c := range cells[:min(len(cells), b.Room())] {
		b.Text(c.glyph(&g.th.Glyphs), g.lineStyle(c.net, layer, cursor))
	}
	b.Space(gapMargin)
}

func (g *Graph) lineStyle(net, layer, cursor int) theme.Style {
	if net > 0 && cursor >= 0 && slices.Contains(g.plan.nets[cursor], [2]int{layer, net}) {
		return g.th.Accent
	}
	if g.plan.gaps[layer].within[net] {
		return g.th.Theirs
	}
	return g.th.Frame
}

// Update takes the keys that move the cursor: up and down in the column, left and right along the lines.
func (g *Graph) Update(k tea.KeyPressMsg) bool {
	i, ok := g.plan.byKey[g.cursor]
	column := []int{}
	if ok {
		column = g.plan.columns[g.plan.Nodes[i].Layer]
	}
	by, moves := keymap.Move(k, g.rows()/2, len(column))
	switch {
	case moves && ok:
		at := slices.Index(column, i)
		i = column[max(min(at+by, len(column)-1), 0)]
	case ok && keymap.Matches(k, keymap.List.Left):
		i = g.plan.beside(i, -1)
	case ok && keymap.Matches(k, keymap.List.Right):
		i = g.plan.beside(i, 1)
	default:
		return moves
	}
	g.Choose(g.plan.Nodes[i].Key)
	return true
}

// beside returns the nearest node to the left or right, one that is joined if there is one; n itself if there is none.
func (p *Plan) beside(n, way int) int {
	best, far := n, 0
	better := func(list []int) {
		for _, o := range list {
			away := p.rows[o] - p.rows[n]
			away = max(away, -away)
			if (p.Nodes[o].Layer-p.Nodes[n].Layer)*way > 0 && (best == n || away < far) {
				best, far = o, away
			}
		}
	}
	better(p.joined[n])
	for layer := p.Nodes[n].Layer + way; best == n && layer >= 0 && layer < len(p.columns); layer += way {
		better(p.columns[layer])
	}
	return best
}

// Mouse implements widget.Mouser: a click moves the cursor, the wheel too.
func (g *Graph) Mouse(m widget.Mouse) bool {
	if by, ok := m.Wheel(); ok {
		g.Update(keymap.Press(map[int]string{-1: "up", 1: "down"}[by]))
		return true
	}
	row, x := g.top+m.Y, m.X-margin
	p := g.plan
	if m.Y < 0 || m.Y >= g.rows() || row >= p.count {
		return false
	}
	for layer := g.first; layer < len(p.columns); layer++ {
		from := p.left[layer] - p.left[g.first]
		if n := p.at[layer][row]; x >= from && x < from+p.wide[layer] && n >= 0 && p.Nodes[n].Key != "" {
			g.Choose(p.Nodes[n].Key)
			return true
		}
	}
	return false
}
