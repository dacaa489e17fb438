package post

import (
	"fmt"

	"rdmatui/session/preflight"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

const (
	tinyWidth, tinyHeight   = 60, 12
	roomyWidth, roomyHeight = 100, 24
	besideWidth             = 160 // from here both regions fit side by side
)

// lay builds the panes for the size and for what there is to show. It is cheap:
// blocks are made anew, their contents stay.
func (s *Screen) lay() widget.Block {
	s.form.Focused = s.Focus == paneForm
	switch tiny := s.W < tinyWidth || s.H < tinyHeight; {
	case s.req.qp == "":
		return s.nothing()
	case s.memory && !s.Zoom && s.H >= tinyHeight:
		return layout.NewCol(layout.Flex(1, 3, s.pane(paneNear)), layout.Flex(1, 3, s.pane(paneFar)), layout.Fixed(2, s.outcome))
	case s.Zoom || tiny:
		return layout.NewCol(layout.Flex(1, 5, s.pane(s.Focus)), layout.Fixed(2, s.outcome))
	case s.W >= roomyWidth && s.H >= roomyHeight:
		return s.roomyFace()
	}
	return s.closeFace()
}

// nothing says what to do where there is no queue pair.
func (s *Screen) nothing() widget.Block {
	text := pager.New(s.th)
	text.SetText(" A request is posted to a queue pair, and there is none yet.\n"+
		" 2 goes to Bring-up: there b opens a device and makes memory and two queue pairs, and c connects them.", s.th.Value)
	box := frame.New(s.th, "post", text)
	box.Focused = true
	return layout.NewCol(layout.Flex(1, 4, box), layout.Fixed(min(3, s.H/3), s.outcome))
}

// leastRegions is the height of a box with one row of each region.
const leastRegions = 5

// closeFace is for 80 columns: both regions share a box.
func (s *Screen) closeFace() widget.Block {
	fields := min(max(len(s.form.Fields()), 7), 10) + 2
	if s.H >= 20 {
		fields += 2
	}
	row := layout.NewRow(layout.Fixed(s.W*52/100, s.pane(paneForm)), layout.Flex(1, 20, s.checksBox()))
	bottom := frame.NewParts(s.th, s.near.title(), layout.Flex(1, 1, s.near), layout.Flex(1, 1, s.far))
	bottom.Divider = func(int) string { return s.far.title() }
	bottom.Focused, bottom.Note = s.Focus != paneForm, "m enlarges"
	result := 2
	if s.H >= 20 {
		result = 3
	}
	fields = min(fields, s.H-result-leastRegions) // a long form scrolls, so that a row of each region shows
	return layout.NewCol(layout.Fixed(fields, row), layout.Fixed(result, s.outcome), layout.Flex(1, leastRegions, bottom))
}

// roomyFace shows everything.
func (s *Screen) roomyFace() widget.Block {
	result := frame.New(s.th, "what came back", s.outcome)
	right := layout.NewCol(layout.Flex(1, 6, s.checksBox()), layout.Fixed(8, result))
	top := layout.NewRow(layout.Fixed(s.W*55/100, s.pane(paneForm)), layout.Flex(1, 20, right))
	regions := widget.Block(layout.NewCol(layout.Flex(1, 3, s.pane(paneNear)), layout.Flex(1, 3, s.pane(paneFar))))
	if s.W >= besideWidth {
		regions = layout.NewRow(layout.Flex(1, 20, s.pane(paneNear)), layout.Flex(1, 20, s.pane(paneFar)))
	}
	height := min(max(len(s.form.Fields()), len(s.checks)+2, 9)+8+s.chainHeight(), s.H*3/5)
	return layout.NewCol(layout.Fixed(height, top), layout.Flex(1, 6, regions))
}

// pane makes the box around a pane.
func (s *Screen) pane(p page.Pane) widget.Block {
	var box *frame.Box
	switch p {
	case paneNear:
		box = frame.New(s.th, s.near.title(), s.near)
	case paneFar:
		box = frame.New(s.th, s.far.title(), s.far)
	default:
		box = frame.New(s.th, "request", s.form)
		parts := []layout.Child{layout.Flex(1, 3, s.form)}
		if n := s.chainHeight(); n > 0 {
			parts = append(parts, layout.Fixed(n, s.chainList()))
		}
		if n := s.previewLines(); n > 0 {
			parts = append(parts, layout.Fixed(n, s.preview()).OrDrop(1))
		}
		box.SetParts(parts...)
	}
	box.Focused = s.Focus == p
	return page.Touch(box, func() { s.Focus = p })
}

func (s *Screen) previewLines() int {
	switch {
	case s.H >= roomyHeight && s.W >= roomyWidth:
		return 4
	case s.H >= 20:
		return 1
	}
	return 0
}

// preview shows the lines that enter will run.
func (s *Screen) preview() widget.Block {
	var text []string
	return &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			text = text[:0]
			lines := s.req.lines()
			if h == 1 && len(lines) > 1 {
				lines = lines[1:]
			}
			for _, l := range lines {
				text = pager.Wrap(text, line.Escape(l), max(w-8, 8))
			}
			for len(text) > max(h, 1) { // drawn with a mark where it is cut
				text[len(text)-2] += " " + text[len(text)-1]
				text = text[:len(text)-1]
			}
		}
		if y < len(text) {
			label := ""
			if y == 0 {
				label = "enter"
			}
			b.Space(1)
			b.Cell(label, 6, line.Left, s.th.Key)
			b.Cell(text[y], b.Room(), line.Left, s.th.Value)
		}
	}}
}

// fixKeys are the keys that mend a finding.
var fixKeys = [...]string{preflight.NoFix: "", preflight.FixState: "; 2 goes to Bring-up", preflight.FixRecv: "; R posts one", preflight.FixAccess: "; t changes its access"}

// checksBox shows what must be true for the request to work.
func (s *Screen) checksBox() widget.Block {
	type row struct {
		mark  string
		text  string
		style theme.Style
	}
	var rows []row
	g := &s.th.Glyphs
	looks := [...]row{preflight.Missing: {g.Ban, "", s.th.Err}, preflight.Unknown: {g.Hollow, "", s.th.Warn}, preflight.Met: {g.Check, "", s.th.OK}}
	body := &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			rows = rows[:0]
			for _, c := range s.checks {
				look := looks[c.Verdict]
				for i, t := range pager.Wrap(nil, line.Escape(c.Text+fixKeys[c.Fix]), max(w-4, 8)) {
					if look.text = t; i > 0 {
						look.mark = ""
					}
					rows = append(rows, look)
				}
			}
		}
		if left := len(rows) - y; y == h-1 && left > 1 {
			b.Space(3)
			b.Cell(fmt.Sprintf("… and %d lines more", left), b.Room(), line.Left, s.th.Dim)
			return
		}
		if y < len(rows) {
			b.Space(1)
			b.Cell(rows[y].mark, 2, line.Left, rows[y].style)
			b.Cell(rows[y].text, b.Room(), line.Left, s.th.Value)
		}
	}}
	box := frame.New(s.th, "will it work?", body)
	if len(s.checks) > 0 && s.checks[0].Verdict == preflight.Missing {
		box.Note = "enter posts all the same"
	}
	return box
}
