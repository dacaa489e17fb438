package wire

import (
	"strings"
	"sync"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/filter"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// verdicts are the words for the check of a captured packet's ICRC.
var verdicts = [...]string{capture.Unchecked: "not checked", capture.Right: "right", capture.Wrong: "wrong"}

// markTexts say what each mark means, as the help of the filter does.
var markTexts = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	for _, w := range filter.Words() {
		texts[w.Name] = w.Doc
	}
	return texts
})

// addTold adds what the other packets of a capture tell of this one, and of the request
// that it belongs to.
func (d *detail) addTold() {
	for _, name := range (d.row.Marks & (trouble | conversation.Second)).Names() {
		text := markTexts()[name]
		if !strings.HasPrefix(strings.ToLower(text), name) {
			text = name + ": " + text
		}
		d.addText(text, d.th.Warn)
	}
	for _, text := range d.row.Comments {
		d.addText("comment: "+text, d.th.Info)
	}
	if d.row.Talk.Number > 0 {
		d.lines = append(d.lines, detailLine{draw: d.drawTalk})
	}
	if q := d.row.Request; q != nil {
		for _, tell := range []func(*conversation.Request) string{(*conversation.Request).Asked,
			(*conversation.Request).Fate} {
			d.lines = append(d.lines, detailLine{draw: func(b *line.Buf) { d.drawRequest(b, tell) }})
		}
	}
}

func (d *detail) addText(text string, st theme.Style) {
	for _, l := range pager.Fill(nil, text, summaryWidth) {
		d.lines = append(d.lines, detailLine{draw: func(b *line.Buf) { b.Text(l, st) }})
	}
}

// drawTalk names the conversation.
func (d *detail) drawTalk(b *line.Buf) {
	b.Text("conversation ", d.th.Label)
	eventline.Count(b, uint64(d.row.Talk.Number), d.th.Value)
	b.Text(", packet ", d.th.Label)
	eventline.Count(b, d.row.Seq, d.th.Value)
	b.Text(" of the capture", d.th.Label)
}

// drawRequest tells the request, which may go on while the packet is shown.
func (d *detail) drawRequest(b *line.Buf, tell func(*conversation.Request) string) {
	q := d.row.Request
	if q == nil {
		return
	}
	st := d.th.Value
	if q.Outcome == conversation.Refused {
		st = d.th.Err
	}
	b.Text(tell(q), st)
}

// drawKept says how much of the packet there is, if it is not all.
func (d *detail) drawKept(b *line.Buf) {
	p := d.row
	eventline.Count(b, uint64(len(p.Data)), d.th.Value)
	b.Text(" of ", d.th.Dim)
	eventline.Count(b, uint64(p.Len), d.th.Value)
	if p.Captured < p.Len {
		b.Text(" bytes: the capture has no more", d.th.Dim)
	} else {
		b.Text(" bytes are kept for the screen", d.th.Dim)
	}
}
