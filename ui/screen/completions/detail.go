package completions

import (
	"fmt"
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
	"rdmatui/verbs"
)

// fieldsWidth is what the fields take where they stand beside the words.
const (
	fieldsWidth = 33
	sideBySide  = 76
	compact     = 14 // rows below which lists become paragraphs
)

// detail explains one completion: its status in words, the request that it
// ends, and every field of it.
type detail struct {
	th    *theme.Theme
	posts *posts

	event timeline.Event
	some  bool // there is an event
	post  *timeline.CommandDone

	stale  bool // words have to be made again
	words  []wordLine
	text   *pager.Pager // the words; with all in one column, the fields below
	fields *pager.Pager
	row    *layout.Row
	w, h   int
}

// wordLine is one line of explanation.
type wordLine struct {
	text string
	st   theme.Style
}

func newDetail(th *theme.Theme, p *posts) *detail {
	d := &detail{th: th, posts: p, text: pager.New(th), fields: pager.New(th)}
	d.row = layout.NewRow(layout.Fixed(fieldsWidth, d.fields), layout.Flex(1, 20, d.text))
	d.fields.SetLines(len(verbs.WCFields), d.drawField)
	return d
}

// show takes the completion to explain; nil for none.
func (d *detail) show(e *timeline.Event) {
	switch {
	case e == nil:
		d.some, d.stale = false, d.some
	case !d.some || d.event.Seq != e.Seq:
		d.event, d.some, d.stale = *e, true, true
	}
}

// SetSize implements widget.Block.
func (d *detail) SetSize(w, h int) {
	if w != d.w || (h < compact) != (d.h < compact) {
		d.stale = true
	}
	d.w, d.h = w, h
	d.refresh()
	if w >= sideBySide {
		d.row.SetSize(w, h)
	} else {
		d.text.SetSize(w, h)
	}
}

// refresh makes the words again if what they explain changed.
func (d *detail) refresh() {
	if !d.stale {
		return
	}
	d.stale, d.words = false, d.words[:0]
	n := 0
	if d.some {
		d.post = d.posts.of(&d.event)
		d.explain()
		if n = len(d.words); d.w < sideBySide {
			n += len(verbs.WCFields)
		}
	}
	d.text.SetLines(n, d.drawWord)
}

func (d *detail) explain() {
	th, c := d.th, &d.event.WC
	words := wordsFor(c.WC.Status)
	meaning := words.meaning
	if first, _, more := strings.Cut(meaning, ". "); more && d.h < compact {
		meaning = first + "."
	}
	d.add("", meaning, th.Value)
	d.list("likely cause", words.causes, true)
	d.list("check next", words.check, false)
	d.request(c)
	if d.w < sideBySide {
		d.words = append(d.words, wordLine{"", th.Value}, wordLine{"ibv_wc", th.Header})
	}
}

// request tells what the completion ends.
func (d *detail) request(c *timeline.Completion) {
	d.heading("request")
	if !c.Matched {
		d.add("  ", "not known: no request of this session has this wr_id and queue pair", d.th.Dim)
		return
	}
	what := c.Opcode.String() + " posted to the send queue"
	if c.Recv {
		what = "RECV posted to the receive queue"
	}
	if c.QP != "" {
		what += " of " + c.QP
	}
	posted := d.event.T - c.Latency
	d.add("  ", fmt.Sprintf("%s at %.6f s, completed after %s", what, posted.Seconds(), span(c)), d.th.Value)
	if d.post == nil {
		return
	}
	line := d.post.Resolved
	if line == "" {
		line = d.post.Line
	}
	d.add("  ", line, d.th.Info)
}

func span(c *timeline.Completion) string {
	b := line.New(&theme.Theme{})
	eventline.Took(b, c.Latency, theme.Style{})
	return b.String()
}

func (d *detail) list(head string, items []string, numbered bool) {
	if len(items) == 0 {
		return
	}
	mark := func(i int) string {
		if numbered {
			return fmt.Sprintf("%d ", i+1)
		}
		return "• "
	}
	if d.h < compact {
		text := head + ":"
		for i, it := range items {
			text += " " + mark(i) + it
		}
		d.add("", text, d.th.Value)
		return
	}
	d.heading(head)
	for i, it := range items {
		d.add("  ", mark(i)+it, d.th.Value)
	}
}

// heading begins a part, set off by a blank line where there is room.
func (d *detail) heading(text string) {
	if d.h >= compact {
		d.words = append(d.words, wordLine{"", d.th.Value})
	}
	d.words = append(d.words, wordLine{text, d.th.Header})
}

// add wraps a text into lines with an indent. Text from outside is escaped
// first, so that wrapping sees what will be drawn.
func (d *detail) add(indent, text string, st theme.Style) {
	w := d.w - 2
	if d.w >= sideBySide {
		w = d.w - fieldsWidth - 2
	}
	for _, l := range pager.Wrap(nil, indent+line.Escape(text), max(w, 10)) {
		d.words = append(d.words, wordLine{l, st})
	}
}

func (d *detail) drawWord(b *line.Buf, i int) {
	if i >= len(d.words) {
		d.drawField(b, i-len(d.words))
		return
	}
	b.Space(1)
	b.Text(d.words[i].text, d.words[i].st)
}

// drawField shows a field by its C name; one that means nothing in this
// completion is greyed, whatever bytes the provider left there.
func (d *detail) drawField(b *line.Buf, i int) {
	if !d.some {
		return
	}
	f, wc := &verbs.WCFields[i], &d.event.WC.WC
	b.Space(1)
	if !f.Defined(wc) {
		b.Cell(f.Name, 17, line.Left, d.th.Undefined)
		b.Text(d.th.Glyphs.Dash, d.th.Undefined)
		return
	}
	st := d.th.Value
	if f.Name == "status" {
		st = d.th.OK
		if wc.Failed() {
			st = d.th.Err
		}
	}
	b.Cell(f.Name, 17, line.Left, d.th.Label)
	b.Text(f.Format(wc), st)
	if f.Name == "qp_num" && d.event.WC.QP != "" {
		b.Space(1)
		b.Text(d.event.WC.QP, d.th.Dim)
	}
}

// head names the completion in the title of the box.
func (d *detail) head(b *line.Buf) {
	if !d.some {
		return
	}
	c := &d.event.WC
	st := d.th.OK
	if c.WC.Failed() {
		st = d.th.Err
	}
	b.Text(" wr ", d.th.Label)
	b.Uint(c.WC.WRID, d.th.Value)
	b.Space(2)
	b.Text(c.WC.Status.String(), st)
}

// DrawLine implements widget.Block.
func (d *detail) DrawLine(b *line.Buf, y int) {
	switch {
	case !d.some:
		if y == 0 {
			b.Text(" Select a completion to see its fields and what its status means.", d.th.Dim)
		}
	case d.w >= sideBySide:
		d.row.DrawLine(b, y)
	default:
		d.text.DrawLine(b, y)
	}
}

// Mouse implements widget.Mouser.
func (d *detail) Mouse(m widget.Mouse) bool { return d.text.Mouse(m) }
