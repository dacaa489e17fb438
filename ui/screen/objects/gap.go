package objects

import (
	"cmp"
	"slices"

	"rdmatui/ui/theme"
)

// The directions in which the line of a cell goes on, and dashes for a line that has no room.
const (
	goesUp uint8 = 1 << iota
	goesDown
	goesLeft
	goesRight
	isDashed
)

// maxTracks is how many lines run down a gap side by side. Others are only begun, with dashes: the row of the object
// under the cursor names what it is joined to.
const maxTracks = 6

// gap is the lines between two columns: in each row a cell for the left ends, one for each track, one for the right
// ends.
type gap struct {
	tracks int
	cells  [][]cell
	within map[int]bool // the lines that join nodes of one column, by number
}

type cell struct {
	goes uint8
	net  int // the line's number in its gap, 0: none
}

// gapMargin is the blank beside each column.
const gapMargin = 1

func (g *gap) width() int { return g.tracks + 2 + 2*gapMargin }

// net is a line with all its ends.
type net struct {
	lefts, rights []int // rows
	low, high     int   // first and last row
	track         int   // from 1; 0: straight; -1: no room
	id            int   // from 1
}

func (n *net) add(left, right []int) {
	n.lefts, n.rights = append(n.lefts, left...), append(n.rights, right...)
	for _, r := range slices.Concat(left, right) {
		n.low, n.high = min(n.low, r), max(n.high, r)
	}
}

// lead draws the edges as lines into the gaps.
func (p *Plan) lead(pairs []pair, gather int) {
	nets := make([]map[int]*net, len(p.gaps))
	order := make([][]*net, len(p.gaps))
	for i, e := range pairs {
		layer, hub := p.Nodes[e.left].Layer, e.left
		left, right := []int{p.rows[e.left]}, []int{p.rows[e.right]}
		switch {
		case p.Nodes[e.right].Layer == layer:
			hub, left, right = -1-i, append(left, right...), nil // a line of its own
		case layer+1 >= gather:
			hub = e.right
		}
		if nets[layer] == nil {
			nets[layer] = map[int]*net{}
		}
		n := nets[layer][hub]
		if n == nil {
			n = &net{low: p.count, high: -1}
			nets[layer][hub] = n
			order[layer] = append(order[layer], n)
			n.id = len(order[layer])
		}
		n.add(left, right)
		for _, end := range []int{e.from, e.to} {
			if own := [2]int{layer, n.id}; !slices.Contains(p.nets[end], own) {
				p.nets[end] = append(p.nets[end], own)
			}
		}
	}
	for layer := range p.gaps {
		p.gaps[layer] = newGap(order[layer], p.count)
	}
}

// newGap gives each line a track that is free in all its rows, and draws it.
func newGap(nets []*net, rows int) (g gap) {
	byRow := slices.Clone(nets)
	slices.SortStableFunc(byRow, func(a, b *net) int { return cmp.Compare(a.low, b.low) })
	var until []int // the last row of each track
	for _, n := range byRow {
		if n.low == n.high {
			continue
		}
		at := slices.IndexFunc(until, func(last int) bool { return last < n.low })
		switch {
		case at >= 0:
			until[at] = n.high
		case len(until) < maxTracks:
			at = len(until)
			until = append(until, n.high)
		default:
			n.track = -1
			continue
		}
		n.track = at + 1
	}
	g.tracks, g.within = max(len(until), 1), map[int]bool{}
	g.cells = make([][]cell, rows)
	for r := range g.cells {
		g.cells[r] = make([]cell, g.tracks+2)
	}
	for _, n := range nets {
		if len(n.rights) == 0 {
			g.within[n.id] = true
		}
		g.drawDown(n)
	}
	for _, n := range nets {
		g.drawAcross(n)
	}
	return g
}

// drawDown draws the part of a line that joins rows.
func (g *gap) drawDown(n *net) {
	if n.track < 1 {
		return
	}
	for r := n.low; r <= n.high; r++ {
		g.cells[r][n.track] = cell{n.vertical(r), n.id}
	}
}

// vertical is how a line goes on from a row.
func (n *net) vertical(r int) (goes uint8) {
	if r > n.low {
		goes |= goesUp
	}
	if r < n.high {
		goes |= goesDown
	}
	return goes
}

// drawAcross draws the ends of a line. They pass over the tracks of others without a joint.
func (g *gap) drawAcross(n *net) {
	last := g.tracks + 1
	for _, r := range n.lefts {
		switch n.track {
		case -1:
			g.cells[r][0] = cell{g.cells[r][0].goes | isDashed, n.id}
		case 0:
			g.pass(r, 0, last+1, n.id)
		default:
			g.pass(r, 0, n.track, n.id)
			g.joint(r, n, goesLeft)
		}
	}
	for _, r := range n.rights {
		switch n.track {
		case -1:
			g.cells[r][last] = cell{g.cells[r][last].goes | isDashed, n.id}
		case 0:
		default:
			g.pass(r, n.track+1, last+1, n.id)
			g.joint(r, n, goesRight)
		}
	}
}

// pass draws a line from one cell of a row up to another.
func (g *gap) pass(r, from, until, id int) {
	for x := from; x < until; x++ {
		c := &g.cells[r][x]
		if c.goes&(goesLeft|goesRight) == 0 {
			c.goes = 0
		}
		c.goes, c.net = c.goes|goesLeft|goesRight, id
	}
}

func (g *gap) joint(r int, n *net, to uint8) {
	c := &g.cells[r][n.track]
	c.goes, c.net = c.goes|to|n.vertical(r), n.id
}

// glyph is how a cell looks.
func (c cell) glyph(g *theme.Glyphs) string {
	switch c.goes &^ isDashed {
	case 0:
		if c.goes == isDashed {
			return g.DashH
		}
		return " "
	case goesLeft | goesRight, goesLeft, goesRight:
		return g.H
	case goesUp | goesDown, goesUp, goesDown:
		return g.V
	case goesLeft | goesDown:
		return g.TR
	case goesLeft | goesUp:
		return g.BR
	case goesRight | goesDown:
		return g.TL
	case goesRight | goesUp:
		return g.BL
	case goesUp | goesDown | goesRight:
		return g.TeeL
	case goesUp | goesDown | goesLeft:
		return g.TeeR
	case goesLeft | goesRight | goesDown:
		return g.TeeT
	case goesLeft | goesRight | goesUp:
		return g.TeeB
	}
	return g.Cross
}
