package completions

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/incident"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// Sizes of the fields and of the words beside them.
const (
	leastName  = 17 // holds the names of the fields but one, which belongs to extended queues
	leastValue = 15
	mostValue  = 24
	sideBySide = 76
	roomy      = 100 // from here on each name is whole beside the words, also of a field that is undefined
	roomyAlone = 44  // the same below the words
	compact    = 14  // rows below which lists become paragraphs
)

// detail explains one completion: its status in words, its request, and every field
// of it.
type detail struct {
	th    *theme.Theme
	posts *posts
	again map[uint64]spent // retransmissions, as [Screen] counts them

	packets  packetCount
	incident func(number uint64) (incident.Incident, bool)

	event   timeline.Event
	some    bool // there is a completion
	post    post
	newest  uint64            // newest event in which post was looked for
	session *session.Snapshot // of the last frame

	mend   steps.Mend // of the failure
	stale  bool       // the words must be made again
	words  []wordLine
	text   *widget.Pager // the words; in a single column also the fields, below them
	fields *widget.Pager
	row    *widget.Row
	name   int // width of the names of the fields
	beside int // width of the fields beside the words
	w, h   int
}

// wordLine is one line of explanation.
type wordLine struct {
	text string
	st   theme.Style
}

func newDetail(th *theme.Theme, p *posts) *detail {
	d := &detail{th: th, posts: p, session: &session.Snapshot{}, text: widget.NewPager(th), fields: widget.NewPager(th)}
	d.widen()
	d.fields.SetLines(len(verbs.WCFields), d.drawField)
	return d
}

// show sets the completion to explain; nil for none.
func (d *detail) show(e *timeline.Event) {
	switch {
	case e == nil:
		d.some, d.stale = false, d.some
	case !d.some || d.event.Seq != e.Seq:
		d.event, d.some, d.stale = *e, true, true
	case d.post.line == "" && e.WC.Command != 0 && d.posts.ring.Newest() != d.newest:
		d.stale = true // its command may have returned
	}
}

// SetSize implements widget.Block.
func (d *detail) SetSize(w, h int) {
	d.stale = d.stale || w != d.w || h != d.h
	d.w, d.h = w, h
	d.refresh()
	if w >= sideBySide {
		d.row.SetSize(w, h)
	} else {
		d.text.SetSize(w, h)
	}
}

// refresh makes the words again if what they explain has changed.
func (d *detail) refresh() {
	if !d.stale {
		return
	}
	d.stale, d.words = false, d.words[:0]
	d.widen()
	n := 0
	if d.some {
		d.newest = d.posts.ring.Newest()
		d.post = d.posts.of(&d.event.WC)
		if d.explain(false); len(d.words) > d.h {
			d.words = d.words[:0]
			d.explain(true)
		}
		if n = len(d.words); d.w < sideBySide {
			n += len(verbs.WCFields)
		}
	}
	d.text.SetLines(n, d.drawWord)
}

// widen gives the columns of the fields the width that this completion needs, so that all
// values begin in one column.
func (d *detail) widen() {
	value, isRoomy := leastValue, d.w >= roomy || d.w < sideBySide && d.w >= roomyAlone
	d.name = leastName
	for i := range verbs.WCFields {
		f := &verbs.WCFields[i]
		defined := d.some && f.Defined(&d.event.WC.WC)
		if defined || isRoomy {
			d.name = max(d.name, len(f.Name)+1)
		}
		if defined {
			value = max(value, line.Width(d.value(f)))
		}
	}
	d.beside = 1 + d.name + min(value, mostValue)
	d.row = widget.NewRow(widget.Fixed(d.beside, d.fields), widget.Flex(1, 20, d.text))
}

// value is the text of a field that is defined.
func (d *detail) value(f *verbs.WCField) string {
	text := f.Format(&d.event.WC.WC)
	if f.Name == "qp_num" && d.event.WC.QP != "" {
		text += " " + d.event.WC.QP
	}
	return text
}

// explain explains the status; if briefly, each cause is cut to its first statement.
func (d *detail) explain(briefly bool) {
	th, c := d.th, &d.event.WC
	e := d.explanation()
	meaning := e.Means
	if d.h < compact {
		meaning = capital(e.Short) + "."
	}
	d.add("", e.Cause, th.Err)
	d.add("", d.firstCause(e.Cause), th.Value)
	d.add("", d.mend.Advice(), th.Key)
	d.add("", meaning, th.Value)
	if c.WC.Failed() {
		if briefly {
			for i, cause := range e.Causes {
				e.Causes[i] = brief(cause)
			}
		}
		d.list("likely cause", e.Causes, true)
		if e.Causes != nil {
			d.list("check next", e.Check, false)
		}
	}
	d.request(c)
	d.packetsTaken()
	d.immediate(&c.WC)
	d.arrived(c)
	d.vendor(c)
	if d.w < sideBySide {
		d.words = append(d.words, wordLine{"", th.Value}, wordLine{"ibv_wc", th.Header})
	}
}

