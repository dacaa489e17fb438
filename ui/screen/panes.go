package screen

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// Pane numbers a part of a screen that can have the focus.
type Pane int

// Panes is the panes of a screen, for embedding: their focus, and their layout in the
// current frame.
type Panes struct {
	Focus Pane
	Zoom  bool // the focused pane has all the room
	// The focus cycles from First through Count panes. esc returns it to First.
	First Pane
	Count int
	W, H  int // of all panes, without the line for typing

	Entry Entry
	Boxes []*widget.Box // by pane, nil before its first layout; they show the focus, and a click on one focuses it
	// Lay lays out all panes, once per frame and for every size.
	Lay func() widget.Block
	// CopyTexts lists what can be copied from a pane; nil or empty: the pane's text.
	Texts func(at Pane) []CopyText
	// Hides reports which panes are not shown now, never the first; nil: none.
	Hides func(at Pane) bool
	// Used is called after a mouse action on a pane; may be nil.
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
		if b == nil {
			continue
		}
		b.Focused = Pane(i) == p.Focus && !p.Entry.Open()
		b.Clicked = func() { p.Focus = Pane(i) }
	}
	p.block = p.Lay()
	if p.Entry.Open() {
		p.block = widget.NewCol(widget.Flex(1, 3, p.block), widget.Fixed(1, &p.Entry))
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

// Mouse implements widget.Mouser. While the user is typing it does nothing.
func (p *Panes) Mouse(m widget.Mouse) bool {
	if m.Kind == widget.Click && m.Y == p.h-1 && p.Entry.click(m.X) {
		return true
	}
	t, ok := p.block.(widget.Mouser)
	if !ok || p.Entry.Open() || !t.Mouse(m) {
		return false
	}
	if p.Used != nil {
		p.Used()
	}
	return true
}

// Has reports whether a pane has the focus and the user is not typing below.
func (p *Panes) Has(at Pane) bool { return p.Focus == at && !p.Entry.Open() }

// Box is the frame of the focused pane.
func (p *Panes) Box() *widget.Box { return p.Boxes[p.Focus] }

// Typing implements screen.Screen for a screen without other fields.
func (p *Panes) Typing() bool { return p.Entry.Open() }

// Input handles the line below the panes, and the keys that move the focus and
// enlarge a pane.
func (p *Panes) Input(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	_, isPaste := msg.(tea.PasteMsg)
	_, isClick := msg.(tea.MouseClickMsg)
	p.Leave(msg)
	switch {
	case isClick && p.Entry.clicked > 0:
		i := p.Entry.clicked - 1
		p.Entry.clicked = 0
		return p.Entry.choose(i), true
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
	case keymap.Matches(k, keymap.Pane.Copy):
		return p.copyPane(), true
	default:
		return nil, false
	}
	return nil, true
}

func (p *Panes) turn(by int) {
	for next := true; next; next = p.Hides != nil && p.Hides(p.Focus) {
		p.Focus = p.First + Pane((int(p.Focus-p.First)+by+p.Count)%p.Count)
	}
}

// Back ends the zoom, or else returns the focus to the first pane. It reports whether
// it did either.
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

// copyPane offers what can be copied from the focused pane.
func (p *Panes) copyPane() tea.Cmd {
	var texts []CopyText
	if p.Texts != nil {
		texts = p.Texts(p.Focus)
	}
	if box := p.Box(); len(texts) == 0 && box != nil {
		texts = CopyTexts(CopyText{"pane", box.Text()})
	}
	if len(texts) == 0 {
		return Warn("Nothing to copy here")
	}
	var list []Choice
	for _, t := range texts {
		list = append(list, Choice{t.Name, func() tea.Cmd { return Copy(t.Text) }})
	}
	return p.Entry.Pick("copy", list)
}

// Action ties a key to its action on a screen.
type Action[S any] struct {
	key  *key.Binding
	do   func(S) tea.Cmd
	when func(S) bool // nil: always
}

// On makes an action of a key. If do is nil, another part of the screen handles the key.
func On[S any](k *key.Binding, do func(S) tea.Cmd) Action[S] { return Action[S]{key: k, do: do} }

// When sets the condition under which the key can be used. Otherwise the bottom line
// omits it; if pressed, it says why it does nothing.
func (a Action[S]) When(when func(S) bool) Action[S] {
	a.when = when
	return a
}

// FormActions are the keys of a form that the form handles itself; of returns it while it has the focus, otherwise
// nil.
func FormActions[S any](of func(S) *widget.Form) []Action[S] {
	when := func(can func(*widget.Form) bool) func(S) bool {
		return func(s S) bool { f := of(s); return f != nil && can(f) }
	}
	return []Action[S]{
		On[S](&keymap.Form.Edit, nil).When(when((*widget.Form).Edits)),
		On[S](&keymap.Form.Toggle, nil).When(when((*widget.Form).Cycles)),
		On[S](&keymap.Form.Clear, nil).When(when((*widget.Form).Clears)),
	}
}

// ActionOf returns the action of a key, nil if there is none; the first list that has the
// key wins.
func ActionOf[S any](k tea.KeyPressMsg, lists ...[]Action[S]) func(S) tea.Cmd {
	for _, list := range lists {
		for _, a := range list {
			if a.do != nil && keymap.Matches(k, *a.key) {
				return a.do
			}
		}
	}
	return nil
}

// Do runs the action of a key, if there is one.
func Do[S any](s S, k tea.KeyPressMsg, lists ...[]Action[S]) (cmd tea.Cmd, taken bool) {
	if do := ActionOf(k, lists...); do != nil {
		return do(s), true
	}
	return nil, false
}

// ContextNow returns a context in which the keys that cannot be used now are separate.
func ContextNow[S any](s S, c keymap.Context, list []Action[S]) keymap.Context {
	off := map[string]bool{}
	for _, a := range list {
		if a.when != nil && !a.when(s) {
			off[a.key.Keys()[0]] = true
		}
	}
	return c.Only(func(b key.Binding) bool { return !off[b.Keys()[0]] })
}
