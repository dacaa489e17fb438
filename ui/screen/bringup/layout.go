package bringup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// roomyWidth and roomyHeight are the size from which all panes are shown at once.
const (
	roomyWidth, roomyHeight = 100, 24
	tinyWidth, tinyHeight   = 60, 12
)

// lay builds the panes for the size and for the current content. It is cheap: it
// makes new blocks and keeps their contents.
func (s *Screen) lay() widget.Block {
	s.showsAttributes = false
	s.form.Focused = s.Focus == paneForm && !s.pasting
	s.qps.Focused = s.Focus == paneQPs
	switch {
	case len(s.snap.QPs) == 0:
		return s.setupFace(s.tiny())
	case s.isClose():
		return s.closeFace()
	case s.Zoom || s.tiny():
		return s.oneFace()
	}
	return s.roomyFace()
}

// Answers implements screen.Answerer.
func (s *Screen) Answers() bool { return !s.Zoom || s.Focus == paneCall }

func (s *Screen) tiny() bool { return s.W < tinyWidth || s.H < tinyHeight }

// isClose reports whether several panes share too little space for all their content.
func (s *Screen) isClose() bool {
	return !s.Zoom && !s.tiny() && (s.W < roomyWidth || s.H < roomyHeight)
}

func (s *Screen) setupFace(tiny bool) widget.Block {
	title := "no queue pair yet: create these from top to bottom"
	if tiny {
		box := widget.NewBox(s.th, "enter create one, b all", s.setup.table)
		box.Focused = true
		return widget.NewCol(widget.Rest(4, box), widget.Fixed(2, s.outcome))
	}
	box := widget.NewPartBox(s.th, title, widget.Fixed(len(s.setup.needs)+1, s.setup.table),
		widget.Rest(2, s.setup.why).OrDrop(1))
	box.Focused = true
	box.Note = s.deviceNote()
	return widget.NewCol(widget.Fixed(min(len(s.setup.needs)+9, s.H-4), box),
		widget.Rest(4, widget.NewBox(s.th, "result", s.outcome)))
}

func (s *Screen) deviceNote() string {
	switch n := len(s.setup.devices); {
	case len(s.snap.Devices) > 0:
		return ""
	case n == 0 && s.setup.read:
		return "no device found"
	case n > 1:
		return fmt.Sprintf("device %d of %d", s.setup.device+1, n)
	}
	return ""
}

// oneFace shows the focused pane and the last result.
func (s *Screen) oneFace() widget.Block {
	if s.Zoom || s.Focus == paneCall {
		return s.pane(s.Focus)
	}
	return widget.NewCol(widget.Rest(5, s.pane(s.Focus)), widget.Fixed(2, s.outcome))
}

// closeFace is for 80 columns: the form shares its place with the attributes.
func (s *Screen) closeFace() widget.Block {
	right := paneForm
	if s.Focus == paneAttributes {
		right, s.showsAttributes = paneAttributes, true
	}
	row := widget.NewRow(widget.Fixed(32, s.pane(paneQPs)), widget.Rest(20, s.pane(right)))
	bottom := 6
	if s.H >= 20 {
		bottom = 8
	}
	return widget.NewCol(widget.Rest(6, row), widget.Fixed(bottom, s.callBox(bottom/2-1)))
}

// leastAttributes is the smallest useful height of the box of attributes.
const leastAttributes = 5

// roomyFace shows everything.
func (s *Screen) roomyFace() widget.Block {
	height := 13 + min(len(s.snap.QPs), 6)
	if s.tellsPeer(s.current()) {
		height += 3
	}
	bottom := max(s.H/4, 9)
	lines := bottom/2 - 1
	left := s.pane(paneQPs)
	spare := s.H - bottom - height - leastAttributes
	if s.showsAttributes = spare >= 0; s.showsAttributes {
		more := max(min(len(s.callText(s.W-2-callLabel, 0))-lines, spare), 0) // so that the call is whole
		bottom, lines = bottom+more, lines+more
		left = widget.NewCol(widget.Fixed(height, left), widget.Rest(leastAttributes, s.pane(paneAttributes)))
	}
	row := widget.NewRow(widget.Fixed(s.W*46/100, left), widget.Rest(20, s.pane(paneForm)))
	return widget.NewCol(widget.Rest(6, row), widget.Fixed(bottom, s.callBox(lines)))
}

