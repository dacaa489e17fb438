package widget

import (
	"slices"

	"rdmatui/ui/widget/line"
)

// Child is a block and the space it wants.
type Child struct {
	Block
	Space
}

// Fixed wants exactly n cells.
func Fixed(n int, b Block) Child { return Child{b, Space{Size: n}} }

// Flex shares spare space by weight, and never gets less than least cells as long
// as there is any space.
func Flex(weight, least int, b Block) Child {
	return Child{b, Space{Weight: weight, Min: least}}
}

// Rest takes all spare space, as the only child that takes some: [Flex] with any weight.
func Rest(least int, b Block) Child { return Flex(1, least, b) }

// OrDrop lets the child be left out when space is short, the highest level first.
func (c Child) OrDrop(level int) Child { c.Drop = level; return c }

// split is what Row and Col share: the sizes along the one axis.
type split struct {
	kids  []Child
	items []Space
	size  []int
}

func (s *split) set(kids []Child) {
	s.kids, s.items = kids, s.items[:0]
	for _, k := range kids {
		s.items = append(s.items, k.Space)
	}
}

func (s *split) solve(total int) { s.size = Divide(s.size[:0], total, 0, s.items) }

// at finds the child at a position along the axis, and where it starts.
func (s *split) at(pos int) (child, start int) {
	for i, n := range s.size {
		if pos >= start && pos < start+n {
			return i, start
		}
		start += n
	}
	return -1, 0
}

func (s *split) pass(child int, m Mouse) bool {
	if child < 0 {
		return false
	}
	t, ok := s.kids[child].Block.(Mouser)
	return ok && t.Mouse(m)
}

// Row lays blocks side by side.
type Row struct{ split }

// NewRow makes a row; wider children first lose what later ones need.
func NewRow(kids ...Child) *Row {
	r := &Row{}
	r.set(kids)
	return r
}

// SetChildren replaces the children; SetSize must follow.
func (r *Row) SetChildren(kids ...Child) { r.set(kids) }

// SetSize implements Block.
func (r *Row) SetSize(w, h int) {
	r.solve(w)
	for i, k := range r.kids {
		if r.size[i] > 0 {
			k.SetSize(r.size[i], h)
		}
	}
}

// DrawLine implements Block.
func (r *Row) DrawLine(b *line.Buf, y int) {
	for i, k := range r.kids {
		if r.size[i] == 0 {
			continue
		}
		reg := b.Begin(r.size[i])
		k.DrawLine(b, y)
		b.End(reg)
	}
}

// Below implements Scroller.
func (r *Row) Below() (n int) {
	for i, k := range r.kids {
		if r.size[i] > 0 {
			n = max(n, Below(k.Block))
		}
	}
	return n
}

// Hit returns the index of the child at a cell, and its left column; -1 for none.
func (r *Row) Hit(x, _ int) (child, left int) { return r.at(x) }

// Mouse implements Mouser.
func (r *Row) Mouse(m Mouse) bool {
	i, left := r.at(m.X)
	return r.pass(i, m.In(left, 0))
}

// Col stacks blocks.
type Col struct{ split }

// NewCol makes a column of blocks from the top down.
func NewCol(kids ...Child) *Col {
	c := &Col{}
	c.set(kids)
	return c
}

// SetChildren replaces the children; SetSize must follow.
func (c *Col) SetChildren(kids ...Child) { c.set(kids) }

// SetSize implements Block.
func (c *Col) SetSize(w, h int) {
	c.solve(h)
	for i, k := range c.kids {
		if c.size[i] > 0 {
			k.SetSize(w, c.size[i])
		}
	}
}

// DrawLine implements Block.
func (c *Col) DrawLine(b *line.Buf, y int) {
	if i, top := c.at(y); i >= 0 {
		c.kids[i].DrawLine(b, y-top)
	}
}

// Below implements Scroller: the rows below the last child.
func (c *Col) Below() int {
	for i, k := range slices.Backward(c.kids) {
		if c.size[i] > 0 {
			return Below(k.Block)
		}
	}
	return 0
}

// Hit returns the index of the child at a cell, and its top row; -1 for none.
func (c *Col) Hit(_, y int) (child, top int) { return c.at(y) }

// Mouse implements Mouser.
func (c *Col) Mouse(m Mouse) bool {
	i, top := c.at(m.Y)
	return c.pass(i, m.In(0, top))
}
