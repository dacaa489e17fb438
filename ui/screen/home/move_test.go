package home

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// TestMoves: keys and the wheel move the cursor of a list.
func TestMoves(t *testing.T) {
	l := &list{th: uitest.Tokens(), Focused: true}
	row := func(i int) string { return fmt.Sprintf("row %04d", i) }
	var items []item
	for i := range 30 {
		items = append(items, item{name: row(i), lines: [][]span{{{text: row(i), style: new(theme.Style)}}}})
	}
	l.set(items)
	uitest.Moves{Block: l, Update: func(k tea.KeyPressMsg) { l.Update(k) }, W: 40, H: 8, Page: 8, Leap: 4, Rows: 30,
		Wheel: 1, Cursor: true, Row: row}.Check(t)
}