// pane makes the box around a pane.
func (s *Screen) pane(p screen.Pane) widget.Block {
	var box *widget.Box
	switch p {
	case paneCall:
		return s.callBox(1)
	case paneQPs:
		s.qps.NoHead = s.H < 20
		rows := min(len(s.snap.QPs), 6)
		if !s.qps.NoHead {
			rows++
		}
		box = widget.NewPartBox(s.th, "queue pairs", widget.Fixed(rows, s.qps), widget.Rest(3, &overview{s: s}))
	case paneAttributes:
		box = widget.NewBox(s.th, "attributes as last set or read", s.attributesBody())
		box.Note = "r query_qp"
	default:
		box = widget.NewPartBox(s.th, s.moveTitle(), widget.Rest(2, s.form), widget.Fixed(s.adviceLines(), s.advice()))
		if box.Note = s.move.note(&s.th.Glyphs); box.Note == "" && !s.Typing() && s.isClose() {
			box.Note = "z enlarges"
		}
	}
	if s.Zoom && box.Note == "" {
		box.Note = "z goes back"
	}
	box.Focused = s.Focus == p && !s.Typing() || p == paneForm && s.Typing()
	box.Clicked = func() { s.touched(p) }
	s.Boxes[p] = box
	return box
}

func (s *Screen) moveTitle() string {
	q := s.current()
	if q.State == s.move.to {
		return fmt.Sprintf("%s: attributes that can change in %s", q.Name, q.State)
	}
	return fmt.Sprintf("%s: %s → %s", q.Name, q.State, s.move.to)
}

func (s *Screen) adviceLines() int {
	switch {
	case s.Zoom: // it was enlarged to show this
		return max(min(s.H/3, 5), 2)
	case s.H >= 40:
		return 5
	case s.H >= 20:
		return 3
	}
	return 2
}

// advice says whether the values are valid, and what the field under the cursor means.
func (s *Screen) advice() widget.Block {
	var verdict, doc []string
	var st theme.Style
	return &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			var text string
			text, st = s.verdict()
			verdict = widget.WrapRows(text, w-2, max(h-1, 1))
			rest := max(h-len(verdict), 0)
			doc = widget.WrapRows(s.fieldDoc(w-2, rest), w-2, rest)
		}
		b.Space(1)
		switch i := y - len(verdict); {
		case s.pasting:
			s.drawPaste(b, y)
		case i < 0:
			b.Cell(verdict[y], b.Room(), line.Left, st)
		case i < len(doc):
			b.Cell(doc[i], b.Room(), line.Left, s.th.Dim)
		}
	}}
}

// fieldDoc explains the field under the cursor, as much as fits into n lines of w cells.
func (s *Screen) fieldDoc(w, n int) string {
	for i := range s.move.plan.Rows {
		r := &s.move.plan.Rows[i]
		if r.Field.Name != s.form.Name() {
			continue
		}
		e := s.move.explain(r)
		doc := e.Short
		// In 80 columns the note beside the value is cut.
		if _, note := s.move.value(r); note != "" && s.W < roomyWidth {
			doc = note + " · " + doc
		}
		return withSentences(doc, e.Means, w, n)
	}
	return ""
}

// withSentences adds as many sentences of a text as fit into n lines of w cells.
func withSentences(doc, text string, w, n int) string {
	more := doc + "."
	for _, sentence := range strings.SplitAfter(text, ". ") {
		if more += " " + strings.TrimSpace(sentence); len(widget.WrapRows(more, w, n+1)) > n {
			break
		}
		doc = more
	}
	return doc
}

// verdict says whether the transition is possible.
func (s *Screen) verdict() (string, theme.Style) {
	g := &s.th.Glyphs
	switch err := s.move.check(); {
	case !s.move.ready:
		return g.Hollow + " " + s.move.notReady(), s.th.Dim
	case s.move.sameState():
		return g.Hollow + " In " + s.move.to.String() + ". e sets a value, t picks a state.", s.th.Dim
	case err != nil && s.Answers() && hasFailed(s) && s.failed.Check == err.Error():
		return g.Ban + " " + cmp.Or(s.failed.Errno, "refused") + ": see the result. x sends it again.", s.th.Warn
	case err != nil:
		t := refused(s, s.current())
		return g.Ban + " " + t.red() + "; x sends it", s.th.Warn
	}
	return g.Check + " Ready. enter runs it.", s.th.OK
}

