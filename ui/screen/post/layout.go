package post

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/preflight"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

const (
	tinyWidth, tinyHeight   = 60, 12
	roomyWidth, roomyHeight = 100, 24
	besideWidth             = 160 // from here both regions fit side by side
)

// lay builds the panes for the size and for the current content. It is cheap: it
// makes new blocks and keeps their contents.
func (s *Screen) lay() widget.Block {
	s.form.Focused = s.Focus == paneForm
	switch tiny := s.W < tinyWidth || s.H < tinyHeight; {
	case s.req.qp == "":
		return s.nothing()
	case s.memory && !s.Zoom && s.H >= tinyHeight:
		return widget.NewCol(widget.Flex(1, 3, s.pane(paneNear)), widget.Flex(1, 3, s.pane(paneFar)),
			widget.Fixed(2, s.outcome))
	case s.diagram && !s.Zoom && !tiny:
		return widget.NewCol(widget.Rest(5, s.pane(paneSteps)), widget.Fixed(2, s.outcome))
	case s.Zoom:
		return s.pane(s.Focus)
	case tiny:
		return widget.NewCol(widget.Rest(5, s.pane(s.Focus)), widget.Fixed(2, s.outcome))
	case s.W >= roomyWidth && s.H >= roomyHeight:
		return s.roomyFace()
	}
	return s.closeFace()
}

// Answers implements screen.Answerer.
func (s *Screen) Answers() bool { return !s.Zoom || s.Focus == paneResult }

// nothing says what to do without a queue pair.
func (s *Screen) nothing() widget.Block {
	text := widget.NewPager(s.th)
	text.SetText(" No queue pair yet. Requests are posted to a queue pair.\n"+
		" b opens a device and creates memory and two queue pairs; c on Bring-up (2) connects them.", s.th.Value)
	box := widget.NewBox(s.th, "post", text)
	box.Focused = true
	return widget.NewCol(widget.Rest(4, box), widget.Fixed(min(3, s.H/3), s.outcome))
}

// leastRegions is the height of a box with one row of each region.
const leastRegions = 5

// closeFace is for 80 columns: both regions share a box.
func (s *Screen) closeFace() widget.Block {
	fields := min(max(len(s.form.Fields()), 7), 10) + 2
	if s.H >= 20 {
		fields += 2
	}
	right := paneChecks
	if s.Focus == panePath || s.Focus == paneResult {
		right = s.Focus
	}
	row := widget.NewRow(widget.Fixed(s.W*52/100, s.pane(paneForm)), widget.Rest(20, s.pane(right)))
	bottom := s.near.box()
	bottom.SetParts(widget.Flex(1, 1, s.near), widget.Flex(1, 1, s.far))
	bottom.Divider = func(int) string { return s.far.title() }
	bottom.Focused, bottom.Note = s.Focus == paneNear || s.Focus == paneFar, "m enlarges"
	bottom.Clicked = func() { s.Focus = paneNear }
	s.Boxes[paneNear], s.Boxes[paneFar] = bottom, bottom
	result, path := 2, 0
	if s.H >= 20 {
		result, path = 3, 1
	}
	fields = min(fields, s.H-path-result-leastRegions) // a long form scrolls, so that a row of each region shows
	kids := []widget.Child{widget.Fixed(fields, row)}
	if path > 0 {
		kids = append(kids, widget.Fixed(path, pathBlock(s)))
	}
	return widget.NewCol(append(kids, widget.Fixed(result, s.outcome), widget.Rest(leastRegions, bottom))...)
}

// roomyRegions is the height of two boxes, each with a row of its region.
const roomyRegions = 6

// roomyFace shows everything.
func (s *Screen) roomyFace() widget.Block {
	right := widget.NewCol(widget.Rest(6, s.pane(paneChecks)), widget.Fixed(8, s.pane(paneResult)))
	top := widget.NewRow(widget.Fixed(s.W*55/100, s.pane(paneForm)), widget.Rest(20, right))
	regions := widget.Block(widget.NewCol(widget.Flex(1, 3, s.pane(paneNear)), widget.Flex(1, 3, s.pane(paneFar))))
	if s.W >= besideWidth {
		regions = widget.NewRow(widget.Flex(1, 20, s.pane(paneNear)), widget.Flex(1, 20, s.pane(paneFar)))
	}
	path := pathHeight(s)
	height := min(max(len(s.form.Fields()), len(s.checks)+2, 9)+8+s.chainHeight(), s.H*3/5, s.H-path-roomyRegions)
	return widget.NewCol(widget.Fixed(height, top), widget.Fixed(path, s.pane(panePath)),
		widget.Rest(roomyRegions, regions))
}

