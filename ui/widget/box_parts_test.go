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

// pane shows its letter and its rows, and notes where it was clicked.
func pane(name string, hit *string) widget.Block {
	return mouser{&widget.Func{Line: func(b *line.Buf, y, w, h int) {
		b.Text(fmt.Sprintf("%s%d/%d", name, y, h), theme.Style{})
	}}, func(m widget.Mouse) bool { *hit = fmt.Sprint(name, m.X, ",", m.Y); return name != "c" }}
}

type mouser struct {
	widget.Block
	take func(m widget.Mouse) bool
}

func (m mouser) Mouse(a widget.Mouse) bool { return m.take(a) }

// TestParts: parts stand above each other with a divider between two, also where one between them is left out. The
// mouse
// reaches the part under it; a click on the frame or a divider only calls Clicked.
func TestParts(t *testing.T) {
	th := theme.New("none", false)
	for _, tt := range []struct {
		h    int
		want []string
		hits string // of each row, at column 3
	}{
		{10, []string{"+ t ----+", "|a0/2   |", "|a1/2   |", "+-------+", "|b0/2   |", "|b1/2   |", "+-------+",
			"|c0/2   |",
			"|c1/2   |", "+-------+"}, "- a2,0 a2,1 - b2,0 b2,1 - !c2,0 !c2,1 -"},
		{8, []string{"+ t ----+", "|a0/2   |", "|a1/2   |", "+-------+", "|c0/3   |", "|c1/3   |", "|c2/3   |",
			"+-------+"},
			"- a2,0 a2,1 - !c2,0 !c2,1 !c2,2 -"},
		{4, []string{"+ t ----+", "|a0/2   |", "|a1/2   |", "+-------+"}, "- a2,0 a2,1 -"},
		{3, []string{"+ t ----+", "|a0/1   |", "+-------+"}, "- a2,0 -"},
		{2, []string{"+ t ----+", "+-------+"}, "- -"},
		{1, []string{""}, "-"},
	} {
		hit, clicks := "", 0
		x := widget.NewPartBox(th, "t", widget.Fixed(2, pane("a", &hit)), widget.Fixed(2, pane("b", &hit)).OrDrop(2),
			widget.Flex(1, 2, pane("c", &hit)).OrDrop(1))
		got := strings.Split(uitest.Text(widget.Render(th, x, 9, tt.h)), "\n")
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("%d rows:\n%s\nwant\n%s", tt.h, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
		var hits []string
		for y := range tt.h {
			hit = ""
			switch taken := x.Mouse(widget.Mouse{Kind: widget.WheelUp, X: 3, Y: y}); {
			case hit == "" && !taken:
				hit = "-"
			case !taken:
				hit = "!" + hit
			}
			hits = append(hits, hit)
			for _, at := range []int{0, 8, -1, 9} {
				if hit = ""; x.Mouse(widget.Mouse{Kind: widget.WheelUp, X: at, Y: y}) || hit != "" {
					t.Errorf("%d rows: the mouse at %d, %d reaches %q", tt.h, at, y, hit)
				}
			}
		}
		if text := strings.Join(hits, " "); text != tt.hits {
			t.Errorf("%d rows: %s, want %s", tt.h, text, tt.hits)
		}
		x.Clicked = func() { clicks++ }
		for y := range tt.h {
			if !x.Mouse(widget.Mouse{Kind: widget.Click, X: 3, Y: y}) || clicks != y+1 {
				t.Errorf("%d rows: a click in row %d is counted %d times", tt.h, y, clicks)
			}
		}
		if x.Mouse(widget.Mouse{Kind: widget.WheelUp, X: 0, Y: 0}) || clicks != tt.h {
			t.Error("the wheel on the frame is a click")
		}
	}
}

// TestTop: the note is left out where it would leave no frame before it; then the title is cut. A focused box has
// another frame and title.
func TestTop(t *testing.T) {
	th, body := theme.New("none", true), &widget.Func{Line: func(*line.Buf, int, int, int) {}}
	for _, tt := range []struct {
		title, note string
		w           int
		want        string
	}{
		{"title", "note", 20, "╭ title ──── note ─╮"}, {"title", "note", 16, "╭ title  note ─╮"},
		{"title", "note", 15, "╭ title ──────╮"}, {"title", "", 10, "╭ title ─╮"}, {"title", "", 9, "╭ title─╮"},
		{"title", "", 8, "╭ tit…─╮"}, {"title", "", 5, "╭ …─╮"}, {"title", "", 4, "╭──╮"}, {"title", "", 2, "╭╮"},
		{"", "note", 12, "╭─── note ─╮"}, {"", "note", 9, "╭ note ─╮"}, {"", "note", 8, "╭──────╮"}, {"", "", 6,
			"╭────╮"},
	} {
		x := widget.NewBox(th, tt.title, body)
		x.Note = tt.note
		got, _, _ := strings.Cut(uitest.Text(widget.Render(th, x, tt.w, 3)), "\n")
		if got != tt.want {
			t.Errorf("%d cells: %q, want %q", tt.w, got, tt.want)
		}
	}
	th = uitest.Tokens()
	x := widget.NewBox(th, "title", body)
	x.Note, x.Divider = "note", func(int) string { return "" }
	for _, tt := range []struct {
		focused bool
		head    bool
		want    string
	}{
		{false, false, "‹Frame›╭ ‹Label›title‹Frame› ─────────── ‹Dim›note‹Frame› ─╮\n"},
		{true, false, "‹FrameFocus›╭ ‹FrameTitle›title‹FrameFocus› ─────────── ‹Dim›note‹FrameFocus› ─╮\n"},
		{true, true, "‹FrameFocus›╭ ‹FrameTitle›title‹OK› head‹FrameFocus› ────── ‹Dim›note‹FrameFocus› ─╮\n"},
	} {
		if x.Focused, x.Head = tt.focused, nil; tt.head {
			x.Head = func(b *line.Buf) { b.Text(" head", th.OK) }
		}
		got := uitest.Marked(t, widget.Render(th, x, 27, 3), "title")
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		bottom := map[bool]string{false: "‹Frame›╰", true: "‹FrameFocus›╰"}[tt.focused]
		if got := uitest.Marked(t, widget.Render(th, x, 27, 3), "╰"); !strings.HasPrefix(got, bottom) {
			t.Errorf("%q, want %q", got, bottom)
		}
	}
	x = widget.NewBox(uitest.Tokens(), "", body)
	x.Head = func(b *line.Buf) { b.Text("head", th.OK) }
	if got := uitest.Text(widget.Render(th, x, 12, 3)); !strings.HasPrefix(got, "╭ head ") {
		t.Errorf("a head without a title: %s", got)
	}
}

// rowsOf is a block that knows how many rows it has.
type rowsOf struct {
	*widget.Func
	n int
}

func (r rowsOf) Len() int { return r.n }

// TestCopied: the text of a box has all rows of what it shows, without the frame.
func TestCopied(t *testing.T) {
	th := theme.New("none", true)
	rows := func(name string, n int) rowsOf {
		return rowsOf{&widget.Func{Line: func(b *line.Buf, y, w, _ int) {
			if y < n {
				b.Text(fmt.Sprintf("%s%d %d", name, y, w), theme.Style{})
			}
		}}, n}
	}
	x := widget.NewPartBox(th, "t", widget.Fixed(1, rows("a", 3)), widget.Flex(1, 1, rows("b", 2).Func), widget.Fixed(3,
		rows("c", 1)))
	x.SetSize(12, 9)
	if got := x.Text(); got != "a0 10\na1 10\na2 10\n\nb0 10\nc0 10" {
		t.Errorf("%q", got)
	}
	if got := widget.NewPartBox(th, "t", widget.Fixed(1, rows("a", 2))).Text(); got != "a0 1\na1 1" && got != "…\n…" {
		t.Errorf("before it has a size: %q", got)
	}
	x = widget.NewBox(th, "t", rows("a", 20000))
	x.SetSize(12, 9)
	if n := strings.Count(x.Text(), "\n") + 1; n != 10000 {
		t.Errorf("%d rows", n)
	}
}