func (s *Screen) drawPaste(b *line.Buf, y int) {
	switch y {
	case 0:
		b.Text("peer: ", s.th.Key)
		s.pasted.Draw(b, b.Room())
	case 1:
		if s.problem != "" {
			b.Cell(s.problem, b.Room(), line.Left, s.th.Err)
			return
		}
		b.Cell("LID:QPN:PSN:GID, or QP_NUM PSN GID; enter, esc", b.Room(), line.Left, s.th.Dim)
	}
}

// callLabel is what stands before the C call, and a blank after it.
const callLabel = 10

// callBox shows the line and the C call to come, and what came of the last one.
func (s *Screen) callBox(lines int) widget.Block {
	lines = max(lines, 1)
	var text []steps.Line
	call := &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			text = s.callText(w-callLabel, h)
		}
		if y < len(text) {
			b.Space(1)
			b.Cell(text[y].Label, 8, line.Left, s.th.Key)
			b.Cell(text[y].Text, b.Room(), line.Left, text[y].Style)
		}
	}}
	body := widget.Block(widget.NewCol(widget.Fixed(lines, call), widget.Rest(1, s.outcome)))
	if s.Focus == paneCall {
		s.calls.Set(append(nextLines(s), s.outcome.Lines()...))
		body = s.calls
	}
	box := widget.NewBox(s.th, "C call and result", body)
	box.Focused = s.Focus == paneCall && !s.Typing()
	box.Clicked = func() { s.touched(paneCall) }
	s.Boxes[paneCall] = box
	return box
}

// nextLines returns the next line and C call in full.
func nextLines(s *Screen) []steps.Line {
	if !s.move.ready {
		return nil
	}
	if s.move.sameState() {
		return []steps.Line{s.nothingNext()}
	}
	return []steps.Line{{Label: "next", Text: s.move.command().Text, Style: s.th.Value},
		{Label: "call", Text: s.move.call(), Style: s.th.Value}}
}

// texts lists what can be copied from a pane.
func texts(s *Screen, at screen.Pane) []screen.CopyText {
	q := s.current()
	if q == nil || at == paneAttributes || at == paneCall {
		return nil
	}
	texts := []screen.CopyText{{Name: "qp_num psn gid", Text: ownRecord(&s.snap, q)}}
	if s.move.ready && !s.move.sameState() {
		texts = append(texts, screen.CopyText{Name: "command", Text: s.move.command().Text},
			screen.CopyText{Name: "C call", Text: s.move.call()})
	}
	return screen.CopyTexts(texts...)
}

// nothingNext says what to do with a queue pair whose next transition would change nothing.
func (s *Screen) nothingNext() steps.Line {
	text := s.move.qp + " is in " + s.move.to.String() + ": t picks another state"
	if s.move.to == verbs.QPRTS {
		text = s.move.qp + " is ready to send: post a request (3)"
	}
	return steps.Line{Label: "next", Text: line.Escape(text), Style: s.th.Value}
}

// callText is the C call in at most h lines, 0 for any number, preceded by the command
// line if there is room. In too few lines the values, which the form shows too, are cut,
// but not the mask: that has lines of its own, whose label is the prefix of its names.
func (s *Screen) callText(w, h int) (out []steps.Line) {
	if !s.move.ready {
		return nil
	}
	if s.move.sameState() {
		return []steps.Line{s.nothingNext()}
	}
	w = max(w, 8)
	add := func(label string, lines ...string) {
		for _, text := range lines {
			out = append(out, steps.Line{Label: label, Text: text, Style: s.th.Value})
			label = ""
		}
	}
	call := widget.Fill(nil, line.Escape(s.move.call()), w)
	switch {
	case h > len(call):
		call = slices.Insert(call, 0, line.Escape(s.move.command().Text))
		fallthrough
	case h == 0 || h == len(call):
		add("next", call...)
		return out
	}
	values, mask, _ := steps.SplitMask(line.Escape(s.move.call()))
	names := widget.Fill(nil, mask, w)
	add("next", joinedFrom(widget.Fill(nil, values, w), h-len(names))...)
	add(steps.MaskPrefix, joinedFrom(names, h)...)
	return out
}

// joinedFrom joins the lines from the nth on into one, which is cut where it is shown.
func joinedFrom(lines []string, n int) []string {
	if n <= 0 || len(lines) <= n {
		return lines[:min(max(n, 0), len(lines))]
	}
	return append(lines[:n-1:n-1], strings.Join(lines[n-1:], " "))
}

func (s *Screen) touched(p screen.Pane) {
	if !s.form.Editing() {
		s.Focus = p
	}
}
