package connections

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// keepEvents is how many events can be scrolled through.
const keepEvents = 2048

// events is the log of the connection manager's events, and those that pass the
// filter.
type events struct {
	th   *theme.Theme
	ring *timeline.Recent
	all  []timeline.Event // as the ring has them, oldest first
	view []int            // indexes in all of those that pass
	seen uint64           // newest event taken

	only string // the identifier whose events are shown; "" for all
	text string // the filter, in lower case
}

func newEvents(th *theme.Theme, log *timeline.Log) *events {
	return &events{th: th, ring: timeline.NewRecent(log, keepEvents, isCM)}
}

// take fetches new events, and reports whether there were any and how many of the
// shown rows were dropped.
func (l *events) take() (came bool, gone int) {
	newest := l.ring.Newest()
	if newest == l.seen {
		return false, 0
	}
	before := len(l.all)
	l.all = l.ring.Since(l.seen, 0, l.all)
	l.seen = newest
	if over := len(l.all) - keepEvents; over > 0 {
		l.all = append(l.all[:0:0], l.all[over:]...)
		for gone < len(l.view) && l.view[gone] < over {
			gone++
		}
		l.refilter()
		return true, gone
	}
	for i := before; i < len(l.all); i++ {
		if l.passes(&l.all[i]) {
			l.view = append(l.view, i)
		}
	}
	return true, 0
}

func (l *events) refilter() {
	l.view = l.view[:0]
	for i := range l.all {
		if l.passes(&l.all[i]) {
			l.view = append(l.view, i)
		}
	}
}

func (l *events) passes(e *timeline.Event) bool {
	c := e.CM
	if l.only != "" && c.ID != l.only && c.Listen != l.only {
		return false
	}
	if l.text == "" {
		return true
	}
	for _, s := range [...]string{c.Type.String(), c.ID, c.Listen, c.Peer.String(), c.StatusText, c.Device,
		string(c.PrivateData())} {
		if strings.Contains(strings.ToLower(s), l.text) {
			return true
		}
	}
	return false
}

// at is the i-th event that is shown, nil if there is none.
func (l *events) at(i int) *timeline.Event {
	if i < 0 || i >= len(l.view) {
		return nil
	}
	return &l.all[l.view[i]]
}

// index finds a shown event by its number; -1 for none.
func (l *events) index(seq uint64) int {
	for i := range l.view {
		if l.all[l.view[i]].Seq == seq {
			return i
		}
	}
	return -1
}

// eventColumn is one column of the log.
type eventColumn struct {
	widget.TableColumn
	draw func(b *line.Buf, e *timeline.Event, th *theme.Theme)
}

