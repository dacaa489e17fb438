package scenarios

import (
	"cmp"
	"fmt"

	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// From these sizes panes are side by side; in less, one has all the room.
const (
	beside = 64  // list and form
	middle = 110 // line and request, below the script
	wide   = 160 // both beside the script
	tiny   = 12
	tall   = 50 // room for the notes of the steps

	besideList  = 60 // a scenario's description, and its form
	stepRows    = 8  // rows of the smallest diagram of a request
	leastFields = 4  // the description comes before further parameters
)

// face is the content of the panes besides their blocks.
type face struct {
	partner   *widget.Func
	partnerOf []row
	alone     bool // one pane has all the room
	state     *widget.Func
	stateRows []row
}

func newFace(s *Screen) face {
	return face{
		partner: &widget.Func{Line: func(b *line.Buf, y, _, _ int) { drawRow(b, s.face.partnerOf, y) }},
		state:   &widget.Func{Line: func(b *line.Buf, y, _, _ int) { drawRow(b, s.face.stateRows, y) }},
	}
}

func newPanes(s *Screen) screen.Panes {
	about := widget.NewBox(s.th, "", s.about)
	about.Divider = func(part int) string {
		if part > 0 {
			if c := s.current(); c != nil && c.exp != nil {
				return "without a screen"
			}
			return "at the peer"
		}
		return "parameters"
	}
	return screen.Panes{Count: 2, Entry: screen.NewEntry(s.th), Lay: s.lay, Used: s.pointed,
		Texts: func(at screen.Pane) []screen.CopyText { return texts(s, at) }, Boxes: []*widget.Box{
			paneList: widget.NewBox(s.th, "scenarios", s.table), paneForm: about,
			paneScript: widget.NewBox(s.th, "", s.script), paneDetail: widget.NewBox(s.th, "the line", s.detail),
			paneTimes: widget.NewBox(s.th, "", s.times),
		}}
}

// texts lists what can be copied from a pane.
func texts(s *Screen, at screen.Pane) []screen.CopyText {
	switch at {
	case paneList:
		return screen.CopyTexts(screen.CopyText{Name: "row", Text: s.table.Text()},
			screen.CopyText{Name: "without a screen", Text: headless(s)},
			screen.CopyText{Name: "at the peer", Text: partnerLine(s)})
	case paneForm:
		field, value := s.form.Name(), ""
		for _, f := range s.form.Fields() {
			if f.Name == field {
				value = f.Value
			}
		}
		return screen.CopyTexts(screen.CopyText{Name: "value", Text: value},
			screen.CopyText{Name: "without a screen", Text: headless(s)},
			screen.CopyText{Name: "at the peer", Text: partnerLine(s)})
	case paneTimes:
		return nil
	}
	i := s.script.Cursor()
	if i < 0 || i >= len(s.st.lines) {
		return nil
	}
	d := &s.st.past[i].done
	return screen.CopyTexts(screen.CopyText{Name: "command", Text: s.st.lines[i].Text},
		screen.CopyText{Name: "C call", Text: d.Call()},
		screen.CopyText{Name: "result", Text: cmp.Or(d.Err, d.Result)}, screen.CopyText{Name: "row",
			Text: s.script.Text()})
}

// headless returns the command line that does the same without a screen; "" for the
// heading.
func headless(s *Screen) string {
	c := s.current()
	if c == nil || c.exp == nil {
		return ""
	}
	return c.labLine()
}

// partnerLine returns the line to type at the peer, "" if both ends are here.
func partnerLine(s *Screen) string {
	if c := s.current(); c == nil || c.both {
		return ""
	}
	return s.told.Partner
}

// pointed updates the screen after a mouse action.
func (s *Screen) pointed() {
	if !s.running() {
		s.pick()
	}
}

func drawRow(b *line.Buf, list []row, y int) {
	if y < len(list) {
		list[y](b)
	}
}

// lay builds the panes for the size and reuses their blocks.
func (s *Screen) lay() widget.Block {
	s.table.Focused, s.form.Focused, s.script.Focused = s.Has(paneList), s.Focus == paneForm, s.Focus == paneScript
	if s.running() {
		return s.runFace(s.H)
	}
	block := s.chooseFace(s.H)
	block.SetSize(s.W, s.H)
	if s.Boxes[paneList].Note = ""; s.list.text != "" {
		s.Boxes[paneList].Note = fmt.Sprintf("/%s, %d of %d", s.list.text, len(s.list.view), len(s.list.all))
	}
	return block
}

// chooseFace puts the list on the left, the selected entry on the right.
func (s *Screen) chooseFace(h int) widget.Block {
	if s.Zoom || s.W < beside || h < tiny {
		s.fillAbout(s.W-2, h-2)
		return s.Box()
	}
	left := s.list.width(s.W, besideList)
	s.fillAbout(s.W-left-2, h-2)
	return widget.NewRow(widget.Fixed(left, s.Boxes[paneList]), widget.Flex(1, 40, s.Boxes[paneForm]))
}

// fillAbout lays out the description of the scenario for the inside of its box.
func (s *Screen) fillAbout(w, h int) {
	f := &s.face
	s.Boxes[paneForm].Title = "none"
	if sc := s.list.at(s.table.Cursor()); sc != nil {
		s.Boxes[paneForm].Title = sc.Name
	}
	s.layAbout(w)
	f.partnerOf = s.partnerRows(w)
	text, other, fields := s.about.Len(), len(f.partnerOf), s.form.Lines()
	room := h - 2 // without the dividers
	fields = min(fields, max(room-text-other, leastFields))
	s.Boxes[paneForm].SetParts(widget.Flex(1, 1, s.about).OrDrop(2), widget.Fixed(max(fields, 1), s.form),
		widget.Fixed(min(other, max(room-fields-1, 1)), f.partner).OrDrop(1))
	if h < 5 || s.form.Editing() && room < 8 {
		s.Boxes[paneForm].SetParts(widget.Flex(1, 1, s.form))
	}
}

// runFace shows the script, and beside or below it the line under the cursor and the
// steps of the last request.
func (s *Screen) runFace(h int) widget.Block {
	f := &s.face
	s.Boxes[paneScript].Title, s.Boxes[paneScript].Note = s.st.title(), s.st.progress()
	if s.st.keep {
		s.Boxes[paneScript].Note += ", kept"
	}
	f.alone = s.Zoom || h < tiny
	side, main := s.W, s.W
	switch {
	case f.alone:
	case s.W >= wide:
		side = s.W * 36 / 100
		main = s.W - side
	case s.W >= middle:
		side = s.W / 2
	}
	s.layDetail(side-2, s.detailHeight(h)-2)
	s.Boxes[paneDetail].Title = s.detailTitle()
	s.layTimes(side - 2)
	f.stateRows = s.statusRows(main - 2)
	state := min(len(f.stateRows), max(h/4, 1))
	if s.Boxes[paneScript].SetParts(widget.Flex(1, 2, s.script)); state > 0 {
		s.Boxes[paneScript].SetParts(widget.Flex(1, 2, s.script), widget.Fixed(state, f.state))
	}
	switch {
	case f.alone:
		return s.Box()
	case s.W >= wide && h >= 20:
		return widget.NewRow(widget.Flex(1, 40, s.Boxes[paneScript]), widget.Fixed(side,
			widget.NewCol(widget.Flex(1, 6, s.Boxes[paneDetail]), widget.Fixed(s.timesHeight(h), s.Boxes[paneTimes]))))
	case s.W >= middle && h >= 20:
		return widget.NewCol(widget.Flex(1, 8, s.Boxes[paneScript]), widget.Fixed(s.besideHeight(h),
			widget.NewRow(widget.Flex(1, 40, s.Boxes[paneDetail]), widget.Fixed(side, s.Boxes[paneTimes]))))
	case h >= 36:
		return widget.NewCol(widget.Flex(1, 10, s.Boxes[paneScript]), widget.Fixed(10, s.Boxes[paneDetail]),
			widget.Fixed(s.timesHeight(h), s.Boxes[paneTimes]))
	}
	lower := max(h*2/5, 6)
	if s.Focus == paneTimes {
		lower = stepRows + 2
	}
	return widget.NewCol(widget.Flex(1, 7, s.Boxes[paneScript]), widget.Fixed(lower, s.lower()))
}

// detailHeight returns the least height of the pane of the line under the cursor.
func (s *Screen) detailHeight(h int) int {
	switch {
	case s.Zoom || h < tiny:
		return h
	case s.W >= wide && h >= 20:
		return h - s.timesHeight(h)
	case s.W >= middle && h >= 20:
		return s.timesHeight(h)
	case h >= 36:
		return 10
	}
	return max(h*2/5, 6)
}

// timesHeight returns the height of the last request's pane: its steps, or for an
// experiment all its text, as far as there is room.
func (s *Screen) timesHeight(h int) int {
	switch {
	case s.st.exp != nil:
	case h >= tall:
		return stepRows + 12
	default:
		return stepRows + 2
	}
	return max(min(s.times.Len()+2, h/2), stepRows+2)
}

// besideHeight returns the height of the panes side by side below the script: all of
// the line under the cursor, as far as there is room.
func (s *Screen) besideHeight(h int) int {
	return max(s.timesHeight(h), min(s.detail.Len()+2, h/2))
}

// lower returns the one of two panes that is shown if there is no room for both.
func (s *Screen) lower() *widget.Box {
	if s.Focus == paneTimes {
		return s.Boxes[paneTimes]
	}
	return s.Boxes[paneDetail]
}

// Mouse implements widget.Mouser. While a field is edited it does nothing.
func (s *Screen) Mouse(m widget.Mouse) bool { return !s.form.Editing() && s.Panes.Mouse(m) }
