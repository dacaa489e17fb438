package connections

import (
	"rdmatui/session"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
)

// From these sizes the events stand beside the identifiers; in less, below them.
const (
	wide = 110
	high = 22
	tiny = 12
)

// face is the panes and how they are laid out at the moment.
type face struct {
	w, h      int
	idsBox    *frame.Box
	aboutBox  *frame.Box
	logBox    *frame.Box
	detailBox *frame.Box
	next      *widget.Func
	nextRows  []row
	entry     *widget.Func
	block     widget.Block
}

func newFace(s *Screen) face {
	f := face{
		idsBox:    frame.New(s.th, "identifiers", s.ids),
		aboutBox:  frame.New(s.th, "", s.about.pager),
		logBox:    frame.New(s.th, "events", s.log),
		detailBox: frame.New(s.th, "event", s.detail),
		next:      &widget.Func{Line: s.drawNext},
		entry:     &widget.Func{Line: s.drawEntry},
	}
	f.aboutBox.Divider = func(part int) string { return [...]string{"next", "the C call, and what came back"}[min(part, 1)] }
	f.detailBox.Head, f.detailBox.Note = s.drawEventName, "E explain"
	return f
}

// SetSize implements widget.Block.
func (s *Screen) SetSize(w, h int) {
	s.face.w, s.face.h = w, h
	s.arrange()
}

// arrange builds the panes for the size; the blocks in them stay.
func (s *Screen) arrange() {
	f := &s.face
	s.ids.Focused = s.focus == paneIDs && s.typing == nil
	s.log.Focused = s.focus == paneEvents && s.typing == nil
	for p := range panes {
		s.box(p).Focused = s.focus == p
	}
	h := f.h
	if s.typing != nil {
		h--
	}
	switch {
	case s.zoom || h < tiny:
		s.fillAbout(f.w-2, h-2)
		s.fillDetail(f.w-2, h-2)
		f.block = s.box(s.focus)
		if s.focus == paneIDs && (len(s.snap.IDs) == 0 || s.draft != nil) {
			f.block = f.aboutBox // an empty list tells nobody how to begin
		}
	case f.w >= wide && h >= high:
		f.block = s.wideFace(h)
	default:
		f.block = s.stackedFace(h)
	}
	if s.typing != nil {
		f.block = layout.NewCol(layout.Flex(1, 3, f.block), layout.Fixed(1, f.entry))
	}
	f.block.SetSize(f.w, f.h)
}

func (s *Screen) box(p pane) *frame.Box {
	return [...]*frame.Box{paneIDs: s.face.idsBox, paneAbout: s.face.aboutBox, paneEvents: s.face.logBox, paneDetail: s.face.detailBox}[p]
}

// idRowsShown is how many rows of identifiers there are, at most most.
func (s *Screen) idRowsShown(most int) int { return max(min(len(s.snap.IDs), most), 1) }

// wideFace has the identifiers on the left, their events on the right.
func (s *Screen) wideFace(h int) widget.Block {
	f := &s.face
	left := f.w * 48 / 100
	top := s.idRowsShown(max(h/5, 3)) + 3
	s.fillAbout(left-2, h-top-2)
	s.fillDetail(f.w-left-2, h/2-2)
	return layout.NewRow(
		layout.Fixed(left, layout.NewCol(layout.Fixed(top, f.idsBox), layout.Flex(1, 8, f.aboutBox))),
		layout.Flex(1, 40, layout.NewCol(layout.Flex(1, 6, f.logBox), layout.Fixed(h/2, f.detailBox))))
}

