package widget_test

import (
	"strings"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func hintsOfLine(c keymap.Context, next string) widget.Block {
	return &widget.Func{Line: func(b *line.Buf, _, _, _ int) { widget.DrawHints(b, c, next) }}
}

func hintLine(c keymap.Context, w int) string {
	return widget.Render(theme.New("none", true), hintsOfLine(c, ""), w, 1)
}

// The most useful keys come first, and the last three are always there.
func TestLine(t *testing.T) {
	for w, want := range map[int]string{
		40: ": command  ? help  q quit",
		80: "enter open incident  p pause  f fix  F failed only  : command  ? help  q quit",
		120: "enter open incident  p pause  f fix  F failed only  v this QP only  m poll or event mode  : command " +
			" ? help  q quit",
		200: "enter open incident  p pause  f fix  F failed only  v this QP only  m poll or event mode  w write  " +
			"L live polling  . queue statistics  a req_notify_cq  s solicited only  : command  ? help  q quit",
	} {
		got := hintLine(keymap.CompletionsScreen, w)
		uitest.Exact(t, got, w, 1)
		if uitest.Text(got) != want {
			t.Errorf("%d cells: %q, want %q", w, uitest.Text(got), want)
		}
	}
}

// A column of the line leads to the key whose hint is there, and to none between two.
func TestAt(t *testing.T) {
	for _, c := range keymap.Contexts() {
		for _, w := range []int{40, 80, 200} {
			text := uitest.Text(hintLine(c, w))
			for x := range w {
				name, ok := widget.HintAt(c, "", w, x)
				in := x < len([]rune(text)) && strings.TrimSpace(string([]rune(text + "  ")[x:x+2])) != ""
				if ok && !in || ok && name == "" {
					t.Errorf("%s: %q at %d of %q", c.Name, name, x, text)
				}
			}
		}
	}
	if name, ok := widget.HintAt(keymap.CompletionsScreen, "", 80, 23); !ok || name != "p" {
		t.Errorf("%q is the key of %q", name, uitest.Text(hintLine(keymap.CompletionsScreen, 80)))
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
		if got := uitest.Text(hintLine(c, 80)); strings.Contains(got, "? help") != works {
			t.Errorf("%s: %q, but ? works: %v", c.Name, got, works)
		}
	}
}

// Every binding of every context is on its page, in one column, two and three.
func TestPage(t *testing.T) {
	th := theme.New("none", true)
	for _, c := range keymap.Contexts() {
		for w, columns := range map[int]int{60: 1, 110: 2, 190: 3} {
			p := widget.NewHelpPage(th, c)
			got := uitest.Text(widget.Render(th, p, w, 200))
			if len(p.Columns()) != columns {
				t.Errorf("%d columns in %d cells", len(p.Columns()), w)
			}
			for _, g := range c.Groups {
				for _, b := range g.Keys {
					if !strings.Contains(got, b.Help().Desc) {
						t.Errorf("%s, %d cells: no %q", c.Name, w, b.Help().Desc)
					}
				}
			}
			for _, want := range []string{"Mouse", "Glyphs and colors", "press its key"} {
				if !strings.Contains(got, want) {
					t.Errorf("%s, %d cells: no %q", c.Name, w, want)
				}
			}
		}
	}
}

// The key that a tour wants comes first, and a click there presses it.
func TestNextFirst(t *testing.T) {
	th := theme.New("none", true)
	for _, w := range []int{60, 80, 120} {
		block := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { widget.DrawHints(b, keymap.PostScreen, "t") }}
		if v := uitest.Text(widget.Render(th, block, w, 1)); !strings.HasPrefix(v, "t next opcode  enter post") {
			t.Errorf("%d cells: %q", w, v)
		}
		if name, ok := widget.HintAt(keymap.PostScreen, "t", w, 3); !ok || name != "t" {
			t.Errorf("%d cells: a click presses %q", w, name)
		}
	}
}

// The search shows only what holds the text; enter keeps it, esc ends it.
func TestSearch(t *testing.T) {
	th := theme.New("none", true)
	p := widget.NewHelpPage(th, keymap.CompletionsScreen)
	view := func() string { return uitest.Text(widget.Render(th, p, 60, 40)) }
	view()
	for _, k := range []string{"/", "s", "o", "l", "i", "c"} {
		p.Update(uitest.Key(k))
	}
	if v := view(); !strings.Contains(v, "solicited only") || strings.Contains(v, "pause") || !p.Typing() {
		t.Errorf("searching:\n%s", v)
	}
	p.Update(uitest.Key("enter"))
	if v := view(); strings.Contains(v, "pause") || p.Typing() {
		t.Errorf("kept:\n%s", v)
	}
	p.Update(uitest.Key("/"))
	p.Update(uitest.Key("esc"))
	if v := view(); !strings.Contains(v, "pause") || p.Typing() {
		t.Errorf("ended:\n%s", v)
	}
}

// No key and no text of the page is cut, down to a window of 80 columns.
func TestPageIsNotCut(t *testing.T) {
	th := theme.New("none", true)
	legend := "cut: the detail or zoom shows all"
	for _, c := range keymap.Contexts() {
		for _, w := range []int{74, 80, 96, 100, 105, 106, 116, 156, 159, 160, 196} {
			for l := range strings.Lines(uitest.Text(widget.Render(th, widget.NewHelpPage(th, c), w, 200))) {
				if l = strings.Replace(l, th.Glyphs.Ellipsis+strings.Repeat(" ", widget.HelpKeyWidth)+legend, "",
					1); strings.Contains(l, th.Glyphs.Ellipsis) {
					t.Errorf("%s, %d cells: %q", c.Name, w, l)
				}
			}
		}
	}
}
