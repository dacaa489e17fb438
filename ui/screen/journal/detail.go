package journal

import (
	"strings"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// labelWidth is the width of the label column.
const labelWidth = 10

// detailLine is a line of the detail; only the first line of a text has a label.
type detailLine struct {
	label, text string
	st          theme.Style
}

// detail shows everything about one entry.
type detail struct {
	th    *theme.Theme
	event timeline.Event
	some  bool
	stale bool
	lines []detailLine
	pager *widget.Pager
	w     int
}

func newDetail(th *theme.Theme) *detail { return &detail{th: th, pager: widget.NewPager(th)} }

// show sets the entry to show; nil for none.
func (d *detail) show(e *timeline.Event) {
	switch {
	case e == nil:
		d.some, d.stale = false, d.stale || d.some
	case !d.some || d.event.Seq != e.Seq:
		d.event, d.some, d.stale = *e, true, true
	}
}

// SetSize implements widget.Block.
func (d *detail) SetSize(w, h int) {
	if d.stale || w != d.w {
		d.w, d.stale, d.lines = w, false, d.lines[:0]
		if d.some {
			d.explain()
		}
		d.pager.SetLines(len(d.lines), d.drawLine)
	}
	d.pager.SetSize(w, h)
}

func (d *detail) explain() {
	switch e := &d.event; {
	case e.Command != nil:
		d.command(e.Command)
	case e.Kind == timeline.KindWC:
		d.completion(&e.WC)
	case e.Note != nil:
		d.add(e.Note.Level.String(), e.Note.Text, d.th.Value)
	default:
		d.said(e)
		d.meaning(e)
	}
}

// said shows the text of the event's row, on as many lines as it needs.
func (d *detail) said(e *timeline.Event) {
	b := line.New(&theme.Theme{Glyphs: d.th.Glyphs})
	eventline.Text(b, e)
	if line.Width(b.String()) <= d.w-labelWidth-2 {
		d.lines = append(d.lines, detailLine{"event", "", d.th.Value}) // in colours
		return
	}
	st := d.th.Value
	if eventline.Bad(e) {
		st = d.th.Err
	}
	d.add("event", b.String(), st)
}

// meaning explains an event, and for a failure says where to look.
func (d *detail) meaning(e *timeline.Event) {
	for _, x := range explained.Event(e, "", &session.Snapshot{}) {
		d.add("means", x.Short, d.th.Info)
		if eventline.Bad(e) {
			d.add("causes", strings.Join(x.Causes, "\n"), d.th.Value)
			d.add("check", strings.Join(x.Check, "\n"), d.th.Value)
		}
	}
}

// command shows the error first, so that a short window shows at least that.
func (d *detail) command(c *timeline.CommandDone) {
	th := d.th
	d.add("error", c.Err, th.Err)
	d.add("errno", c.Errno, th.Err)
	d.add("hint", c.Advice(), th.Accent)
	d.add("our check", c.Check, th.Warn)
	d.add("line", c.Line, th.Value)
	if c.Resolved != c.Line {
		d.add("resolved", c.Resolved, th.Dim)
	}
	d.add("call", c.Call(), th.Info)
	d.add("result", c.Result, th.OK)
	d.add("created", strings.Join(c.Created, " "), th.Value)
	if c.Took > 0 {
		b := line.New(th)
		eventline.Took(b, c.Took, theme.Style{})
		d.add("took", b.String(), th.Value)
	}
}

func (d *detail) completion(c *timeline.Completion) {
	d.add("cause", c.Why(), d.th.Err)
	for i := range verbs.WCFields {
		if f := &verbs.WCFields[i]; f.Defined(&c.WC) {
			st := d.th.Value
			if f.Name == "status" && c.WC.Failed() {
				st = d.th.Err
			}
			d.add(f.Name, f.Format(&c.WC), st)
		}
	}
	d.add("qp", c.QP, d.th.Value)
	d.add("cq", c.CQ, d.th.Value)
	if c.Matched {
		d.add("request", eventline.Operation(c), d.th.Value)
		d.add("latency", format.Span(c.Latency), d.th.Value)
	}
}

// add wraps a text beside its label; empty texts are left out. Line ends break the
// line, everything else is escaped before it is measured.
func (d *detail) add(label, text string, st theme.Style) {
	for part := range strings.Lines(text) {
		part = line.Escape(strings.TrimRight(part, "\r\n"))
		for _, piece := range widget.Fill(nil, part, max(d.w-labelWidth-2, 10)) {
			d.lines = append(d.lines, detailLine{label, piece, st})
			label = ""
		}
	}
}

func (d *detail) drawLine(b *line.Buf, i int) {
	l := &d.lines[i]
	b.Space(1)
	b.Cell(l.label, labelWidth, line.Left, d.th.Label)
	if l.label == "event" && l.text == "" {
		eventline.Text(b, &d.event)
		return
	}
	b.Text(l.text, l.st)
}

// DrawLine implements widget.Block.
func (d *detail) DrawLine(b *line.Buf, y int) {
	if d.some {
		d.pager.DrawLine(b, y)
	} else if y == 0 {
		b.Text(" Select an entry to see it whole.", d.th.Dim)
	}
}

// Below implements widget.Scroller.
func (d *detail) Below() int { return d.pager.Below() }

// Mouse implements widget.Mouser.
func (d *detail) Mouse(m widget.Mouse) bool { return d.pager.Mouse(m) }

// texts lists what can be copied from the entry under the cursor.
func (s *Screen) texts(screen.Pane) []screen.CopyText {
	e := s.entries.at(s.table.Cursor())
	if e == nil {
		return nil
	}
	b := line.New(&theme.Theme{})
	eventline.Text(b, e)
	row := screen.CopyText{Name: "row", Text: b.String()}
	if c := e.Command; c != nil {
		return screen.CopyTexts(screen.CopyText{Name: "command", Text: c.Line},
			screen.CopyText{Name: "C call", Text: c.Call()},
			screen.CopyText{Name: "result", Text: c.Result}, row)
	}
	return screen.CopyTexts(row)
}
