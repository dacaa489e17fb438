package help

import (
	"strings"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
)

func TestLine(t *testing.T) {
	block := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { Line(b, keymap.CompletionsScreen) }}
	for w, want := range map[int]string{
		3:   "",
		8:   "? keys",
		20:  "p pause · ? keys",
		120: "p pause · f failed only · m live polling on or off · w poll or wait · o solicited only · x export · ? keys",
		160: "p pause · f failed only · m live polling on or off · w poll or wait · o solicited only · x export · a req_notify_cq · c clear · : command · q quit · ? keys",
	} {
		got := widget.Render(theme.New("none", true), block, w, 1)
		uitest.Exact(t, got, w, 1)
		if uitest.Text(got) != want {
			t.Errorf("%d cells: %q, want %q", w, uitest.Text(got), want)
		}
	}
}

// Where ? does nothing, the line does not name it.
func TestLineWithoutHelp(t *testing.T) {
	for _, c := range keymap.Contexts() {
		works := false
		for _, g := range c.Groups {
			for _, k := range g.Keys {
				works = works || k.Help() == keymap.Global.Help.Help()
			}
		}
		block := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { Line(b, c) }}
		got := uitest.Text(widget.Render(theme.New("none", true), block, 80, 1))
		if strings.Contains(got, "? keys") != works {
			t.Errorf("%s: %q, but ? works: %v", c.Name, got, works)
		}
	}
}

// Every binding of every context is on its page, and a covered base is hidden
// where the page lies and nowhere else.
func TestPage(t *testing.T) {
	th := theme.New("none", true)
	base := &widget.Func{Line: func(b *line.Buf, _, w, _ int) { b.Repeat(".", w, th.Dim) }}
	for _, c := range keymap.Contexts() {
		page := Page(th, c)
		page.SetSize(60, 100)
		n := page.Len()
		got := uitest.Text(widget.Render(th, &layout.Cover{Base: base, Over: page, Rows: n}, 60, n+2))
		if strings.Count(got, strings.Repeat(".", 60)) != 2 {
			t.Errorf("%s: the base is not where it should be", c.Name)
		}
		for _, g := range c.Groups {
			for _, b := range g.Keys {
				if !strings.Contains(got, b.Help().Desc) {
					t.Errorf("%s: no %q", c.Name, b.Help().Desc)
				}
			}
		}
	}
}
