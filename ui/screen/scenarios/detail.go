package scenarios

import (
	"fmt"
	"strings"

	"rdmatui/session/scenario"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// row is a line of a pane, laid out for a width.
type row func(b *line.Buf)

// rows are laid out for a width.
type rows struct {
	th   *theme.Theme
	w    int
	list []row
}

// text adds a text in as many lines as it needs.
func (r *rows) text(text string, st theme.Style) {
	for _, l := range widget.Fill(nil, line.Escape(text), max(r.w-2, 10)) {
		r.list = append(r.list, func(b *line.Buf) { b.Space(1); b.Text(l, st) })
	}
}

// labelWidth is the width of the label column.
const labelWidth = 9

// value adds a text with its label; empty texts are left out.
func (r *rows) value(label, text string, st theme.Style) {
	if text != "" {
		r.labelled(label, labelWidth, text, st)
	}
}

// labelled adds a text beside its label, in as many lines as it needs.
func (r *rows) labelled(label string, wide int, text string, st theme.Style) {
	for _, l := range widget.Fill(nil, line.Escape(text), max(r.w-wide-3, 10)) {
		head := label
		label = ""
		r.list = append(r.list, func(b *line.Buf) {
			b.Space(1)
			b.Cell(head, wide, line.Left, r.th.Label)
			b.Space(1)
			b.Cell(l, b.Room(), line.Left, st)
		})
	}
}

func (r *rows) into(p *widget.Pager) {
	list := r.list
	p.SetLines(len(list), func(b *line.Buf, i int) { list[i](b) })
}

// layAbout describes the selected scenario.
func (s *Screen) layAbout(w int) {
	r := rows{th: s.th, w: w}
	sc := s.list.at(s.table.Cursor())
	if c := s.current(); c == nil && sc != nil {
		r.text(aboutLab, s.th.Value)
	} else if c != nil && c.exp != nil {
		r.labAbout(c.exp)
	} else if c != nil {
		r.text(c.sc.Summary+" "+s.th.Glyphs.Sep+" against "+c.against, s.th.Info)
		r.text(s.told.Teaches, s.th.Value)
	}
	if c := s.current(); c != nil {
		if _, lack := s.host.ableTo(c.sc); lack != nil {
			r.text("Not offered: "+lack.Error()+".", s.th.Warn)
		}
	}
	r.into(s.about)
}

// partnerRows say what to do on the other side.
func (s *Screen) partnerRows(w int) []row {
	r := rows{th: s.th, w: w}
	c := s.current()
	if c == nil {
		return nil
	}
	if c.exp != nil {
		r.text(c.labLine(), r.th.Accent)
		return r.list
	}
	if c.both {
		r.text("Both ends run here. b: use a remote peer", s.th.Dim)
		return r.list
	}
	able, _ := s.host.ableTo(c.sc)
	p := c.ready(&able)
	r.text(s.told.Partner, s.th.Accent)
	first := "; start it first"
	if p.Server {
		first = "; start this side first"
	}
	r.text("or in another terminal: "+ourOwn(p)+first, s.th.Dim)
	return r.list
}

// ourOwn returns the command line of this program as the other end.
func ourOwn(p scenario.Params) string {
	name := p.Name
	if name == "serve" {
		name = "hello"
	}
	name += differing(p)
	switch sc := scenario.Named(p.Name); {
	case sc.Group && p.Server:
		return "rdmatui scenario " + name + " " + p.Address
	case p.Server:
		return "rdmatui scenario " + name + " " + p.OwnAddress()
	case sc.Group:
		return "rdmatui scenario " + name + " --server " + p.Address
	}
	return "rdmatui scenario " + name + " --server"
}

// differing returns the options that both ends need and that are not the defaults.
func differing(p scenario.Params) (options string) {
	usual := scenario.DefaultParams(p.Name)
	for _, o := range []struct {
		name       string
		is, wanted int
	}{{"-p", int(usual.Port), int(p.Port)}, {"-n", usual.Count, p.Count}, {"-s", usual.Size, p.Size}} {
		if o.is != o.wanted {
			options += fmt.Sprintf(" %s %d", o.name, o.wanted)
		}
	}
	return options
}

// layDetail shows everything about the line under the cursor, below the last messages
// of a chat.
func (s *Screen) layDetail(w, h int) {
	r := rows{th: s.th, w: w}
	s.talkRows(&r, h)
	if i := s.script.Cursor(); i >= 0 && i < len(s.st.lines) {
		l, p := &s.st.lines[i], &s.st.past[i]
		r.text(l.Why, s.th.Value)
		r.value("line "+fmt.Sprint(l.N), l.Text, s.th.Value)
		if p.times > 0 {
			s.outcomeRows(&r, p)
		}
	}
	r.into(s.detail)
}

// outcomeRows adds what came of a line, and then the call: in few rows only the
// beginning is in sight.
func (s *Screen) outcomeRows(r *rows, p *past) {
	d := &p.done
	if p.failed {
		text := d.Err
		if d.Errno != "" && !strings.Contains(text, d.Errno) {
			text = d.Errno + ": " + text
		}
		r.value("failed", text, s.th.Err)
		r.value("hint", d.Advice(), s.th.Info)
	} else {
		text := d.Result
		if text == "" {
			text = "done"
		}
		r.value("result", text, s.th.OK)
	}
	r.value("call", d.Call(), s.th.Accent)
	if d.Resolved != "" && d.Resolved != strings.TrimSpace(d.Line) {
		r.value("in full", d.Resolved, s.th.Dim)
	}
	r.value("our check", d.Check, s.th.Warn)
	took := steps.Took(d.Took)
	if p.times > 1 {
		took = strings.TrimSpace(took + fmt.Sprintf(" the last of %d times", p.times))
	}
	r.value("took", took, s.th.Value)
}

// statusRows show the state of the run and what to do next.
func (s *Screen) statusRows(w int) []row {
	r := rows{th: s.th, w: w}
	st := &s.st
	switch st.phase {
	case phaseBusy:
		if st.at < 0 {
			break
		}
		if asks(&st.lines[st.at]) {
			r.text("Type a message on the last line. enter sends it, esc ends the conversation.", s.th.Accent)
			break
		}
		text := fmt.Sprintf("running for %.1f s", s.waited().Seconds())
		if waitsForOther(&st.lines[st.at]) {
			text += "; waiting for the peer or the device"
		}
		r.text(text, s.th.Warn)
		if st.params.Server && !st.both && waitsForOther(&st.lines[st.at]) {
			r.text("at the peer: "+s.told.Partner, s.th.Accent)
		}
	case phasePaused:
		s.pausedRows(&r)
	case phaseFailed:
		s.failedRows(&r)
	case phaseEnded:
		s.endedRows(&r)
	case phaseStopped:
		if st.err != "" {
			r.text(st.err, s.th.Err)
		} else {
			r.text("Stopped."+s.left(), s.th.Value)
		}
	}
	if st.other != "" {
		style := s.th.Dim
		if st.wrong {
			style = s.th.Err
		}
		r.text("other end: "+st.other, style)
	}
	return r.list
}

// pausedRows show what the previous step did; in a single pane also the purpose of
// the next.
func (s *Screen) pausedRows(r *rows) {
	st := &s.st
	switch {
	case s.face.alone:
		r.text(st.lines[st.at].Why, s.th.Value)
	case st.last >= 0 && st.lines[st.last].Step > 0:
		d := &st.past[st.last].done
		text := d.Result
		if text == "" {
			text = "done"
		}
		if d.C != nil {
			text = d.Call() + " = " + text
		}
		r.text(fmt.Sprintf("%d: %s", st.lines[st.last].Step, text), s.th.OK)
	}
}

func (s *Screen) failedRows(r *rows) {
	st := &s.st
	head := ""
	if st.at >= 0 {
		head = fmt.Sprintf("line %d: ", st.lines[st.at].N)
	}
	r.text(head+st.err, s.th.Err)
	if st.hint != "" && !strings.Contains(st.err, st.hint) {
		r.text(st.hint, s.th.Info)
	}
	until := "; until then they stay on the other screens"
	if st.exp != nil {
		until = ""
	}
	r.text(fmt.Sprintf("enter runs it again, esc destroys %s%s.", format.Counted(st.alive, "object"), until), s.th.Dim)
}

func (s *Screen) endedRows(r *rows) {
	st := &s.st
	if st.exp != nil {
		s.labEnded(r)
		return
	}
	r.text("Finished."+s.left(), s.th.OK)
	if st.result.Iters > 0 {
		r.text(st.result.Rate()+"; "+st.result.Latency(), s.th.Value)
	}
	if st.err != "" {
		r.text(st.err, s.th.Err)
	}
}

// left says what happened to the run's objects.
func (s *Screen) left() string {
	switch {
	case s.st.alive == 0:
		return " All its objects are destroyed."
	case s.st.keep:
		return " It leaves " + format.Counted(s.st.alive, "object") + ". See the other screens."
	}
	return " It leaves " + format.Counted(s.st.alive, "object") + ": esc destroys them, K keeps them."
}

// noSteps says why the diagram is empty.
const noSteps = "Appears when a request completes. Single requests are not recorded in a ping-pong loop."

// layTimes shows the steps of the last request, or the outcome of an experiment.
func (s *Screen) layTimes(w int) {
	box := s.Boxes[paneTimes]
	if s.st.exp != nil {
		s.layLab(w)
		box.Title, box.Note = labTitle, ""
		box.SetParts(widget.Flex(1, 1, s.times))
		return
	}
	box.Title = s.steps.Title()
	box.Note = s.steps.Note(w - len(box.Title) - 8)
	box.SetParts(widget.Flex(1, 1, s.diagram))
}
