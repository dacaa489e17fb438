package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/script"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// The columns of the script.
const (
	colMark = iota
	colStep
	colLine
	colCall
	colResult
	colTook
)

func scriptColumns() []widget.TableColumn {
	return []widget.TableColumn{
		colMark:   {Space: widget.Space{Size: 1}},
		colStep:   {Align: line.Right, Space: widget.Space{Size: 3, Drop: 2}},
		colLine:   {Space: widget.Space{Size: 44, Min: 20, Weight: 3}},
		colCall:   {Space: widget.Space{Size: 40, Weight: 2, Drop: 4}},
		colResult: {Space: widget.Space{Size: 22, Min: 16, Weight: 2, Drop: 3}},
		colTook:   {Align: line.Right, Space: widget.Space{Size: 8, Drop: 1}},
	}
}

// scriptRows are the lines of the script with their outcomes.
type scriptRows struct{ s *Screen }

// Len implements widget.TableRows.
func (r scriptRows) Len() int { return len(r.s.st.lines) }

// Cell implements widget.TableRows.
func (r scriptRows) Cell(b *line.Buf, row, col int) {
	s := r.s
	l, p := &s.st.lines[row], &s.st.past[row]
	switch col {
	case colMark:
		glyph, st := s.mark(row)
		b.Text(glyph, st)
	case colStep:
		if l.Step > 0 {
			b.Int(int64(l.Step), s.th.Dim)
		}
	case colLine:
		b.Space(2 * l.Depth)
		b.Text(l.Text, s.lineStyle(row))
	case colCall:
		if p.times > 0 {
			b.Text(p.done.Call(), s.th.Dim)
		}
	case colResult:
		s.drawResult(b, p)
	case colTook:
		if p.times > 0 {
			b.Text(steps.Took(p.done.Took), s.th.Dim)
		}
	}
}

// mark returns the glyph for the state of a line.
func (s *Screen) mark(row int) (glyph string, st theme.Style) {
	p, g := &s.st.past[row], &s.th.Glyphs
	switch {
	case row == s.st.at && s.st.phase == phaseBusy:
		return g.Ellipsis, s.th.Warn
	case p.failed, len(p.told) > 0:
		return g.Ban, s.th.Err
	case row == s.st.at:
		return g.Right, s.th.Accent
	case p.times > 0:
		return g.Check, s.th.OK
	}
	return " ", s.th.Dim
}

func (s *Screen) lineStyle(row int) theme.Style {
	switch {
	case row == s.st.at:
		return s.th.Accent
	case s.st.past[row].times > 0:
		return s.th.Value
	}
	return s.th.Dim
}

func (s *Screen) drawResult(b *line.Buf, p *past) {
	if p.times == 0 {
		return
	}
	if p.times > 1 {
		b.Text(fmt.Sprintf("%d%s ", p.times, s.th.Glyphs.Times), s.th.Info)
	}
	if p.failed {
		b.Text(p.done.Err, s.th.Err)
		return
	}
	text, st := p.done.Result, s.th.OK
	if text == "" {
		text = "done"
	}
	if len(p.told) > 0 {
		st = s.th.Err
	}
	b.Text(strings.ReplaceAll(text, "\n", " "), st)
}

// title names the run.
func (st *status) title() string {
	if st.exp != nil {
		return st.params.Name + " on " + st.params.Device
	}
	text := st.params.Name + " as " + st.params.Role()
	if !st.params.Server && st.params.Address != "" {
		text += " of " + st.params.Address
	}
	return text
}

// progress says how far the run is.
func (st *status) progress() string {
	switch {
	case len(st.lines) == 0:
		return ""
	case st.phase == phaseEnded:
		return fmt.Sprintf("all %d steps", st.lines[0].Of)
	}
	at := 1
	for i := range st.lines {
		if i <= st.at || st.at < 0 {
			at = max(at, st.lines[i].Step)
		}
	}
	return fmt.Sprintf("step %d of %d", at, st.lines[0].Of)
}

// slow are the commands that wait for a peer, or for time to pass.
var slow = []*command.Spec{command.RDMAGetCMEvent, command.RDMAGetRequest, command.Exchange, command.ExchangeFinish,
	command.PollCQ, command.GetCQEvent, command.Pingpong, command.Sleep}

// waitsForOther reports whether a line waits for somebody else.
func waitsForOther(l *script.Line) bool {
	return slices.Contains(slow, command.Find(script.FirstWord(l.Text)))
}
