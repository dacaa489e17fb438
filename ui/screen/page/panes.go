package page

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
)

// Pane numbers a part of a screen that can have the keys.
type Pane int

// Panes is the panes of a screen, for embedding: which of them has the keys, and
// how they are laid out in the frame at hand.
type Panes struct {
	Focus Pane
	Zoom  bool // the pane that has the keys has all the room
	// The keys go around from First on through Count panes. First is where esc leads.
	First Pane
	Count int
	W, H  int // of all panes, without the line in which one types

	Entry Entry
	Boxes []*frame.Box // by pane, where each keeps its frame; they show the focus
	// Lay makes the block of all panes, once a frame and for every size.
	Lay func() widget.Block
	// Used is called after the mouse did something to a pane; nil: nothing is to do.
	Used func()

	w, h  int
	block widget.Block
}

// SetSize implements widget.Block.
func (p *Panes) SetSize(w, h int) {
	p.w, p.h = w, h
	p.arrange()
}

func (p *Panes) arrange() {
	p.W, p.H = p.w, p.h
	if p.Entry.Open() {
		p.H = max(p.h-1, 0)
	}
	for i, b := range p.Boxes {
		b.Focused = Pane(i) == p.Focus
	}
	p.block = p.Lay()
	if p.Entry.Open() {
		p.block = layout.NewCol(layout.Flex(1, 3, p.block), layout.Fixed(1, &p.Entry))
	}
	p.block.SetSize(p.w, p.h)
}

// DrawLine implements widget.Block.
func (p *Panes) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		p.arrange()
	}
	p.block.DrawLine(b, y)
}

// Mouse implements widget.Mouser. While something is typed it does nothing.
func (p *Panes) Mouse(m widget.Mouse) bool {
	t, ok := p.block.(widget.Mouser)
	if !ok || p.Entry.Open() || !t.Mouse(m) {
		return false
	}
	if p.Used != nil {
		p.Used()
	}
	return true
}

// Has reports whether a pane has the keys, and nothing is being typed.
func (p *Panes) Has(at Pane) bool { return p.Focus == at && !p.Entry.Open() }

// Box is the frame of the pane that has the keys.
func (p *Panes) Box() *frame.Box { return p.Boxes[p.Focus] }

// Typing implements screen.Screen for a screen without other fields.
func (p *Panes) Typing() bool { return p.Entry.Open() }

// Input takes what is typed into the line below the panes, and the keys that go
// from pane to pane and enlarge one.
func (p *Panes) Input(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	_, isPaste := msg.(tea.PasteMsg)
	switch {
	case !isKey && !isPaste:
		return nil, false
	case p.Entry.Open():
		return p.Entry.take(msg), true
	case !isKey:
		return nil, false
	case keymap.Matches(k, keymap.Pane.Next):
		p.turn(1)
	case keymap.Matches(k, keymap.Pane.Prev):
		p.turn(-1)
	case keymap.Matches(k, keymap.Pane.Zoom):
		p.Zoom = !p.Zoom
	default:
		return nil, false
	}
	return nil, true
}

func (p *Panes) turn(by int) {
	p.Focus = p.First + Pane((int(p.Focus-p.First)+by+p.Count)%p.Count)
}

// Back ends what enlarges a pane, or else gives the keys to the first pane. It
// reports whether there was something to end.
func (p *Panes) Back() bool {
	switch {
	case p.Zoom:
		p.Zoom = false
	case p.Focus != p.First:
		p.Focus = p.First
	default:
		return false
	}
	return true
}

// touch gives a pane the keys when the mouse uses it.
type touch struct {
	*frame.Box
	touched func()
}

// Touch makes a box whose pane is told of a click, or of what else the mouse did there.
func Touch(box *frame.Box, touched func()) widget.Block { return &touch{box, touched} }

// Mouse implements widget.Mouser.
func (t *touch) Mouse(m widget.Mouse) bool {
	used := t.Box.Mouse(m)
	if m.Kind == widget.Click || used {
		t.touched()
		return true
	}
	return false
}

// Action ties a key to what it does on a screen.
type Action[S any] struct {
	key *key.Binding
	do  func(S) tea.Cmd
}

// On makes an action of a key.
func On[S any](k *key.Binding, do func(S) tea.Cmd) Action[S] { return Action[S]{k, do} }

// Do does what a key stands for in the lists, the first of which wins.
func Do[S any](s S, k tea.KeyPressMsg, lists ...[]Action[S]) (cmd tea.Cmd, taken bool) {
	for _, list := range lists {
		for _, a := range list {
			if keymap.Matches(k, *a.key) {
				return a.do(s), true
			}
		}
	}
	return nil, false
}
