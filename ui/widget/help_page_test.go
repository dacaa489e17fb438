package widget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// contextOf makes a context with groups of so many keys: "A" with A1, A2 and so on.
func contextOf(sizes ...int) (c keymap.Context) {
	for i, n := range sizes {
		g := keymap.Group{Name: string(rune('A' + i))}
		for k := range n {
			name := fmt.Sprintf("%s%d", g.Name, k+1)
			g.Keys = append(g.Keys, key.NewBinding(key.WithKeys(name), key.WithHelp(name, "does "+name)))
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}

// helpHeadings lists the headings in each column of a page, with the rows at which they stand.
func helpHeadings(p *widget.HelpPage) (out []string) {
	for _, c := range p.Columns() {
		text := ""
		for i, r := range c {
			if r.Key == "" && r.Text != "" {
				text += fmt.Sprintf("%s%d ", strings.Fields(r.Text)[0], i)
			}
		}
		out = append(out, strings.TrimSpace(text))
	}
	return out
}

// TestColumnsAreFilled: each section goes to the column that is shortest so far, the first of equal ones, a blank row
// below what is there. There are two columns from 106 cells on, and three from 160.
func TestColumnsAreFilled(t *testing.T) {
	th := theme.New("none", true)
	for _, tt := range []struct {
		w     int
		sizes []int
		want  []string // Mouse has 5 rows, Glyphs 14
	}{
		{105, []int{2, 1}, []string{"A0 B4 Mouse7 Glyphs14"}},
		{106, []int{2, 1}, []string{"A0 Glyphs4", "B0 Mouse3"}},
		{159, []int{2, 1}, []string{"A0 Glyphs4", "B0 Mouse3"}},
		{160, []int{2, 1}, []string{"A0", "B0 Glyphs3", "Mouse0"}},
		{160, []int{9, 1, 1, 1, 1}, []string{"A0", "B0 D3 Mouse6", "C0 E3 Glyphs6"}},
		{106, []int{3, 3, 1}, []string{"A0 C5 Glyphs8", "B0 Mouse5"}},
		{10, []int{0, 1}, []string{"B0 Mouse3 Glyphs10"}},
	} {
		p := widget.NewHelpPage(th, contextOf(tt.sizes...))
		view := strings.Split(uitest.Text(widget.Render(th, p, tt.w, 40)), "\n")
		if got := helpHeadings(p); !slices.Equal(got, tt.want) {
			t.Errorf("%d cells, %v: %q, want %q", tt.w, tt.sizes, got, tt.want)
		}
		longest := 0
		for i, c := range p.Columns() {
			longest = max(longest, len(c))
			left := i * (tt.w / len(p.Columns()))
			for y, r := range c {
				if tt.w < 40 {
					continue
				}
				cell := []rune(view[y] + strings.Repeat(" ", tt.w))[left:]
				want := " " + r.Text
				if r.Key != "" {
					want = fmt.Sprintf("  %-*s %s", widget.HelpKeyWidth, r.Key, r.Text)
				}
				if got := string(cell[:len([]rune(want))]); got != want {
					t.Errorf("%d cells: column %d, row %d is %q, want %q", tt.w, i, y, got, want)
				}
			}
		}
		if p.Len() != longest {
			t.Errorf("%d cells: %d rows, want %d", tt.w, p.Len(), longest)
		}
	}
}

// TestPageSearch: what is typed is looked for in headings, keys and texts; a line below the page shows it until it is
// empty. Sections without a match go.
func TestPageSearch(t *testing.T) {
	th := theme.New("none", true)
	p := widget.NewHelpPage(th, contextOf(12, 3))
	view := func() []string { return strings.Split(uitest.Text(widget.Render(th, p, 60, 8)), "\n") }
	if v := view(); p.Len() != 13+5+7+17 || strings.Contains(strings.Join(v, "\n"), "/") {
		t.Errorf("%d rows\n%s", p.Len(), strings.Join(v, "\n"))
	}
	want := func(keys string, typing bool, foot string, rows int, headings0 string) {
		t.Helper()
		for _, k := range strings.Fields(keys) {
			if !p.Update(uitest.Key(k)) {
				t.Errorf("%s is not taken", k)
			}
		}
		v := view()
		if last := v[len(v)-1]; p.Typing() != typing || !strings.HasPrefix(last, foot) || foot == "" &&
			last[:1] != " " {
			t.Errorf("%s: typing %v, the last line is %q, want %q", keys, p.Typing(), last, foot)
		}
		if got := helpHeadings(p)[0]; p.Len() != rows || got != headings0 {
			t.Errorf("%s: %d rows, %q, want %d, %q", keys, p.Len(), got, rows, headings0)
		}
	}
	want("/", true, " /  part of a key or of what it does", 43, "A0 B14 Mouse19 Glyphs26")
	want("A 1", true, " / A1", 6, "A0") // A1, A10, A11, A12
	want("enter", false, " / A1", 6, "A0")
	want("/ backspace", true, " / A", 37, "A0 Mouse14 Glyphs20") // those have an a
	want("2", true, " / A2", 3, "A0")
	want("2", true, " / A22", 1, "")
	want("esc", false, "", 42, "A0 B14 Mouse19 Glyphs26")
	want("/ m o u s e", true, " / mouse", 7, "Mouse0")
	p.Update(tea.PasteMsg{Content: "x"})
	want("backspace", true, " / mouse", 7, "Mouse0")
	want("esc", false, "", 42, "A0 B14 Mouse19 Glyphs26")
	want("pgdown", false, "", 42, "A0 B14 Mouse19 Glyphs26")
	if top := p.Top(); top != 8 {
		t.Errorf("a page down leads to row %d", top)
	}
	if !p.Mouse(widget.Mouse{Kind: widget.WheelUp}) || p.Top() != 5 || p.Update(uitest.Key("x")) {
		t.Errorf("the wheel leads to row %d", p.Top())
	}
}

// TestText: a text is searched by its lines; what is found is marked and comes to the top.
func TestText(t *testing.T) {
	th := uitest.Tokens()
	x := widget.NewTextPage(th, strings.Repeat("line\n", 9)+"found\n"+strings.Repeat("line\n", 9), th.Value)
	view := func() (rows []string) { return strings.Split(widget.Render(th, x, 20, 4), "\n") }
	if view(); x.Len() != 19 || x.Typing() {
		t.Errorf("%d rows, typing %v", x.Len(), x.Typing())
	}
	for _, tt := range []struct {
		keys string
		top  int
		len  int
	}{{"down", 1, 19}, {"/", 1, 20}, {"o u", 9, 20}, {"enter", 9, 20}, {"up", 8, 20}, {"n", 9, 20}, {"/ esc", 9, 19}} {
		for _, k := range strings.Fields(tt.keys) {
			x.Update(uitest.Key(k))
		}
		v := view()
		if x.Top() != tt.top || x.Len() != tt.len {
			t.Errorf("%s: top %d, %d rows, want %d, %d", tt.keys, x.Top(), x.Len(), tt.top, tt.len)
		}
		if got := strings.Contains(uitest.Text(v[3]), " / "); got != (tt.len == 20) {
			t.Errorf("%s: the search is shown: %v", tt.keys, got)
		}
		if got := strings.Contains(v[0], th.Match.SGR()); got != (tt.top == 9 && tt.len == 20) {
			t.Errorf("%s: marked: %v\n%q", tt.keys, got, v[0])
		}
		if got := strings.Contains(v[3], th.Cursor.SGR()); got != x.Typing() {
			t.Errorf("%s: there is a cursor: %v", tt.keys, got)
		}
	}
	if !x.Mouse(widget.Mouse{Kind: widget.WheelDown}) || x.Top() != 12 {
		t.Errorf("the wheel leads to row %d", x.Top())
	}
}

// TestNextKey: the key that a tour tells to press stands out among the hints.
func TestNextKey(t *testing.T) {
	th := uitest.Tokens()
	c := contextOf(3)
	for next, want := range map[string]string{
		"":   "‹Key›A1 ‹KeyText›does A1  ‹Key›A2 ‹KeyText›does A2  ‹Key›A3 ‹KeyText›does A3\n",
		"A2": "‹TabActive›A2 ‹Accent›does A2  ‹Key›A1 ‹KeyText›does A1  ‹Key›A3 ‹KeyText›does A3\n",
	} {
		view := widget.Render(th, hintsOfLine(c, next), 60, 1)
		if got := uitest.Marked(t, view, "A1"); got != want {
			t.Errorf("%q: %q, want %q", next, got, want)
		}
	}
	for w, want := range map[int]string{35: "A1 A2 A3", 34: "A1 A2 A3", 33: "A1 A2", 22: "A1 A2", 21: "A1", 10: "A1",
		9: "", 0: ""} {
		got := ""
		for x := 0; x < w; x += 12 {
			if name, ok := widget.HintAt(c, "", w, x); ok {
				got += " " + name
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
	for x, want := range map[int]string{-1: "", 0: "A1", 9: "A1", 10: "", 11: "", 12: "A2", 21: "A2", 22: "", 24: "A3",
		33: "A3", 34: ""} {
		if name, ok := widget.HintAt(c, "", 60, x); name != want || ok != (want != "") {
			t.Errorf("column %d: %q, want %q", x, name, want)
		}
	}
}