var eventColumns = []eventColumn{
	{widget.TableColumn{Title: "time s", Align: line.Right, Space: widget.Space{Size: 8, Drop: 4}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { eventline.Time(b, e.T, 3, th.Dim) }},
	{widget.TableColumn{Title: "event", Space: widget.Space{Size: 16, Min: 14}}, drawType},
	{widget.TableColumn{Title: "id", Space: widget.Space{Size: 11, Min: 11, Drop: 2}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { drawName(b, e.CM.ID, th) }},
	{widget.TableColumn{Title: "peer", Space: widget.Space{Size: 20, Min: 15, Drop: 5}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { drawAddr(b, e.CM.Peer, th) }},
	{widget.TableColumn{Title: "what", Space: widget.Space{Size: 21, Min: 17, Weight: 1}}, drawWhat},
}

func drawType(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	b.Text(e.CM.Type.String(), typeStyle(e.CM, th))
}

// typeStyle sets failures and requests to the user apart from other events.
func typeStyle(c *timeline.CMEvent, th *theme.Theme) theme.Style {
	switch {
	case c.Failed():
		return th.Err
	case c.State == "REQUEST":
		return th.Warn
	}
	return th.OK
}

// drawWhat shows the status in words, or how long the step took; then the peer's
// private data.
func drawWhat(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	c := e.CM
	if c.StatusText != "" {
		b.Text(c.StatusText, th.Err)
		b.Space(2)
	} else if c.Step != "" {
		b.Text(c.Step, th.Dim)
		b.Space(1)
		eventline.Took(b, c.Took, th.Value)
		b.Space(2)
	}
	b.Text(eventline.PrivateData(c.PrivateData()), th.Dim)
}

func eventTableColumns() []widget.TableColumn {
	out := make([]widget.TableColumn, len(eventColumns))
	for i := range eventColumns {
		out[i] = eventColumns[i].TableColumn
	}
	return out
}

// Len implements widget.TableRows.
func (l *events) Len() int { return len(l.view) }

// Cell implements widget.TableRows.
func (l *events) Cell(b *line.Buf, row, col int) {
	eventColumns[col].draw(b, &l.all[l.view[row]], l.th)
}

// detail shows everything about one event.
type detail struct {
	rowList
	event timeline.Event
	some  bool
	stale bool
	pager *widget.Pager
	dump  *widget.HexDump
	w     int
}

func newDetail(th *theme.Theme) *detail {
	return &detail{rowList: rowList{th: th}, pager: widget.NewPager(th), dump: widget.NewHexDump(th)}
}

// show sets the event to show; nil for none.
func (d *detail) show(e *timeline.Event) {
	switch {
	case e == nil:
		d.some, d.stale = false, d.stale || d.some
		d.dump.SetData(nil)
	case !d.some || d.event.Seq != e.Seq:
		d.event, d.some, d.stale = *e, true, true
		d.dump.SetData(e.CM.PrivateData())
	}
}

// bytes returns how many bytes of private data to show; all zeros is the manager's
// padding.
func (d *detail) bytes() int {
	if !d.some {
		return 0
	}
	p := d.event.CM.PrivateData()
	if len(bytes.TrimRight(p, "\x00")) == 0 {
		return 0
	}
	return len(p)
}

// SetSize implements widget.Block.
func (d *detail) SetSize(w, h int) {
	if d.stale || w != d.w {
		d.w, d.stale, d.rows = w, false, d.rows[:0]
		if d.some {
			d.explain(d.event.CM)
		}
		d.pager.SetLines(len(d.rows), func(b *line.Buf, i int) { d.rows[i](b) })
	}
	d.pager.SetSize(w, h)
}

// DrawLine implements widget.Block.
func (d *detail) DrawLine(b *line.Buf, y int) {
	if d.some {
		d.pager.DrawLine(b, y)
	} else if y == 0 {
		b.Text(" Select an event to see its fields and meaning.", d.th.Dim)
	}
}

// Below implements widget.Scroller.
func (d *detail) Below() int { return d.pager.Below() }

// Mouse implements widget.Mouser.
func (d *detail) Mouse(m widget.Mouse) bool { return d.pager.Mouse(m) }

// explain starts with the meaning, so that a short window shows at least that.
func (d *detail) explain(c *timeline.CMEvent) {
	hint := c.Hint
	if hint == "" {
		hint = "an unknown event"
	}
	d.text(hint, d.w, d.th.Info)
	if c.StatusText != "" {
		d.value("status", fmt.Sprintf("%d, %s", c.Status, c.StatusText), d.th.Err)
	} else {
		d.value("status", fmt.Sprint(c.Status), d.th.OK)
	}
	if p := c.PrivateData(); len(p) > 0 {
		d.value("private_data", fmt.Sprintf("%d B, %s", len(p), privateText(p)), d.th.Value)
	}
	if c.Failed() {
		d.remedy(c)
	}
	d.value("id", c.ID, d.th.Value)
	d.value("came in on", c.Listen, d.th.Value)
	d.value("state after", c.State, d.th.Value)
	if c.Step != "" {
		b := line.New(&theme.Theme{})
		eventline.Took(b, c.Took, theme.Style{})
		d.value(c.Step, b.String(), d.th.Value)
	}
	d.value("local address", addrText(c.Local), d.th.Value)
	d.value("peer", addrText(c.Peer), d.th.Value)
	device := c.Device
	if device != "" {
		device += ", opened by the manager" // nobody has typed its name
	}
	d.value("device", device, d.th.Value)
	if p := c.Conn; p != nil {
		d.connection(c.Type, p)
	}
	if p := c.UD; p != nil {
		d.datagram(p)
	}
}

// remedy lists the usual causes of a failure, and what to check.
func (d *detail) remedy(c *timeline.CMEvent) {
	entries := explained.CM(c)
	if len(entries) == 0 {
		return
	}
	for _, part := range [...]struct {
		label string
		texts []string
	}{{"likely cause", entries[0].Causes}, {"check next", entries[0].Check}} {
		for _, text := range part.texts {
			d.value(part.label, text, d.th.Value)
			part.label = " " // only the first line has a label
		}
	}
}

// connection lists the fields of struct rdma_conn_param that the event fills.
func (d *detail) connection(t verbs.CMEventType, p *verbs.CMConnParam) {
	if p.QPNum == 0 {
		return // other events, and the accepting side, have only private data
	}
	d.value("qp_num", p.QPNum.String(), d.th.Value)
	d.value("responder_resources", fmt.Sprint(p.ResponderResources), d.th.Value)
	d.value("initiator_depth", fmt.Sprint(p.InitiatorDepth), d.th.Value)
	d.value("flow_control", boolDigit(p.FlowControl), d.th.Value)
	if t == verbs.CMConnectRequest {
		d.value("retry_count", fmt.Sprint(p.RetryCount), d.th.Value)
	}
	d.value("rnr_retry_count", fmt.Sprint(p.RNRRetryCount), d.th.Value)
	d.value("srq", boolDigit(p.SRQ), d.th.Value)
}

// datagram lists the fields of struct rdma_ud_param.
func (d *detail) datagram(p *verbs.CMUDParam) {
	d.value("qp_num", p.QPNum.String(), d.th.Value)
	d.value("qkey", fmt.Sprintf("0x%08x", p.QKey), d.th.Value)
	if p.AH.IsGlobal {
		d.value("ah.dgid", p.AH.GRH.DGID.String(), d.th.Value)
	}
}

// privateText formats private data as text, with special characters escaped and
// the padding zeros cut.
func privateText(p []byte) string {
	text := bytes.TrimRight(p, "\x00")
	zeros := fmt.Sprintf("%d zeros", len(p)-len(text))
	switch len(text) {
	case 0:
		return zeros
	case len(p):
		return strconv.QuoteToASCII(string(text))
	}
	return strconv.QuoteToASCII(string(text)) + " and " + zeros
}

func boolDigit(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// fieldWidth holds the longest field name.
const fieldWidth = 19

// value adds a field of the event.
func (d *detail) value(name, text string, st theme.Style) {
	d.rowList.value(name, fieldWidth, text, d.w, st)
}
