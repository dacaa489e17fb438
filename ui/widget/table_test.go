package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// tableRows counts the cells it is asked for.
type tableRows struct {
	n, asked int
	th       *theme.Theme
}

func (r *tableRows) Len() int { return r.n }
func (r *tableRows) Cell(b *line.Buf, row, col int) {
	r.asked++
	switch col {
	case 0:
		b.Uint(uint64(row), r.th.Value)
	case 1:
		b.Text("SUCCESS", r.th.OK)
	case 2:
		b.Hex(uint64(row)*4096, 8, r.th.Dim)
	default:
		b.Text("a note that is long enough to be cut", r.th.Label)
	}
}
func (r *tableRows) Marked(row int) bool { return row == 2 }

func tableColumns() []widget.TableColumn {
	return []widget.TableColumn{
		{Title: "wr_id", Align: line.Right, Space: widget.Space{Size: 6}},
		{Title: "status", Space: widget.Space{Size: 10, Min: 7}},
		{Title: "addr", Space: widget.Space{Size: 12, Drop: 1}},
		{Title: "note", Space: widget.Space{Weight: 1, Min: 5, Drop: 2}},
	}
}

func TestTableGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{80, 6}, {40, 6}, {22, 4}, {8, 3}, {1, 1}} {
			th := theme.New("none", uni)
			tb := widget.NewTable(th, &tableRows{n: 100, th: th}, tableColumns()...)
			tb.Focused = true
			tb.SetCursor(1)
			got := widget.Render(th, tb, size[0], size[1])
			uitest.Exact(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
}

func TestTableKeys(t *testing.T) {
	th := theme.New("none", true)
	tb := widget.NewTable(th, &tableRows{n: 100, th: th}, tableColumns()...)
	tb.SetSize(80, 11) // ten rows and the head
	for _, step := range []struct {
		key         string
		cursor, top int
	}{
		{"down", 1, 0}, {"j", 2, 0}, {"up", 1, 0}, {"pgdown", 11, 2}, {"end", 99, 90}, {"down", 99, 90},
		{"k", 98, 90}, {"pgup", 88, 88}, {"home", 0, 0}, {"up", 0, 0}, {"G", 99, 90}, {"g", 0, 0},
	} {
		if !tb.Update(uitest.Key(step.key)) {
			t.Errorf("%s was not used", step.key)
		}
		if from, _ := tb.Visible(); tb.Cursor() != step.cursor || from != step.top {
			t.Errorf("%s: cursor %d top %d, want %d %d", step.key, tb.Cursor(), from, step.cursor, step.top)
		}
	}
	if tb.Update(uitest.Key("x")) {
		t.Error("x was used")
	}
}

func TestTableTail(t *testing.T) {
	th := theme.New("none", true)
	src := &tableRows{n: 10, th: th}
	tb := widget.NewTable(th, src, tableColumns()...)
	tb.Tail = true
	tb.SetSize(80, 5)
	src.n = 50
	if tb.Cursor() != 49 {
		t.Errorf("following: cursor %d", tb.Cursor())
	}
	tb.Update(uitest.Key("up"))
	src.n = 60
	if tb.Cursor() != 48 || tb.Following() {
		t.Errorf("after up: cursor %d following %v", tb.Cursor(), tb.Following())
	}
	tb.Shift(8)
	if tb.Cursor() != 40 {
		t.Errorf("after a shift by 8: cursor %d", tb.Cursor())
	}
	tb.Update(uitest.Key("end"))
	src.n = 70
	if tb.Cursor() != 69 || !tb.Following() {
		t.Errorf("after end: cursor %d following %v", tb.Cursor(), tb.Following())
	}
	src.n = 0
	if tb.Cursor() != -1 {
		t.Errorf("no rows: cursor %d", tb.Cursor())
	}
}

func TestTableMouse(t *testing.T) {
	th := theme.New("none", true)
	tb := widget.NewTable(th, &tableRows{n: 3, th: th}, tableColumns()...)
	tb.SetSize(80, 10)
	if !tb.Mouse(widget.Mouse{Y: 3}) || tb.Cursor() != 2 {
		t.Errorf("click on the third row: cursor %d", tb.Cursor())
	}
	if tb.Mouse(widget.Mouse{Y: 0}) || tb.Mouse(widget.Mouse{Y: 4}) {
		t.Error("a click on the head or below the rows was used")
	}
	if c := tb.ColAt(3); c != 0 {
		t.Errorf("column at 3: %d", c)
	}
	if c := tb.ColAt(10); c != 1 {
		t.Errorf("column at 10: %d", c)
	}
}

// Without the keys the cursor shows only where it says what others show.
func TestCursorWithoutTheKeys(t *testing.T) {
	for _, name := range []string{"none", "dark"} {
		th := theme.New(name, true)
		for _, keeps := range []bool{false, true} {
			tb := widget.NewTable(th, &tableRows{n: 3, th: th}, tableColumns()...)
			tb.Keeps = keeps
			tb.SetCursor(1)
			at := widget.Render(th, tb, 80, 5)
			if got := strings.Contains(at, th.Glyphs.Pointer); got != keeps {
				t.Errorf("%s: kept %v, but the pointer shows: %v", name, keeps, got)
			}
			tb.SetCursor(0)
			if moved := widget.Render(th, tb, 80, 5) != at; moved != keeps {
				t.Errorf("%s: kept %v, but the cursor can be seen: %v", name, keeps, moved)
			}
		}
	}
}

// A million rows cost no more than the window.
func TestOnlyVisibleAreAsked(t *testing.T) {
	th := theme.New("none", true)
	src := &tableRows{n: 1_000_000, th: th}
	tb := widget.NewTable(th, src, tableColumns()...)
	widget.Render(th, tb, 100, 21)
	if src.asked != 20*4 {
		t.Errorf("%d cells asked, want 80", src.asked)
	}
}

// Two tables in boxes side by side fill a screen of 200 by 60.
func BenchmarkScreen(b *testing.B) {
	th := theme.New("dark", true)
	one := widget.NewTable(th, &tableRows{n: 1_000_000, th: th}, tableColumns()...)
	two := widget.NewTable(th, &tableRows{n: 1_000_000, th: th}, tableColumns()...)
	screen := widget.NewRow(widget.Flex(1, 10, one), widget.Flex(1, 10, two))
	buf := line.New(th)
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		widget.Draw(buf, screen, 200, 60)
		_ = buf.String()
	}
}
