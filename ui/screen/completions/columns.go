package completions

import (
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// column is one column of the table: its layout and its content.
type column struct {
	widget.TableColumn
	draw func(b *line.Buf, e *timeline.Event, th *theme.Theme)
}

// columns are in reading order; Drop says which are squeezed and dropped first in a
// narrow window. wr_id and status stay, and no status is cut.
var columns = []column{
	{widget.TableColumn{Title: "seq", Align: line.Right, Space: widget.Space{Size: 9, Min: 6, Drop: 9}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { b.Uint(e.Seq, th.Dim) }},
	{widget.TableColumn{Title: "time s", Align: line.Right, Space: widget.Space{Size: 12, Min: 9, Drop: 4}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { eventline.FitTime(b, e.T, th.Dim) }},
	{widget.TableColumn{Title: "wr_id", Align: line.Right, Space: widget.Space{Size: 8, Min: 5}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { b.Uint(e.WC.WC.WRID, th.Value) }},
	{widget.TableColumn{Title: "status", Space: widget.Space{Size: 18}}, drawStatus},
	{widget.TableColumn{Title: "opcode", Space: widget.Space{Size: 20, Min: 12, Drop: 1}}, drawOpcode},
	{widget.TableColumn{Title: "byte_len", Align: line.Right, Space: widget.Space{Size: 8, Drop: 5}},
		ifDefined("byte_len", func(b *line.Buf, wc *verbs.WC, th *theme.Theme) {
			b.Uint(uint64(wc.ByteLen), th.Value)
		})},
	{widget.TableColumn{Title: "imm_data", Space: widget.Space{Size: 10, Drop: 8}}, ifDefined("imm_data",
		func(b *line.Buf, wc *verbs.WC, th *theme.Theme) { b.Hex(uint64(wc.ImmData), 8, th.Value) })},
	{widget.TableColumn{Title: "vendor_err", Space: widget.Space{Size: 10, Drop: 7}}, ifDefined("vendor_err",
		func(b *line.Buf, wc *verbs.WC, th *theme.Theme) { b.Hex(uint64(wc.VendorErr), 1, th.Warn) })},
	{widget.TableColumn{Title: "qp", Space: widget.Space{Size: 8, Min: 4, Weight: 1, Drop: 2}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { eventline.QP(b, &e.WC, th.Value) }},
	{widget.TableColumn{Title: "qp_num", Space: widget.Space{Size: 8, Drop: 10}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { b.Hex(uint64(e.WC.WC.QPNum), 6, th.Dim) }},
	{widget.TableColumn{Title: "cq", Space: widget.Space{Size: 6, Min: 3, Weight: 1, Drop: 6}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { b.Text(e.WC.CQ, th.Value) }},
	{widget.TableColumn{Title: "latency", Align: line.Right, Space: widget.Space{Size: 7, Drop: 3}}, drawLatency},
}

func drawStatus(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	st := th.OK
	if e.WC.WC.Failed() {
		st = th.Err
	}
	b.Text(e.WC.WC.Status.String(), st)
}

// drawOpcode shows the requested operation if the completion failed: its own opcode
// is not defined then.
func drawOpcode(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	st := th.Value
	if e.WC.WC.Failed() {
		st = th.Dim
	}
	if op := eventline.Operation(&e.WC); op != "" {
		b.Text(op, st)
		return
	}
	b.Text(th.Glyphs.Dash, th.Undefined)
}

func drawLatency(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	if e.WC.Matched {
		eventline.Took(b, e.WC.Latency, th.Value)
		return
	}
	b.Text(th.Glyphs.Dash, th.Undefined)
}

// ifDefined shows a field of a completion, or a dash if it is undefined.
func ifDefined(name string, draw func(*line.Buf, *verbs.WC, *theme.Theme)) func(*line.Buf,
	*timeline.Event, *theme.Theme) {
	f := field(name)
	return func(b *line.Buf, e *timeline.Event, th *theme.Theme) {
		if f.Defined(&e.WC.WC) {
			draw(b, &e.WC.WC, th)
			return
		}
		b.Text(th.Glyphs.Dash, th.Undefined)
	}
}

func field(name string) *verbs.WCField {
	for i := range verbs.WCFields {
		if verbs.WCFields[i].Name == name {
			return &verbs.WCFields[i]
		}
	}
	panic("completions: verbs.WCFields has no " + name) // a mistake in that table, found by any test
}

func tableColumns() []widget.TableColumn {
	out := make([]widget.TableColumn, len(columns))
	for i := range columns {
		out[i] = columns[i].TableColumn
	}
	return out
}

// rows makes a history a table's source.
type rows struct {
	*history
	s *Screen
}

// Cell implements widget.TableRows.
func (r rows) Cell(b *line.Buf, row, col int) {
	e, th := r.at(row), r.s.th
	again := r.s.again[e.Seq]
	switch title := columns[col].Title; {
	case title == "qp" && e.WC.QP != "" && e.WC.QP == r.s.hand:
		eventline.QP(b, &e.WC, th.Accent)
	case title == "status" && again.again > 0:
		b.Text(e.WC.WC.Status.String(), th.Warn)
	case title == "opcode" && again.again > 0:
		b.Text(th.Glyphs.Times+few(uint64(again.again)+1), th.Warn) // how often it was sent
		if again.more {
			b.Text("+", th.Warn) // at least
		}
		b.Space(1)
		drawOpcode(b, e, th)
	default:
		columns[col].draw(b, e, th)
	}
}
