package replay

import (
	"fmt"
	"slices"

	"rdmatui/session/stages"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// From these sizes the diagram is shown, and the steps in one column with their notes.
const (
	leastWidth  = 50
	leastHeight = 8
	fullHeight  = 13
	roomyHeight = 16
	tallHeight  = 20 // blank lines in the diagram
	wordWidth   = 76 // of two columns, each with room for the source
	leastNote   = 10
	gapWidth    = 90 // of one column, with the time since the step before
)

type row func(b *line.Buf)

// Block draws a replay.
func Block(th *theme.Theme, r *Replay, empty string) widget.Block {
	var rows []row
	return &widget.Func{Line: func(b *line.Buf, y, w, h int) {
		if y == 0 {
			v := view{th: th, r: r, w: w, h: h}
			rows = v.rows(empty)
		}
		if y < len(rows) {
			rows[y](b)
		}
	}}
}

// view is a replay at one time in one size.
type view struct {
	th   *theme.Theme
	r    *Replay
	w, h int

	req   *stages.Request
	step  int // index in req.Steps of the last step taken
	past  [stages.Stages]bool
	on    lane // where the request is
	at    float64
	bad   lane // where it stopped
	badAt float64
}

func (v *view) rows(empty string) (list []row) {
	if len(v.r.taken) == 0 {
		return v.text(nil, empty, v.th.Dim)
	}
	v.look()
	now, wrong := v.r.Now()
	st := v.th.Value
	if wrong {
		st = v.th.Err
	}
	switch {
	case v.w < leastWidth || v.h < leastHeight:
		return v.list(max(min(v.step-v.h/2, int(stages.Stages)-v.h), 0))
	case v.h < fullHeight:
		list = v.columns(v.diagram())
	case v.h < roomyHeight:
		list = append(v.diagram(), v.list(0)...)
	default:
		list = append(v.diagram(), blank)
		list = append(append(list, v.list(0)...), blank)
	}
	if len(list) < v.h {
		list = v.text(list, now, st)
	}
	if guessed := slices.ContainsFunc(v.req.Steps[:],
		func(s stages.Step) bool { return s.Source == stages.Inferred }); guessed && len(list) < v.h {
		list = v.text(list, "~ The time is not known: the replay spreads these steps evenly.", v.th.Dim)
	}
	return list
}

func blank(*line.Buf) {}

func (v *view) text(list []row, text string, st theme.Style) []row {
	for _, l := range widget.Fill(nil, line.Escape(text), max(v.w-2, 10)) {
		list = append(list, func(b *line.Buf) { b.Space(1); b.Text(l, st) })
	}
	return list
}

// look finds where the request is.
func (v *view) look() {
	v.req = &v.r.req
	k, fraction := v.r.position()
	v.step = v.r.taken[k]
	for _, i := range v.r.taken[:k+1] {
		v.past[v.req.Steps[i].Stage] = true
	}
	if k+1 < len(v.r.taken) {
		v.on, v.at = token(v.req, v.req.Steps[v.r.taken[k+1]].Stage, fraction)
	}
	if stop := v.req.Stop; v.req.Done && stop >= 0 && v.step > stop && v.req.Steps[stop].Source == stages.NotReached {
		v.bad, v.badAt = stopped(v.req, v.req.Steps[stop].Stage)
	}
}

// list shows the steps from one on, each with its time, its source and a note.
func (v *view) list(from int) (list []row) {
	for i := from; i < int(stages.Stages); i++ {
		list = append(list, func(b *line.Buf) { v.drawStep(b, i, true, true) })
	}
	return list
}

// columns adds the steps in two columns.
func (v *view) columns(list []row) []row {
	const half = int(stages.Stages) / 2
	for i := range half {
		list = append(list, func(b *line.Buf) {
			r := b.Begin(v.w / 2)
			v.drawStep(b, i, v.w >= wordWidth, false)
			b.End(r)
			v.drawStep(b, i+half, v.w >= wordWidth, false)
		})
	}
	return list
}

// nameWidth is that of the longest stage's name.
const nameWidth = 12

// drawStep draws a step, with the word of its source or else a sign before a time that is not measured.
func (v *view) drawStep(b *line.Buf, i int, word, note bool) {
	g, s := &v.th.Glyphs, &v.req.Steps[i]
	mark, name := " ", v.th.Label
	failed := v.req.Done && i == v.req.Stop && s.Source == stages.NotReached
	switch {
	case failed && v.step > i:
		mark, name = g.Ban, v.th.Err
	case i == v.step:
		mark, name = g.Pointer, v.th.Accent
	case v.past[s.Stage]:
		name = v.th.Value
	}
	b.Text(mark, name)
	b.Int(int64(i+1), v.th.Dim)
	b.Space(1)
	b.Cell(s.Stage.String(), nameWidth, line.Left, name)
	b.Space(1)
	value := v.th.Dim
	if v.past[s.Stage] {
		value = v.th.Value
	}
	b.Cell(v.time(s), 8, line.Right, value)
	if note && v.w >= gapWidth {
		b.Space(2)
		b.Cell(v.gap(i), 9, line.Right, v.th.Dim)
	}
	if word {
		b.Space(2)
		b.Cell(s.Source.String(), 12, line.Left, v.th.Dim)
	}
	if note && b.Room() > leastNote {
		st := v.th.Dim
		if failed {
			st = v.th.Err
		}
		b.Space(1)
		b.Cell(s.Note, b.Room(), line.Left, st)
	}
}

// time returns when a step was taken; "~" stands for an inferred time, "?" for one that is not known.
func (v *view) time(s *stages.Step) string {
	switch s.Source {
	case stages.Measured:
		return format.Span(s.After)
	case stages.Inferred:
		return "~"
	case stages.Unknown:
		return "?"
	}
	return v.th.Glyphs.Dash
}

// gap returns the time from the step before to a measured step, if both are measured.
func (v *view) gap(i int) string {
	s := v.req.Steps[:]
	if i == 0 || s[i].Source != stages.Measured || s[i-1].Source != stages.Measured {
		return ""
	}
	return "+" + format.Span(s[i].After-s[i-1].After)
}

// hosts names both ends above the diagram.
func (v *view) hosts(b *line.Buf) {
	near, far := "requester "+v.req.QP, "responder"
	if v.req.Device != "" {
		near += " on " + v.req.Device
	}
	if v.req.Peer != "" {
		far += " " + v.req.Peer
	}
	b.Space(1)
	b.Cell(near, (v.w-2)/2, line.Left, v.th.Mine)
	b.Cell(far, v.w-2-(v.w-2)/2, line.Right, v.th.Theirs)
}

// side is the content of a queue or memory of a host.
type side struct {
	name, text string
	on         lane
	left       bool // the lane's arrow points left
	style      theme.Style
}

// diagram draws the hosts: three lines, each with a queue or the memory of both hosts and the line between their NICs.
func (v *view) diagram() []row {
	list := []row{v.hosts}
	near, far := v.nearSides(), v.farSides()
	wires := [3]lane{none, wireOut, wireBack}
	for i := range near {
		if i > 0 && v.h >= tallHeight {
			list = append(list, v.drawGap)
		}
		list = append(list, func(b *line.Buf) { v.drawLine(b, i, near[i], wires[i], far[i]) })
	}
	return list
}

// widths are those of the parts of a line of the diagram.
type widths struct{ label, box, arrow, nic, wire int }

func (v *view) widths() widths {
	w := widths{6, 7, 2, 5, 0}
	switch {
	case v.w >= 110:
		w = widths{6, 18, 5, 7, 0}
	case v.w >= 76:
		w = widths{6, 12, 3, 7, 0}
	}
	w.wire = max(v.w-2-2*(w.label+1+w.box+2+1+w.arrow+w.nic), 0)
	return w
}

func (v *view) drawLine(b *line.Buf, i int, near side, wire lane, far side) {
	w := v.widths()
	b.Space(1)
	b.Cell(near.name, w.label, line.Left, v.th.Label)
	b.Space(1)
	v.drawBox(b, &near, w.box)
	b.Space(1)
	v.drawLane(b, near.on, near.left, w.arrow)
	v.drawNIC(b, i, w.nic, v.atNear())
	v.drawLane(b, wire, wire == wireBack, w.wire)
	v.drawNIC(b, i, w.nic, v.atFar())
	v.drawLane(b, far.on, far.left, w.arrow)
	b.Space(1)
	v.drawBox(b, &far, w.box)
	b.Space(1)
	b.Cell(far.name, w.label, line.Right, v.th.Label)
}

// drawGap draws a line of the diagram between two others.
func (v *view) drawGap(b *line.Buf) {
	w := v.widths()
	before := [...]int{1 + w.label + 1 + w.box + 2 + 1 + w.arrow, w.wire}
	for i, here := range []bool{v.atNear(), v.atFar()} {
		st := v.nicStyle(here)
		b.Space(before[i])
		b.Text(v.th.Glyphs.V, st)
		b.Space(w.nic - 2)
		b.Text(v.th.Glyphs.V, st)
	}
}

func (v *view) nicStyle(here bool) theme.Style {
	if here {
		return v.th.Accent
	}
	return v.th.Label
}

func (v *view) drawBox(b *line.Buf, s *side, w int) {
	b.Text("[", v.th.Dim)
	b.Cell(s.text, w, line.Left, s.style)
	b.Text("]", v.th.Dim)
}

// drawNIC draws a third of a NIC.
func (v *view) drawNIC(b *line.Buf, i, w int, here bool) {
	g, st := &v.th.Glyphs, v.nicStyle(here)
	if i == 1 {
		b.Text(g.V, st)
		b.Cell("NIC", w-2, line.Centre, st)
		b.Text(g.V, st)
		return
	}
	ends := [2]string{g.TL, g.TR}
	if i == 2 {
		ends = [2]string{g.BL, g.BR}
	}
	b.Text(ends[0], st)
	b.Repeat(g.H, w-2, st)
	b.Text(ends[1], st)
}

// drawLane draws an arrow, with the request on it, or a cross where it stopped.
func (v *view) drawLane(b *line.Buf, on lane, left bool, w int) {
	if on == none || !v.uses(on) || w <= 0 {
		b.Space(w)
		return
	}
	g, st := &v.th.Glyphs, v.th.Dim
	if v.on == on {
		st = v.th.Value
	}
	mark, at, markStyle := "", 0, v.th.Accent
	switch {
	case v.bad == on:
		mark, at, markStyle = g.Ban, place(v.badAt, w), v.th.Err
	case v.on == on:
		mark, at = g.Full, place(v.at, w)
	}
	for x := range w {
		switch {
		case mark != "" && x == at:
			b.Text(mark, markStyle)
		case left && x == 0:
			b.Text(v.leftTip(), st)
		case !left && x == w-1:
			b.Text(g.Pointer, st)
		default:
			b.Text(g.H, st)
		}
	}
}

func place(at float64, w int) int { return min(max(int(at*float64(w)), 0), w-1) }

func (v *view) leftTip() string {
	if v.th.Glyphs.ASCII {
		return "<"
	}
	return "◂"
}

// uses reports whether requests of this kind use a lane.
func (v *view) uses(on lane) bool {
	r, t := v.req, v.req.Opcode.Traits()
	local := r.Step(stages.Sent).Source == stages.Absent
	switch on {
	case wireBack:
		return !local && r.Step(stages.Acknowledged).Source != stages.Absent
	case farRQ, farCQ:
		return t.NeedRecv
	case farMemory, wireOut, nearMemory:
		return !local
	}
	return true
}

// atNear and atFar report whether the request is in a NIC.
func (v *view) atNear() bool {
	s := v.req.Steps[v.step].Stage
	return v.on == none && !v.r.ended() &&
		(s == stages.Fetched || s == stages.Built || s == stages.Sent || s == stages.Acknowledged)
}

func (v *view) atFar() bool { return v.on == wireOut && v.at > 0.95 || v.on == wireBack && v.at > 0.95 }

// nearSides tells what is in the queues and the memory of the requester.
func (v *view) nearSides() [3]side {
	r := v.req
	sq := side{name: "SQ", text: fmt.Sprintf("wr %d", r.WRID), on: nearSQ, style: v.standing(stages.Posted)}
	if v.past[stages.CQE] {
		sq.text, sq.style = "free", v.th.Dim
	}
	memory := side{name: "memory", text: "data", on: nearMemory, style: v.standing(stages.Built)}
	if stages.Pulls(r.Opcode) {
		memory = v.filled("memory", nearMemory, true, "data", stages.Placed)
	}
	cq := v.filled("CQ", nearCQ, true, "CQE OK", stages.CQE)
	if v.past[stages.CQE] && r.Status != verbs.WCSuccess {
		if cq.text, cq.style = r.Status.String(), v.th.Err; len(cq.text) > v.widths().box {
			cq.text = "failed"
		}
	}
	return [3]side{sq, v.used(memory), cq}
}

// farSides tells what is in the queues and the memory of the responder.
func (v *view) farSides() [3]side {
	r := v.req
	rq, cq := side{name: "RQ", text: "RECV", on: farRQ, left: true, style: v.th.Value},
		v.filled("CQ", farCQ, false, "CQE OK", stages.Placed)
	switch {
	case v.past[stages.Placed]:
		rq.text, rq.style = "taken", v.th.Dim
	case !r.Done:
		rq.text = "?"
	case r.Status == verbs.WCRNRRetryExcErr:
		rq.text, rq.style = "no RECV", v.th.Err
	}
	memory := v.filled("memory", farMemory, false, "data", stages.Placed)
	switch {
	case stages.Pulls(r.Opcode):
		memory = side{name: "memory", text: "data", on: farMemory, left: true, style: v.th.Value}
	case v.r.ended() && r.Step(stages.Placed).Source == stages.Unknown:
		memory.text = "?"
	}
	return [3]side{v.used(rq), v.used(memory), v.used(cq)}
}

// filled is a queue or memory that is empty until a stage.
func (v *view) filled(name string, on lane, left bool, text string, by stages.Stage) side {
	if !v.past[by] {
		text = ""
	}
	return side{name: name, text: text, on: on, left: left, style: v.standing(by)}
}

// standing is the style of what a stage has filled: it stands out at that stage.
func (v *view) standing(by stages.Stage) theme.Style {
	if v.req.Steps[v.step].Stage == by {
		return v.th.Accent
	}
	return v.th.Value
}

// used replaces a queue or memory that requests of this kind do not use.
func (v *view) used(s side) side {
	if !v.uses(s.on) {
		s.text, s.style = "unused", v.th.Dim
	}
	return s
}
