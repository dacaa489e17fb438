package scenarios

import (
	"fmt"

	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
)

// From these sizes panes stand beside each other; in less, one has the room.
const (
	beside = 64  // list and form
	middle = 110 // line and request, below the script
	wide   = 160 // both beside the script
	tiny   = 12

	stages      = 8 // of a request
	leastFields = 4 // what a scenario teaches comes before the other parameters
)

// face is the panes and how they are laid out at the moment.
type face struct {
	w, h      int
	listBox   *frame.Box
	aboutBox  *frame.Box
	scriptBox *frame.Box
	detailBox *frame.Box
	timesBox  *frame.Box
	partner   *widget.Func
	partnerOf []row
	fieldRows int
	alone     bool // one pane has all the room
	state     *widget.Func
	stateRows []row
	entry     *widget.Func
	block     widget.Block
}

func newFace(s *Screen) face {
	f := face{
		listBox:   frame.New(s.th, "scenarios", s.table),
		aboutBox:  frame.New(s.th, "", s.about),
		scriptBox: frame.New(s.th, "", s.script),
		detailBox: frame.New(s.th, "the line", s.detail),
		timesBox:  frame.New(s.th, "", s.times),
		partner:   &widget.Func{Line: func(b *line.Buf, y, _, _ int) { drawRow(b, s.face.partnerOf, y) }},
		state:     &widget.Func{Line: func(b *line.Buf, y, _, _ int) { drawRow(b, s.face.stateRows, y) }},
		entry:     &widget.Func{Line: func(b *line.Buf, _, _, _ int) { s.filter.Draw(b) }},
	}
	f.aboutBox.Divider = func(part int) string {
		if part > 0 {
			if c := s.current(); c != nil && c.exp != nil {
				return "without a screen"
			}
			return "at the other side"
		}
		return s.formTitle()
	}
	return f
}

func drawRow(b *line.Buf, list []row, y int) {
	if y < len(list) {
		list[y](b)
	}
}

// SetSize implements widget.Block.
func (s *Screen) SetSize(w, h int) {
	s.face.w, s.face.h = w, h
	s.arrange()
}

// arrange builds the panes for the size; the blocks in them stay.
func (s *Screen) arrange() {
	f := &s.face
	s.table.Focused = s.focus == paneList && !s.filter.Open
	s.form.Focused = s.focus == paneForm
	s.script.Focused = s.focus == paneScript
	for p := paneList; p <= paneTimes; p++ {
		s.box(p).Focused = s.focus == p
	}
	h := f.h
	if s.filter.Open {
		h--
	}
	if s.running() {
		f.block = s.runFace(h)
	} else {
		f.block = s.chooseFace(h)
	}
	if s.filter.Open {
		f.block = layout.NewCol(layout.Flex(1, 3, f.block), layout.Fixed(1, f.entry))
	}
	f.block.SetSize(f.w, f.h)
}

func (s *Screen) box(p pane) *frame.Box {
	f := &s.face
	return [...]*frame.Box{paneList: f.listBox, paneForm: f.aboutBox, paneScript: f.scriptBox, paneDetail: f.detailBox, paneTimes: f.timesBox}[p]
}

// listNote tells what is searched for, or that the list goes on: a small screen has
// the error lab below its edge.
func (s *Screen) listNote() string {
	_, to := s.table.Visible()
	switch {
	case s.list.text != "":
		return fmt.Sprintf("/%s, %d of %d", s.list.text, len(s.list.view), len(s.list.all))
	case to >= s.list.Len():
		return ""
	case s.face.w < middle:
		return s.th.Glyphs.Down
	}
	return s.th.Glyphs.Down + " more"
}

// chooseFace has the list on the left, what is told of one on the right.
func (s *Screen) chooseFace(h int) widget.Block {
	f := &s.face
	if s.zoom || f.w < beside || h < tiny {
		s.fillAbout(f.w-2, h-2)
		return s.box(s.focus)
	}
	left := 18
	switch {
	case f.w >= wide:
		left = f.w * 50 / 100
	case f.w >= middle:
		left = f.w * 46 / 100
	}
	s.fillAbout(f.w-left-2, h-2)
	return layout.NewRow(layout.Fixed(left, f.listBox), layout.Flex(1, 40, f.aboutBox))
}