// firstCause returns the cause of the failure after which a request was flushed, "" for
// other requests.
func (d *detail) firstCause(own string) string {
	c := d.event.WC.Cause
	if c == nil || d.event.WC.WC.Status != verbs.WCWRFlushErr {
		return ""
	}
	in, ok := d.incident(c.Incident)
	if first := in.Completion.Why(); ok && first != own {
		return first
	}
	return ""
}

// brief cuts a text before its explanation.
func brief(text string) string {
	if i := strings.IndexAny(text, ":;"); i > 0 && strings.HasPrefix(text[i+1:], " ") {
		return text[:i]
	}
	return text
}

// explanation returns the entry of the status, with the values of this completion.
func (d *detail) explanation() explain.Entry {
	return explained.Status(&d.event.WC, d.post.line, d.session)
}

// vendor explains vendor_err if anything is known about it.
func (d *detail) vendor(c *timeline.Completion) {
	e, ok := explained.VendorErr(c)
	if !ok || d.h < compact {
		return
	}
	d.heading("vendor_err")
	d.add("  ", fmt.Sprintf("0x%x, %s: %s", c.WC.VendorErr, e.Name, e.Short), d.th.Value)
}

func capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// request shows the request that the completion ends.
func (d *detail) request(c *timeline.Completion) {
	d.heading("request")
	if !c.Matched {
		d.add("  ", "unknown: no request of this session has this wr_id and queue pair", d.th.Dim)
		return
	}
	what := c.Opcode.String() + " posted to the send queue"
	if c.Recv {
		what = "RECV posted to the receive queue"
	}
	if c.QP != "" {
		what += " of " + c.QP
	}
	d.add("  ", fmt.Sprintf("%s at %.6f s, completed after %s", what, c.Posted.Seconds(), span(c)), d.th.Value)
	if d.post.line == "" {
		return
	}
	if d.post.place != "" {
		d.add("  ", d.post.place+", posted by", d.th.Value)
	}
	d.add("  ", d.post.line, d.th.Info)
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

// heading starts a section, after a blank line if there is room.
func (d *detail) heading(text string) {
	if d.h >= compact {
		d.words = append(d.words, wordLine{"", d.th.Value})
	}
	d.words = append(d.words, wordLine{text, d.th.Header})
}

// add wraps a text into lines with an indent. Text from outside is escaped first, so
// that wrapping sees what will be drawn.
func (d *detail) add(indent, text string, st theme.Style) {
	if text == "" {
		return
	}
	for _, l := range widget.Wrap(nil, indent+line.Escape(text), max(d.wordsWidth(), 10)) {
		d.words = append(d.words, wordLine{l, st})
	}
}

// wordsWidth returns the width of the column of words.
func (d *detail) wordsWidth() int {
	if d.w >= sideBySide {
		return d.w - d.beside - 2
	}
	return d.w - 2
}

func (d *detail) drawWord(b *line.Buf, i int) {
	if i >= len(d.words) {
		d.drawField(b, i-len(d.words))
		return
	}
	b.Space(1)
	b.Text(d.words[i].text, d.words[i].st)
}

// drawField shows a field by its C name; a field that is undefined in this completion
// is greyed, whatever bytes the provider left there.
func (d *detail) drawField(b *line.Buf, i int) {
	if !d.some {
		return
	}
	f, wc := &verbs.WCFields[i], &d.event.WC.WC
	b.Space(1)
	if !f.Defined(wc) {
		b.Cell(f.Name, d.name-1, line.Left, d.th.Undefined)
		b.Space(1)
		b.Text(d.th.Glyphs.Dash, d.th.Undefined)
		return
	}
	b.Cell(f.Name, d.name, line.Left, d.th.Label)
	st := d.th.Value
	if f.Name == "status" {
		st = d.th.OK
		if wc.Failed() {
			st = d.th.Err
		}
	}
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
	switch {
	case c.WC.Failed():
		st = d.th.Err
	case d.again[d.event.Seq].again > 0:
		st = d.th.Warn
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
			b.Text(" Select a completion to see its fields.", d.th.Dim)
		}
	case d.w >= sideBySide:
		d.row.DrawLine(b, y)
	default:
		d.text.DrawLine(b, y)
	}
}

// Below implements widget.Scroller.
func (d *detail) Below() int {
	switch {
	case !d.some:
		return 0
	case d.w >= sideBySide:
		return d.row.Below()
	}
	return d.text.Below()
}

// Mouse implements widget.Mouser.
func (d *detail) Mouse(m widget.Mouse) bool { return d.text.Mouse(m) }
