package frame

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/help"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

func TestGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{78, 10}, {40, 7}, {12, 5}, {3, 3}, {1, 1}} {
			th := theme.New("none", uni)
			text := pager.New(th)
			text.SetText("In INIT the receive queue takes work requests; packets that arrive are dropped. 日本語", th.Value)
			keys := &widget.Func{Line: func(b *line.Buf, y, _, _ int) { help.Line(b, keymap.BringupScreen) }}
			left := NewParts(th, "QP a · RC · 0x000011\x1b[2J", layout.Flex(1, 1, text), layout.Fixed(1, keys).OrDrop(1))
			left.Note, left.Focused = "3 of 9", true
			right := New(th, "events", help.New(th, keymap.JournalScreen))
			row := layout.NewRow(layout.Flex(3, 10, left), layout.Flex(2, 10, right).OrDrop(1))
			got := widget.Render(th, row, size[0], size[1])
			uitest.Exact(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
}

// The mouse reaches the pager inside a box inside a row, and nothing else.
func TestMouse(t *testing.T) {
	th := theme.New("none", true)
	page := pager.New(th)
	page.SetText(strings.Repeat("line\n", 40), th.Value)
	row := layout.NewRow(layout.Fixed(20, New(th, "a", pager.New(th))), layout.Flex(1, 1, New(th, "b", page)))
	row.SetSize(60, 10)
	if !row.Mouse(widget.Mouse{Kind: widget.WheelDown, X: 30, Y: 5}) || page.Top() != 3 {
		t.Errorf("top %d", page.Top())
	}
	for _, at := range [][2]int{{20, 5}, {59, 5}, {30, 0}, {30, 9}, {60, 5}} {
		if row.Mouse(widget.Mouse{Kind: widget.WheelDown, X: at[0], Y: at[1]}) {
			t.Errorf("the wheel on the border or outside at %v was used", at)
		}
	}
}
