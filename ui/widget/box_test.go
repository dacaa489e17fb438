package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func TestGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{78, 10}, {40, 7}, {12, 5}, {3, 3}, {1, 1}} {
			th := theme.New("none", uni)
			text := widget.NewPager(th)
			text.SetText("In INIT the receive queue takes work requests; packets that arrive are dropped. 日本語",
				th.Value)
			keys := &widget.Func{Line: func(b *line.Buf, y, _, _ int) { widget.DrawHints(b, keymap.BringupScreen, "") }}
			left := widget.NewPartBox(th, "QP a · RC · 0x000011\x1b[2J", widget.Flex(1, 1, text),
				widget.Fixed(1, keys).OrDrop(1))
			left.Note, left.Focused = "3 of 9", true
			right := widget.NewBox(th, "events", widget.NewHelpPage(th, keymap.JournalScreen))
			row := widget.NewRow(widget.Flex(3, 10, left), widget.Flex(2, 10, right).OrDrop(1))
			got := widget.Render(th, row, size[0], size[1])
			uitest.Exact(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
}

// The line below a part says how many of its rows do not fit.
func TestMore(t *testing.T) {
	th := theme.New("none", true)
	text := func(rows int) *widget.Pager {
		p := widget.NewPager(th)
		p.SetText(strings.Repeat("line\n", rows), th.Value)
		return p
	}
	above, below := text(3), text(12)
	x := widget.NewPartBox(th, "", widget.Fixed(2, above),
		widget.Flex(1, 1, widget.NewRow(widget.Fixed(8, text(1)), widget.Flex(1, 1, below))))
	for _, c := range []struct {
		w       int
		divider string
		want    []string // the divider and the last line
	}{
		{24, "", []string{"├─────────── ↓ 1 more ─┤", "╰─────────── ↓ 8 more ─╯"}},
		{24, "next", []string{"├ next ───── ↓ 1 more ─┤", "╰─────────── ↓ 8 more ─╯"}},
		{11, "", []string{"├───────↓─┤", "╰───────↓─╯"}},
		{24, "a long title of a part", []string{"├ a long title of a p… ┤", "╰─────────── ↓ 8 more ─╯"}},
	} {
		x.Divider = func(int) string { return c.divider }
		rows := strings.Split(uitest.Text(widget.Render(th, x, c.w, 9)), "\n")
		for i, y := range []int{3, 8} {
			if rows[y] != c.want[i] {
				t.Errorf("%d wide: line %d is %s, want %s", c.w, y, rows[y], c.want[i])
			}
		}
	}
	above.Update(uitest.Key("down"))
	below.Update(uitest.Key("end"))
	if v := uitest.Text(widget.Render(th, x, 24, 9)); strings.Contains(v, "more") {
		t.Errorf("the last rows are shown, and more announced:\n%s", v)
	}
}

// The mouse reaches the pager inside a box inside a row, and nothing else.
func TestMouse(t *testing.T) {
	th := theme.New("none", true)
	page := widget.NewPager(th)
	page.SetText(strings.Repeat("line\n", 40), th.Value)
	row := widget.NewRow(widget.Fixed(20, widget.NewBox(th, "a", widget.NewPager(th))),
		widget.Flex(1, 1, widget.NewBox(th, "b", page)))
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
