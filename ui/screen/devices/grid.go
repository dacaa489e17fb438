package devices

import (
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// slot is the place of a pane: the sections that share it; none for the list.
type slot struct {
	secs   []sectionID
	weight int // share of the column's height; 0: the height of the list
}

// stack is a column of slots.
type stack struct {
	widget.Space
	slots []slot
}

// shape is a layout for windows of at least a size.
type shape struct {
	minW, minH int
	stacks     []stack
}

var (
	listSlot = slot{}
	all      = []sectionID{attributes, ports, gids, counters, host, holders, diagnosis}
)

// shapes go from the largest to the one that always fits.
var shapes = []shape{
	{170, 28, []stack{
		{widget.Space{Size: 46}, []slot{listSlot, {[]sectionID{host}, 3}, {[]sectionID{holders}, 2}}},
		{widget.Space{Min: 20, Weight: 8}, []slot{{[]sectionID{attributes, diagnosis}, 1}}},
		{widget.Space{Min: 20, Weight: 6},
			[]slot{{[]sectionID{ports}, 4}, {[]sectionID{gids}, 2}, {[]sectionID{counters}, 3}}},
	}},
	{108, 24, []stack{
		{widget.Space{Size: 40}, []slot{listSlot, {[]sectionID{host, holders}, 1}}},
		{widget.Space{Min: 60, Weight: 1},
			[]slot{{[]sectionID{attributes, ports, diagnosis}, 3}, {[]sectionID{gids, counters}, 2}}},
	}},
	{0, 13, []stack{{widget.Space{Weight: 1}, []slot{listSlot, {all, 1}}}}},
}

// lowUnder is the height below which the list and a section share the window, and the
// one without the focus shrinks.
const lowUnder = 28

// situation is everything that the layout depends on.
type situation struct {
	w, h, list  int
	alone, none bool
	crowded     bool
	inList      bool
	stamp       [sections]int // which section is in front
	wants       [sections]int // rows that each would fill; 0: all available
	low         bool          // the list shrinks to one line while a section has the focus
}

// grid is the panes shown, as last laid out.
type grid struct {
	is    situation
	panes []*pane
	block widget.Block
}

// lay places the panes again if anything they depend on has changed.
func (s *Screen) lay() widget.Block {
	g, w, h := &s.grid, s.W, s.H
	if w <= 0 || h <= 0 { // before the first frame: which panes are visible is not known
		g.panes, g.block = nil, nil
		s.Boxes, s.Focus = make([]*widget.Box, 1), 0
		return &widget.Func{Line: func(*line.Buf, int, int, int) {}}
	}
	is := situation{
		w: w, h: h, list: s.list.wants(), none: s.loaded && s.name == "",
		stamp: s.stamp, wants: s.wants(),
	}
	shape := pick(w, h)
	// The diagnosis is unreadable beside another pane.
	is.crowded = shape != nil && len(shape.stacks) == 1 && s.sec == diagnosis && !s.inList
	is.alone = s.Zoom || shape == nil || is.none || is.crowded
	if is.alone || len(shape.stacks) == 1 && h < lowUnder {
		is.inList, is.low = s.inList, !is.alone
	}
	if is != g.is || g.block == nil {
		g.is = is
		g.place(s, shape)
	}
	s.Boxes, s.Focus = s.Boxes[:0], 0
	for i, p := range g.panes {
		s.Boxes = append(s.Boxes, p.box)
		if p.focused() {
			s.Focus = screen.Pane(i)
		}
	}
	return g.block
}

func pick(w, h int) *shape {
	for i := range shapes {
		if w >= shapes[i].minW && h >= shapes[i].minH {
			return &shapes[i]
		}
	}
	return nil
}

func (g *grid) place(s *Screen, sh *shape) {
	g.panes = g.panes[:0]
	if g.is.alone {
		p := newPane(s, all...)
		switch {
		case g.is.none, g.is.crowded:
			p = newPane(s, diagnosis)
		case g.is.inList:
			p = newPane(s)
		}
		g.panes, g.block = append(g.panes, p), framed{p}
		return
	}
	var columns []widget.Child
	for _, st := range sh.stacks {
		columns = append(columns, widget.Child{Block: g.pile(s, st.slots), Space: st.Space})
	}
	g.block = widget.NewRow(columns...)
}

// pile places the slots of one column.
func (g *grid) pile(s *Screen, slots []slot) *widget.Col {
	kids := make([]widget.Child, len(slots))
	weights, room, short := 0, g.is.h, false
	for i, sl := range slots {
		p := newPane(s, sl.secs...)
		g.panes = append(g.panes, p)
		kids[i] = widget.Child{Block: framed{p}, Space: widget.Space{Min: 4, Weight: sl.weight}}
		if p.isList() {
			kids[i].Space = widget.Space{Size: g.listHeight()}
			room -= kids[i].Size
			continue
		}
		weights += sl.weight
	}
	piled := g.panes[len(g.panes)-len(slots):]
	for i, p := range piled {
		share := room * kids[i].Weight / max(weights, 1)
		switch want := g.want(p); {
		case p.isList():
		case want == 0 || want > share:
			kids[i].Size, short = share, true
		default:
			kids[i].Size = want
		}
	}
	for i, p := range piled {
		if want := g.want(p); short && want > 0 && kids[i].Size == want {
			kids[i].Weight = 0 // the remaining room goes to panes with more rows than their share
		}
	}
	return widget.NewCol(kids...)
}

func (g *grid) listHeight() int {
	if g.is.low && !g.is.inList {
		return 3
	}
	return min(g.is.list+2, max(g.is.h*9/20, 6))
}

// want returns the height at which a pane shows all its rows, frame included; 0: none.
func (g *grid) want(p *pane) int {
	if p.isList() || g.is.wants[p.current()] == 0 {
		return 0
	}
	return g.is.wants[p.current()] + 2
}

// wants returns how many rows each section would fill. The attributes and the
// diagnosis take all available rows, and so does a section that is still being read,
// so that panes do not jump.
func (s *Screen) wants() (rows [sections]int) {
	for id, sh := range s.sheets {
		if sh == nil || sectionID(id) == attributes || len(sh.all) == 0 && sh.note == reading {
			continue
		}
		rows[id] = max(len(sh.all), sh.Len()) + 1 + aboutRows // 1: titles
	}
	return rows
}

// visible reports whether a section can be seen.
func (s *Screen) visible(id sectionID) bool {
	if len(s.grid.panes) == 0 {
		return true // not known yet: let the first frame be complete
	}
	for _, p := range s.grid.panes {
		if !p.isList() && p.current() == id {
			return true
		}
	}
	return false
}
