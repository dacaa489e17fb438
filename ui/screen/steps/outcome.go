package steps

import (
	"slices"
	"strings"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// Outcome is a block that shows the outcome of the last command: the C call, the
// result, the duration, the verdict of the tables, the provider's answer, a hint.
type Outcome struct {
	Empty string // shown before the first command

	th       *theme.Theme
	sections []section
	extra    section
	rows     []row
	w, h     int
}

// section is one statement; the lowest ranks are left out first.
type section struct {
	label string
	text  string
	style theme.Style
	rank  int
}

type row struct {
	label string
	text  string
	style theme.Style
}

// NewOutcome makes an empty outcome.
func NewOutcome(th *theme.Theme) *Outcome { return &Outcome{th: th} }

// Set shows the outcome of a line.
func (o *Outcome) Set(msg screen.DoneMsg) {
	d := msg.Done
	if d.Err == "" && msg.Err != nil {
		d.Err = msg.Err.Error()
	}
	o.sections, o.extra = o.sections[:0], section{}
	o.add(o.mark(d.Err), firstOf(d.Call(), d.Resolved, d.Line, msg.Line), o.th.Value, 1)
	if d.Err == "" {
		o.add("=", joined(firstOf(d.Result, "done"), Took(d.Took)), o.th.OK, 4)
	}
	o.add("ours", d.Check, o.th.Warn, 2)
	if d.Err != "" {
		o.add("it said", withErrno(d), o.th.Err, 4)
	}
	o.add("hint", d.Advice(), o.th.Info, 3)
	o.arrange()
}

// Then adds a later result, such as the completion of a request.
func (o *Outcome) Then(label, text string, failed bool) {
	st := o.th.OK
	if failed {
		st = o.th.Err
	}
	o.extra = section{label, text, st, 5}
	o.arrange()
}

func (o *Outcome) mark(err string) string {
	if err != "" {
		return o.th.Glyphs.Ban
	}
	return o.th.Glyphs.Check
}

func (o *Outcome) add(label, text string, st theme.Style, rank int) {
	if text != "" {
		o.sections = append(o.sections, section{label, text, st, rank})
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func joined(text, took string) string {
	if took == "" {
		return text
	}
	return text + " · " + took
}

func withErrno(d timeline.CommandDone) string {
	text := d.Err
	if d.Errno != "" {
		text = d.Errno + ": " + text
	}
	return joined(text, Took(d.Took))
}

// Took formats the duration of a call; "" for none.
func Took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return format.Span(d)
}

// SetSize implements widget.Block.
func (o *Outcome) SetSize(w, h int) {
	if w != o.w || h != o.h {
		o.w, o.h = w, h
		o.arrange()
	}
}

// Len returns the number of lines that the outcome takes of its size.
func (o *Outcome) Len() int { return len(o.rows) }

const labelWidth = 8

// MaskPrefix begins the C name of each attribute in the mask of a modify_qp.
const MaskPrefix = "IBV_QP_"

// SplitMask splits the call of a modify_qp into the call with the word mask and the
// names in the mask without their prefix.
func SplitMask(call string) (values, names string, ok bool) {
	end := strings.LastIndex(call, ", "+MaskPrefix)
	if end < 0 || strings.Contains(call, "\n") {
		return call, "", false
	}
	return call[:end] + ", mask)", strings.TrimSuffix(strings.ReplaceAll(call[end+len(", "):], MaskPrefix, ""), ")"),
		true
}

// withMask gives the mask of a modify_qp its own section, so that the values are cut
// before it.
func withMask(list []section) []section {
	if len(list) == 0 {
		return list
	}
	values, names, ok := SplitMask(list[0].text)
	if !ok {
		return list
	}
	list[0].text = values
	return slices.Insert(list, 1, section{MaskPrefix, names, list[0].style, 2})
}

// fill breaks the statements into lines.
func (o *Outcome) fill(list []section) (texts [][]string, total int) {
	texts = make([][]string, len(list))
	for i, s := range list {
		for part := range strings.SplitSeq(s.text, "\n") {
			texts[i] = widget.Fill(texts[i], line.Escape(part), max(o.w-labelWidth-1, 8))
		}
		total += len(texts[i])
	}
	return texts, total
}

// arrange breaks the statements into lines. If there are too many, it cuts the
// longest, and then leaves out the least important.
func (o *Outcome) arrange() {
	list := append([]section(nil), o.sections...)
	if o.extra.text != "" {
		list = append(list, o.extra)
	}
	texts, total := o.fill(list)
	if total > o.h && o.h > 2 {
		list = withMask(list)
		texts, total = o.fill(list)
	}
	for ; total > o.h; total-- {
		i := victim(list, texts)
		if i < 0 {
			break
		}
		texts[i] = cutLast(texts[i])
	}
	o.rows = o.rows[:0]
	for i, s := range list {
		for j, t := range texts[i] {
			label := s.label
			if j > 0 {
				label = ""
			}
			o.rows = append(o.rows, row{label, t, s.style})
		}
	}
}

// victim returns the text to shorten by a line: the longest, or if all have one line
// the least important.
func victim(list []section, texts [][]string) int {
	at := -1
	for i := range texts {
		switch n := len(texts[i]); {
		case n == 0:
		case at < 0, n > len(texts[at]), n == len(texts[at]) && list[i].rank < list[at].rank:
			at = i
		}
	}
	return at
}

// cutLast joins the last two lines, so that drawing marks the cut.
func cutLast(lines []string) []string {
	n := len(lines)
	if n == 1 {
		return nil
	}
	lines[n-2] += " " + lines[n-1]
	return lines[:n-1]
}

// DrawLine implements widget.Block.
func (o *Outcome) DrawLine(b *line.Buf, y int) {
	if len(o.sections) == 0 && o.extra.text == "" {
		if y == 0 {
			b.Space(1)
			b.Cell(o.Empty, b.Room(), line.Left, o.th.Dim)
		}
		return
	}
	if y >= len(o.rows) {
		return
	}
	r := o.rows[y]
	b.Space(1)
	b.Cell(r.label, labelWidth, line.Left, o.th.Label)
	b.Cell(r.text, b.Room(), line.Left, r.style)
}
