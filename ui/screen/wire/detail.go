package wire

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

// detailLine is a line of the decoded packet: a header's title, one of its fields, or
// the output of draw.
type detailLine struct {
	header *wire.Header
	at     int         // of the header in the packet
	field  *wire.Field // nil: the title
	draw   func(*line.Buf)
}

// detail decodes one packet; the cursor is on one of its fields.
type detail struct {
	*widget.Table
	th    *theme.Theme
	list  *list
	row   *row
	lines []detailLine
	dump  *widget.HexDump
}

func newDetail(th *theme.Theme, l *list) *detail {
	d := &detail{th: th, list: l, dump: widget.NewHexDump(th)}
	d.Table = widget.NewTable(th, d, widget.TableColumn{Space: widget.Space{Weight: 1}})
	d.NoHead = true
	return d
}

// Len implements widget.TableRows.
func (d *detail) Len() int { return len(d.lines) }

// show sets the packet to decode; nil for none.
func (d *detail) show(r *row) {
	if r == d.row || r != nil && d.row != nil && r.N == d.row.N {
		d.row = r
		return
	}
	d.row, d.lines = r, d.lines[:0]
	if r == nil {
		d.dump.SetData(nil)
		return
	}
	d.lines = append(d.lines, detailLine{draw: d.drawWay})
	if r.Live {
		d.lines = append(d.lines, detailLine{draw: d.drawFate})
	} else {
		d.addTold()
	}
	d.addSummary(r)
	for _, l := range r.Outer.Layers() {
		d.addText("in "+l.String(), d.th.Info)
	}
	d.addCarried(r)
	ranges := d.addHeaders(r)
	if len(r.Data) < r.Len {
		d.lines = append(d.lines, detailLine{draw: d.drawKept})
	}
	d.lines = append(d.lines, detailLine{draw: d.drawRest})
	d.dump.SetData(r.Data)
	d.dump.SetRanges(ranges...)
}

// summaryWidth is the width of a line of the summary, which fits the narrowest pane.
const summaryWidth = 50

// addSummary adds the description from the list, wrapped.
func (d *detail) addSummary(r *row) {
	b := line.New(&theme.Theme{Glyphs: d.th.Glyphs})
	if r.Live { // else addTold tells them
		drawMarks(b, r)
	}
	marks := b.Len()
	if drawMeaning(b, r); b.Len() == marks {
		return
	}
	d.addText(b.String(), d.th.Dim)
}

// addHeaders adds the headers that could be decoded, and returns their ranges;
// neighbours are marked differently.
func (d *detail) addHeaders(r *row) (ranges []widget.HexRange) {
	at, styles := 0, [...]theme.Style{d.th.Range, d.th.Range2}
	table := wire.HeaderTable()
	for i := range table {
		h := &table[i]
		if h.Bit == 0 && len(r.Data) < h.Len || h.Bit != 0 && !r.Wire.Headers.Has(h.Bit) {
			continue
		}
		d.lines = append(d.lines, detailLine{header: h, at: at})
		for j := range h.Fields {
			d.lines = append(d.lines, detailLine{header: h, at: at, field: &h.Fields[j]})
		}
		ranges = append(ranges, widget.HexRange{Off: at, Len: h.Len, Style: styles[len(ranges)%2]})
		at += h.Len
	}
	if n := len(r.Data) - wire.ICRCLen; n >= at && len(r.Data) == r.Len {
		ranges = append(ranges, widget.HexRange{Off: n, Len: wire.ICRCLen, Style: styles[len(ranges)%2]})
	}
	return ranges
}

// Cell implements widget.TableRows.
func (d *detail) Cell(b *line.Buf, i, _ int) {
	l, th := &d.lines[i], d.th
	switch {
	case l.draw != nil:
		l.draw(b)
	case l.field == nil:
		b.Text(l.header.Name, th.Header)
		b.Space(1)
		b.Text(notes[l.header.Name].title, th.Label)
		b.Text(", bytes ", th.Dim)
		b.Uint(uint64(l.at), th.Dim)
		b.Text(" to ", th.Dim)
		b.Uint(uint64(l.at+l.header.Len-1), th.Dim)
	default:
		d.drawField(b, l.header, l.field)
	}
}

func (d *detail) drawField(b *line.Buf, h *wire.Header, f *wire.Field) {
	p := &d.row.Wire
	b.Cell(f.At, 7, line.Left, d.th.Dim)
	b.Cell(f.Short, 9, line.Left, d.th.Label)
	value := b.Col()
	switch {
	case f.Bits == 64:
		b.Hex(f.Of(p), 1, d.th.Value)
	case f.Hex:
		b.Hex(f.Of(p), (f.Bits+3)/4, d.th.Value)
	default:
		b.Uint(f.Of(p), d.th.Value)
	}
	b.Space(1)
	b.To(value + 11) // addresses are longer and shift the rest
	b.Text(say(h, f, p), d.th.Dim)
}