// fillAbout lays out what is told of the scenario for the inside of its box.
func (s *Screen) fillAbout(w, h int) {
	f := &s.face
	f.aboutBox.Title = "none"
	if sc := s.list.at(s.table.Cursor()); sc != nil {
		f.aboutBox.Title = sc.Name
	}
	s.layAbout(w)
	f.partnerOf = s.partnerRows(w)
	text, other, fields := s.about.Len(), len(f.partnerOf), s.form.Lines()
	room := h - 2 // without the dividers
	fields = min(fields, max(room-text-other, leastFields))
	f.fieldRows = fields
	f.aboutBox.SetParts(layout.Flex(1, 1, s.about).OrDrop(2), layout.Fixed(max(fields, 1), s.form), layout.Fixed(min(other, max(room-fields-1, 1)), f.partner).OrDrop(1))
	if h < 5 || s.form.Editing() && room < 8 {
		f.aboutBox.SetParts(layout.Flex(1, 1, s.form))
	}
}

// formTitle says if there are more parameters than are shown.
func (s *Screen) formTitle() string {
	if n := s.form.Lines(); n > s.face.fieldRows {
		return fmt.Sprintf("parameters: %d of %d, e and the arrows show the others", s.face.fieldRows, n)
	}
	return "parameters"
}

// runFace has the script, and beside or below it the line under the cursor and the
// way of the last request.
func (s *Screen) runFace(h int) widget.Block {
	f := &s.face
	f.scriptBox.Title, f.scriptBox.Note = s.st.title(), s.st.progress()
	if s.st.keep {
		f.scriptBox.Note += ", kept"
	}
	f.timesBox.Title = s.timesTitle()
	side, main := f.w, f.w
	switch {
	case f.w >= wide:
		side = f.w * 36 / 100
		main = f.w - side
	case f.w >= middle:
		side = f.w / 2
	}
	s.layDetail(side-2, s.detailHeight(h)-2)
	f.detailBox.Title = s.detailTitle()
	s.layTimes(side - 2)
	f.alone = s.zoom || h < tiny
	f.stateRows = s.statusRows(main - 2)
	state := min(len(f.stateRows), max(h/4, 1))
	if f.scriptBox.SetParts(layout.Flex(1, 2, s.script)); state > 0 {
		f.scriptBox.SetParts(layout.Flex(1, 2, s.script), layout.Fixed(state, f.state))
	}
	switch {
	case f.alone:
		return s.box(s.focus)
	case f.w >= wide && h >= 20:
		return layout.NewRow(layout.Flex(1, 40, f.scriptBox), layout.Fixed(side,
			layout.NewCol(layout.Flex(1, 6, f.detailBox), layout.Fixed(s.timesHeight(h), f.timesBox))))
	case f.w >= middle && h >= 20:
		return layout.NewCol(layout.Flex(1, 8, f.scriptBox), layout.Fixed(s.timesHeight(h),
			layout.NewRow(layout.Flex(1, 40, f.detailBox), layout.Fixed(side, f.timesBox))))
	case h >= 36:
		return layout.NewCol(layout.Flex(1, 10, f.scriptBox), layout.Fixed(10, f.detailBox), layout.Fixed(s.timesHeight(h), f.timesBox))
	}
	lower := max(h*2/5, 6)
	if s.focus == paneTimes {
		lower = stages + 2
	}
	return layout.NewCol(layout.Flex(1, 7, f.scriptBox), layout.Fixed(lower, s.lower()))
}

// detailHeight is that of the pane of the line under the cursor, at least.
func (s *Screen) detailHeight(h int) int {
	switch f := &s.face; {
	case s.zoom || h < tiny:
		return h
	case f.w >= wide && h >= 20:
		return h - s.timesHeight(h)
	case f.w >= middle && h >= 20:
		return s.timesHeight(h)
	case h >= 36:
		return 10
	}
	return max(h*2/5, 6)
}

// timesHeight is that of the pane of the last request: its stages, or of an experiment
// all that is told, as far as there is room.
func (s *Screen) timesHeight(h int) int {
	if s.st.exp == nil {
		return stages + 2
	}
	return max(min(s.times.Len()+2, h/2), stages+2)
}

// lower is the one of two panes that is shown where there is no room for both.
func (s *Screen) lower() *frame.Box {
	if s.focus == paneTimes {
		return s.face.timesBox
	}
	return s.face.detailBox
}

// DrawLine implements widget.Block.
func (s *Screen) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		s.arrange()
		s.face.listBox.Note = s.listNote()
	}
	s.face.block.DrawLine(b, y)
}

// Mouse implements widget.Mouser.
func (s *Screen) Mouse(m widget.Mouse) bool {
	t, ok := s.face.block.(widget.Mouser)
	if !ok || s.filter.Open || s.form.Editing() || !t.Mouse(m) {
		return false
	}
	if !s.running() {
		s.pick()
	}
	return true
}
