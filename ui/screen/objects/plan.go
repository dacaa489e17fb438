package objects

import (
	"cmp"
	"slices"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Node is an object. Its layer is its column, from 0 at the left.
type Node struct {
	Key    string // unique
	Kind   string
	Name   string
	Layer  int
	InHand bool
	Parts  []Part // what more there is to say, the most important first; what has no room is left out
	About  string // in one line, for when the cursor is on it
}

// Part is a text in a style. The style belongs to the theme, which changes while the program runs.
type Part struct {
	Text  string
	Style *theme.Style
}

// Edge joins two nodes by their keys: From is left of To, or both are in one layer. Of the edges that lead to a node,
// the first decides in which row it is.
type Edge struct{ From, To string }

// Plan says where everything is. It depends on nodes, edges and width only.
type Plan struct {
	Nodes   []Node
	rows    []int // of each node
	count   int   // rows
	byKey   map[string]int
	columns [][]int    // the nodes of each layer, top down
	at      [][]int    // of each layer the node in a row, -1 for none
	left    []int      // where each column starts
	wide    []int      // cells of each column; 0 for one without nodes
	levels  []int      // how many parts of a node are shown, by layer
	gaps    []gap      // the lines right of each column
	joined  [][]int    // what each node is joined to, nodes in one layer too
	nets    [][][2]int // of each node its lines: the gap and the number there
}

// least is the width to which a column is cut before the view scrolls sideways.
const least = 24

// NewPlan places nodes for a width. Lines that end in a layer from gather on are led together at their right end, those
// before at their left: many objects are made from one domain, many queue pairs complete in one queue.
func NewPlan(nodes []Node, edges []Edge, gather, w int) *Plan {
	p := &Plan{Nodes: slices.Clone(nodes), byKey: make(map[string]int, len(nodes))}
	layers := 0
	for i := range nodes {
		p.byKey[nodes[i].Key] = i
		layers = max(layers, nodes[i].Layer+1)
	}
	p.joined = make([][]int, len(nodes))
	pairs := p.resolve(edges)
	p.nets = make([][][2]int, len(p.Nodes))
	p.place(pairs, layers)
	p.gaps = make([]gap, layers)
	p.lead(pairs, gather)
	p.widths(gather, w)
	return p
}

// pair is an edge between neighbouring layers or within one; from and to are the nodes that it helps to join.
type pair struct{ left, right, from, to int }

// resolve returns the edges between neighbouring layers or within one, each once. One that crosses a layer leads
// through a node without text there; what is farther apart is not drawn.
func (p *Plan) resolve(edges []Edge) (pairs []pair) {
	seen := map[[2]int]bool{}
	for _, e := range edges {
		from, ok := p.byKey[e.From]
		to, has := p.byKey[e.To]
		if !ok || !has || from == to || seen[[2]int{from, to}] || seen[[2]int{to, from}] {
			continue
		}
		seen[[2]int{from, to}] = true
		switch p.Nodes[to].Layer - p.Nodes[from].Layer {
		case 0, 1:
			pairs = append(pairs, pair{from, to, from, to})
		case 2:
			via := len(p.Nodes)
			p.Nodes = append(p.Nodes, Node{Layer: p.Nodes[from].Layer + 1})
			p.joined = append(p.joined, nil)
			pairs = append(pairs, pair{from, via, from, to}, pair{via, to, from, to})
		default:
			continue
		}
		p.joined[from] = append(p.joined[from], to)
		p.joined[to] = append(p.joined[to], from)
	}
	return pairs
}

// place gives each node its row. What a node leads to first begins in its own row, the next below: in a gap no two
// lines that do not belong together share a row.
func (p *Plan) place(pairs []pair, layers int) {
	children, hasParent := make([][]int, len(p.Nodes)), make([]bool, len(p.Nodes))
	for _, e := range pairs {
		if p.Nodes[e.left].Layer < p.Nodes[e.right].Layer && !hasParent[e.right] {
			hasParent[e.right] = true
			children[e.left] = append(children[e.left], e.right)
		}
	}
	p.rows = make([]int, len(p.Nodes))
	var put func(n, row int) int
	put = func(n, row int) (next int) {
		p.rows[n], next = row, row
		for _, c := range children[n] {
			next = put(c, next)
		}
		return max(next, row+1)
	}
	for layer := range layers {
		for n := range p.Nodes {
			if p.Nodes[n].Layer == layer && !hasParent[n] {
				p.count = put(n, p.count)
			}
		}
	}
	p.columns, p.at = make([][]int, layers), make([][]int, layers)
	for layer := range layers {
		p.at[layer] = slices.Repeat([]int{-1}, p.count)
	}
	for n := range p.Nodes {
		layer := p.Nodes[n].Layer
		p.at[layer][p.rows[n]] = n
		if p.Nodes[n].Key != "" {
			p.columns[layer] = append(p.columns[layer], n)
		}
	}
	for _, c := range p.columns {
		slices.SortFunc(c, func(a, b int) int { return cmp.Compare(p.rows[a], p.rows[b]) })
	}
}

// widths shows as much of the nodes as there is room for: of each column a part more in turn, from the right, since
// what many lines lead to changes most. Those that lead there, such as queue pairs, always show their first part.
func (p *Plan) widths(gather, w int) {
	p.levels = make([]int, len(p.columns))
	if layer := gather - 1; layer < len(p.levels) {
		p.levels[layer] = min(1, p.most(layer))
	}
	for fits := true; fits; {
		fits = false
		for layer := len(p.levels) - 1; layer >= 0; layer-- {
			if p.levels[layer] == p.most(layer) {
				continue
			}
			if p.levels[layer]++; p.measure() <= w {
				fits = true
			} else {
				p.levels[layer]--
			}
		}
	}
	for over := p.measure() - w; over > 0; over-- {
		widest := slices.Index(p.wide, slices.Max(p.wide))
		if p.wide[widest] <= least {
			break
		}
		p.wide[widest]--
	}
	p.arrange()
}

// most is how many parts the nodes of a layer have.
func (p *Plan) most(layer int) (n int) {
	for _, i := range p.columns[layer] {
		n = max(n, len(p.Nodes[i].Parts))
	}
	return n
}

// measure sets the columns' widths at the present levels, and returns that of the whole.
func (p *Plan) measure() int {
	p.wide = make([]int, len(p.columns))
	for layer, c := range p.columns {
		for _, n := range c {
			p.wide[layer] = max(p.wide[layer], p.textWidth(n))
		}
	}
	return p.arrange()
}

func (p *Plan) textWidth(n int) int {
	it := &p.Nodes[n]
	w := line.Width(it.Kind) + 1 + line.Width(it.Name)
	if it.InHand {
		w += 2
	}
	for _, part := range it.Parts[:min(p.levels[it.Layer], len(it.Parts))] {
		w += 1 + line.Width(part.Text)
	}
	return w
}

// arrange puts the columns side by side; one without nodes has no gap.
func (p *Plan) arrange() (total int) {
	p.left = make([]int, len(p.wide))
	for layer, w := range p.wide {
		p.left[layer] = total
		if w > 0 {
			total += w + p.gaps[layer].width()
		}
	}
	for n := len(p.gaps) - 1; n >= 0; n-- { // the last gap is of use only for lines within its column
		if p.wide[n] > 0 {
			if len(p.gaps[n].within) == 0 {
				total -= p.gaps[n].width()
			}
			break
		}
	}
	return total
}