// drawWay shows the packet's source and destination.
func (d *detail) drawWay(b *line.Buf) {
	r, th := d.row, d.th
	eventline.Time(b, r.T, 6, th.Dim)
	b.Text(" s  ", th.Dim)
	switch {
	case r.Way != capture.Unknown:
		drawDirection(b, r)
		b.Space(2)
	case r.Device != "":
		b.Text(r.Device, th.Value)
		b.Space(2)
	}
	b.Text(endpoint(r, r.Src), th.Value)
	b.Text(" to ", th.Label)
	b.Text(endpoint(r, r.Dst), th.Value)
	if name := d.list.names[r.To()]; name != "" {
		b.Text(" qp ", th.Label)
		b.Text(name, th.Value)
	}
}

// endpoint is an address with its port, or that of an InfiniBand link.
func endpoint(r *row, a netip.AddrPort) string {
	if r.IB {
		return wire.AddrText(a.Addr())
	}
	return a.String()
}

// drawFate shows whether the packet arrived, was lost or repeated.
func (d *detail) drawFate(b *line.Buf) {
	r, th := d.row, d.th
	switch {
	case r.Marks.Has(conversation.Lost):
		b.Text("lost: sent, but never arrived", th.Err)
	case r.Marks.Has(conversation.Twice):
		b.Text("duplicate: the responder does not execute it again", th.Warn)
	case r.Twin != nil:
		took := r.Twin.At.Sub(r.At)
		when, what := " later, at ", " s, it arrived at "
		if !r.Outgoing {
			took, when, what = -took, " earlier, at ", " s, it was sent by "
		}
		eventline.Took(b, max(took, 0), th.Value)
		b.Text(when, th.Label)
		eventline.Time(b, r.Twin.T, 6, th.Value)
		b.Text(what, th.Label)
		b.Text(r.Twin.Device, th.Value)
	case r.Outgoing:
		b.Text("sent", th.Dim)
	default:
		b.Text("arrived whole", th.Dim)
	}
	if r.Marks.Has(conversation.Again) {
		b.Text("; sent before with this PSN", th.Warn)
	}
	if r.More > 0 {
		b.Text("; ", th.Label)
		eventline.Count(b, r.More, th.Warn)
		b.Text(" more in the next ", th.Warn)
		eventline.Took(b, r.LastMore.Sub(r.At), th.Warn)
	}
}

// drawRest describes the bytes after the headers.
func (d *detail) drawRest(b *line.Buf) {
	r, th := d.row, d.th
	if r.Err != nil {
		b.Text(mistake(r), th.Err)
		return
	}
	b.Text("payload", th.Header)
	b.Space(1)
	eventline.Count(b, uint64(len(r.Wire.Payload)), th.Value)
	b.Text(" bytes, pad ", th.Label)
	b.Uint(uint64(r.Wire.BTH.Pad), th.Value)
	b.Text(", ICRC ", th.Label)
	if r.Live {
		b.Hex(uint64(r.Wire.ICRC), 8, th.Value)
		return
	}
	b.Text(verdicts[r.ICRC], th.Value)
}

// verdicts are the words for the check of a captured packet's ICRC.
var verdicts = [...]string{capture.Unchecked: "not checked", capture.Right: "right", capture.Wrong: "wrong"}

// addTold adds what the other packets of a capture tell of this one, and of the request
// that it belongs to.
func (d *detail) addTold() {
	for _, m := range conversation.MarkTable() {
		text := m.Doc
		if !strings.HasPrefix(strings.ToLower(text), m.Name) {
			text = m.Name + ": " + text
		}
		if (d.row.Marks & (trouble | conversation.Second)).Has(m.Bit) {
			d.addText(text, d.th.Warn)
		}
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
	for _, l := range widget.Fill(nil, text, summaryWidth) {
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

// untold are the fields that the packets of a session's devices do not have.
var untold = []string{"ip_id", "df"}

// addCarried adds the headers that carry the packet, each on a line of its own. The ports stand beside the addresses.
func (d *detail) addCarried(r *row) {
	f := &r.Frame
	layer, text := "", ""
	for i := range capture.Fields() {
		c := &capture.Fields()[i]
		if !c.Has(f) || c.Layer == "UDP" || r.Live && slices.Contains(untold, c.Name) {
			continue
		}
		piece := "  " + c.Name + " " + carriedValue(c, f)
		switch {
		case c.Layer != layer:
			d.addCarrier(text)
			layer, text = c.Layer, c.Layer
		case len(text)+len(piece) > summaryWidth:
			d.addCarrier(text)
			text = ""
		}
		text += piece
	}
	d.addCarrier(text)
}

func (d *detail) addCarrier(text string) {
	if text != "" {
		d.lines = append(d.lines, detailLine{draw: func(b *line.Buf) { b.Text(text, d.th.Dim) }})
	}
}

// carriedValue is a field's value, with its meaning if it has one.
func carriedValue(c *capture.Field, f *capture.Frame) string {
	switch {
	case c.Of == nil:
		return c.Text(f)
	case c.Text == nil:
		return fmt.Sprint(c.Of(f))
	}
	if name := c.Text(f); name != "" {
		return fmt.Sprintf("%d (%s)", c.Of(f), name)
	}
	return fmt.Sprint(c.Of(f))
}
