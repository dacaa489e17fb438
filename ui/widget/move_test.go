package widget_test

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func rowText(i int) string { return fmt.Sprintf("row %04d", i) }

// ring holds rows from oldest on.
type ring struct{ oldest, n int }

func (r *ring) Len() int { return r.n }

func (r *ring) Cell(b *line.Buf, row, _ int) { b.Text(rowText(r.oldest+row), theme.Style{}) }

// TestMoves: keys, the wheel and rows that come and go move cursors and windows.
func TestMoves(t *testing.T) {
	const rows = 30
	th := uitest.Tokens()
	r := &ring{n: rows}
	rowsOf := widget.NewTable(th, r, widget.TableColumn{Title: "row", Space: widget.Space{Size: 10}})
	rowsOf.Focused, rowsOf.Tail = true, true
	page := widget.NewPager(th)
	page.SetLines(rows, func(b *line.Buf, i int) { b.Text(rowText(i), theme.Style{}) })
	var fields []widget.Field
	var items []widget.PaletteItem
	for i := range rows {
		fields = append(fields, widget.Field{Name: rowText(i), Value: "1"})
		items = append(items, widget.PaletteItem{Kind: "key", Text: rowText(i)})
	}
	fill := widget.NewForm(th, fields...)
	fill.Focused = true
	find := widget.NewPalette(th, "row", items)
	dump := widget.NewHexDump(th)
	dump.SetData(make([]byte, 16*rows))
	for name, m := range map[string]uitest.Moves{
		"table": {Block: rowsOf, Update: func(k tea.KeyPressMsg) { rowsOf.Update(k) }, Page: 7, Wheel: 3, Cursor: true,
			Tail: true, Add: func(n int) { r.n += n },
			Drop: func(n int) {
				r.oldest, r.n = r.oldest+n, r.n-n
				rowsOf.Shift(n)
			}},
		"pager": {Block: page, Update: func(k tea.KeyPressMsg) { page.Update(k) }, Page: 8, Wheel: 3},
		"form":  {Block: fill, Update: func(k tea.KeyPressMsg) { fill.Update(k) }, Page: 8, Wheel: 1, Cursor: true},
		"palette": {Block: find, Update: func(k tea.KeyPressMsg) { find.Update(k) }, Page: 6, Wheel: 3, Cursor: true,
			Typed: true},
		"hexdump": {Block: dump, Update: func(k tea.KeyPressMsg) { dump.Update(k) }, Page: 8, Wheel: 3,
			Row: func(i int) string { return fmt.Sprintf("%03x ", 16*i) }},
	} {
		t.Run(name, func(t *testing.T) {
			if m.W, m.H, m.Rows = 80, 8, rows; m.Row == nil {
				m.Row = rowText
			}
			m.Check(t)
		})
	}
}