// stackedFace has them above each other. Where there is little room the keys
// decide whether the identifier or the event is shown.
func (s *Screen) stackedFace(h int) widget.Block {
	f := &s.face
	onEvents := s.focus == paneEvents || s.focus == paneDetail
	if h >= 36 {
		s.fillAbout(f.w-2, h*2/5-2)
		s.fillDetail(f.w-2, h/4-2)
		return layout.NewCol(layout.Fixed(s.idRowsShown(4)+3, f.idsBox), layout.Fixed(h*2/5, f.aboutBox),
			layout.Flex(1, 5, f.logBox), layout.Fixed(h/4, f.detailBox))
	}
	if onEvents {
		s.fillDetail(f.w-2, h*3/5-2)
		return layout.NewCol(layout.Flex(1, 5, f.logBox), layout.Fixed(h*3/5, f.detailBox))
	}
	top := s.idRowsShown(2) + 3
	log := 4
	if h >= 20 {
		log = 7
	}
	if len(s.events.all) == 0 && s.current() == nil {
		log = 0
	}
	s.fillAbout(f.w-2, h-top-log-2)
	if log == 0 {
		return layout.NewCol(layout.Fixed(top, f.idsBox), layout.Flex(1, 7, f.aboutBox))
	}
	return layout.NewCol(layout.Fixed(top, f.idsBox), layout.Flex(1, 7, f.aboutBox), layout.Fixed(log, f.logBox))
}

// fillAbout lays out what is told of the identifier for the inside of its box.
func (s *Screen) fillAbout(w, h int) {
	f := &s.face
	f.aboutBox.Title = s.aboutTitle()
	id := s.current()
	fresh := s.draft == nil && id == nil
	f.nextRows = s.nextRows(w)
	switch {
	case fresh:
		s.start.lay(w, h < 14)
		s.about.show(s.start.rows)
	case id == nil || s.draft != nil:
		s.about.show(s.draftRows(w))
	default:
		s.about.lay(id, facts{s.wishFor(id.Name).serves, s.onEthernet(id), s.start.reachedAt(), s.now(), h < 18}, w)
	}
	if fresh && h < 14 {
		f.aboutBox.SetParts(layout.Flex(1, 2, s.about.pager))
		return
	}
	most := max(h/3, 2)
	if h >= 12 {
		most = max(h-len(s.about.rows)-7, 3)
	}
	parts := []layout.Child{layout.Flex(1, 2, s.about.pager), layout.Fixed(min(len(f.nextRows), most), f.next)}
	if h >= 12 {
		parts = append(parts, layout.Fixed(max(min(h/5, 5), 3), s.outcome).OrDrop(1))
	}
	f.aboutBox.SetParts(parts...)
}

func (s *Screen) aboutTitle() string {
	id := s.current()
	switch {
	case s.draft != nil && s.draft.serves:
		return "new: " + s.draft.name + ", a server"
	case s.draft != nil:
		return "new: " + s.draft.name + ", a client"
	case id == nil:
		return "no identifier yet: how to begin"
	case id.State == session.IDRequest:
		return id.Name + " asks for a connection"
	}
	return id.Name + " is in " + id.State.String()
}

// fillDetail gives the private data as many rows as it has, at most half.
func (s *Screen) fillDetail(w, h int) {
	parts := []layout.Child{layout.Flex(1, 2, s.detail)}
	if n := s.detail.bytes(); n > 0 && h >= 5 {
		per := 16
		if w < 75 {
			per = 8
		}
		parts = append(parts, layout.Fixed(min((n+per-1)/per, max(h/3, 2)), s.detail.dump).OrDrop(1))
	}
	s.face.detailBox.SetParts(parts...)
	s.face.detailBox.Divider = func(int) string { return "private data" }
}

func (s *Screen) drawNext(b *line.Buf, y, _, _ int) {
	if y < len(s.face.nextRows) {
		s.face.nextRows[y](b)
	}
}

func (s *Screen) drawEntry(b *line.Buf, _, _, _ int) {
	if s.typing == nil {
		return
	}
	b.Text(s.typing.label, s.th.Label)
	s.input.Draw(b, b.Room())
}

// drawEventName names the event in the title of its box.
func (s *Screen) drawEventName(b *line.Buf) {
	if s.detail.some {
		b.Space(1)
		drawType(b, &s.detail.event, s.th)
	}
}

// DrawLine implements widget.Block.
func (s *Screen) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		s.arrange()
	}
	s.face.block.DrawLine(b, y)
}

// Mouse implements widget.Mouser.
func (s *Screen) Mouse(m widget.Mouse) bool {
	t, ok := s.face.block.(widget.Mouser)
	if !ok || s.typing != nil {
		return false
	}
	at := s.ids.Cursor()
	if !t.Mouse(m) {
		return false
	}
	if s.ids.Cursor() != at {
		s.pickID()
	}
	s.followEvent()
	s.retitle()
	return true
}
