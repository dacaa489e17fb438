package connections

import (
	"bytes"
	"fmt"
	"strconv"

	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/hexdump"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
	"rdmatui/verbs"
)

// detail shows everything about one event.
type detail struct {
	th    *theme.Theme
	event timeline.Event
	some  bool
	stale bool
	rows  []row
	pager *pager.Pager
	dump  *hexdump.Dump
	w     int
}

func newDetail(th *theme.Theme) *detail {
	return &detail{th: th, pager: pager.New(th), dump: hexdump.New(th)}
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
	for _, l := range pager.Wrap(nil, line.Escape(hint), max(d.w-2, 10)) {
		d.rows = append(d.rows, func(b *line.Buf) { b.Space(1); b.Text(l, d.th.Info) })
	}
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
	d.value("device", c.Device, d.th.Value)
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

// value adds a named value; empty ones are left out, long ones wrap.
func (d *detail) value(name, text string, st theme.Style) {
	if text == "" {
		return
	}
	for _, l := range pager.Wrap(nil, line.Escape(text), max(d.w-fieldWidth-3, 10)) {
		label := name
		name = ""
		d.rows = append(d.rows, func(b *line.Buf) {
			b.Space(1)
			b.Cell(label, fieldWidth, line.Left, d.th.Label)
			b.Space(1)
			b.Cell(l, b.Room(), line.Left, st)
		})
	}
}