// pane makes the box around a pane.
func (s *Screen) pane(p screen.Pane) widget.Block {
	var box *widget.Box
	switch p {
	case paneNear:
		box = s.near.box()
	case paneFar:
		box = s.far.box()
	case paneChecks:
		box = checksBox(s)
	case paneResult:
		box = widget.NewBox(s.th, "result", s.outcome)
		if s.Focus == p {
			s.results.Set(s.outcome.Lines())
			box = widget.NewBox(s.th, "result", s.results)
		}
	case panePath:
		box = widget.NewBox(s.th, "data path", pathBlock(s))
	case paneSteps:
		box = stepsBox(s)
	default:
		box = widget.NewBox(s.th, "request", s.form)
		parts := []widget.Child{widget.Rest(3, s.form)}
		if n := s.chainHeight(); n > 0 {
			parts = append(parts, widget.Fixed(n, s.chainList()))
		}
		if n := s.previewLines(); n > 0 {
			parts = append(parts, widget.Fixed(n, s.preview()).OrDrop(1))
		}
		box.SetParts(parts...)
	}
	box.Focused = s.Focus == p
	box.Clicked = func() { s.Focus = p }
	s.Boxes[p] = box
	return box
}

// pathHeight returns the height of the data path if there is room for all of it.
func pathHeight(s *Screen) int {
	if s.H < 34 {
		return 3 + 2
	}
	return min(3+2+len(newPath(s).behind), 8)
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
			cmds := s.cmds
			if h == 1 && len(cmds) > 1 {
				cmds = cmds[1:]
			}
			for _, c := range cmds {
				text = widget.Fill(text, line.Escape(c.Text), max(w-8, 8))
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

// checksBox shows what must be true for the request to work.
func checksBox(s *Screen) *widget.Box {
	type row struct {
		mark  string
		text  string
		style theme.Style
	}
	var rows []row
	g := &s.th.Glyphs
	looks := [...]row{
		preflight.Missing: {g.Ban, "", s.th.Err}, preflight.Unknown: {g.Hollow, "", s.th.Warn},
		preflight.Met: {g.Check, "", s.th.OK},
	}
	body := &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			rows = rows[:0]
			for n, text := range advised(s) {
				look := looks[s.checks[n].Verdict]
				for i, t := range widget.Wrap(nil, line.Escape(text), max(w-4, 8)) {
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
	box := widget.NewBox(s.th, "will it work?", body)
	if s.Focus == paneChecks {
		s.checkRows.Set(checkLines(s))
		box = widget.NewBox(s.th, "will it work?", s.checkRows)
	}
	if len(s.checks) > 0 && s.checks[0].Verdict == preflight.Missing && s.req.nowhere() == "" {
		box.Note = "enter posts anyway"
	}
	return box
}

// checkLines returns all checks in full.
func checkLines(s *Screen) (out []steps.Line) {
	g := &s.th.Glyphs
	marks := [...]string{preflight.Missing: g.Ban, preflight.Unknown: g.Hollow, preflight.Met: g.Check}
	styles := [...]theme.Style{preflight.Missing: s.th.Err, preflight.Unknown: s.th.Warn, preflight.Met: s.th.Value}
	for n, text := range advised(s) {
		verdict := s.checks[n].Verdict
		out = append(out, steps.Line{Label: marks[verdict], Text: text, Style: styles[verdict]})
	}
	return out
}

// texts lists what can be copied from a pane.
func texts(s *Screen, at screen.Pane) []screen.CopyText {
	switch at {
	case paneForm:
		var lines []string
		for _, c := range s.cmds {
			lines = append(lines, c.Text)
		}
		return screen.CopyTexts(screen.CopyText{Name: "command", Text: s.req.command().Text},
			screen.CopyText{Name: "payload and command", Text: strings.Join(lines, "\n")})
	case paneNear, paneFar:
		mr := &s.near.mr
		if at == paneFar {
			mr = &s.far.mr
		}
		if mr.Name != "" && s.Boxes[at] != nil {
			return []screen.CopyText{{Name: "addr rkey",
				Text: fmt.Sprintf("addr 0x%x rkey 0x%x length %d", mr.Addr, mr.RKey,
					mr.Length)}, {Name: "bytes", Text: s.Boxes[at].Text()}}
		}
	}
	return nil
}

// back ends one zoom of the screen at a time.
func back(s *Screen) tea.Cmd {
	if !s.Back() {
		s.showMemory(false)
	}
	return nil
}
