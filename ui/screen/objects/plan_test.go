package objects

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// planPicture reads a picture from text: "a0" is a node a in layer 0, "a-b" an edge.
func planPicture(text string, th *theme.Theme) (nodes []Node, edges []Edge) {
	for _, word := range strings.Fields(text) {
		if from, to, ok := strings.Cut(word, "-"); ok {
			edges = append(edges, Edge{from, to})
			continue
		}
		name := word[:len(word)-1]
		nodes = append(nodes, Node{Key: name, Kind: "o", Name: name, Layer: int(word[len(word)-1] - '0'),
			About: "about " + name, Parts: []Part{{"one", &th.OK}, {"two", &th.Dim}}})
	}
	return nodes, edges
}

// TestPlan: objects stand in columns, each with what was made from it to its right, and a line for each edge.
func TestPlan(t *testing.T) {
	th := theme.New("none", true)
	for name, tt := range map[string]struct {
		text string
		w    int
		want []string
	}{
		"nothing":        {"", 40, []string{" none"}},
		"one":            {"a0", 40, []string{" o a one two"}},
		"too narrow":     {"a0", 8, []string{" o a"}},
		"a line":         {"a0 b1 a-b", 40, []string{" o a one two ─── o b one two"}},
		"the right more": {"a0 b1 a-b", 18, []string{" o a ─── o b one"}},
		"in turn":        {"a0 b1 a-b", 24, []string{" o a one ─── o b one"}},
		"two":            {"a0 b1 c1 a-b a-c", 19, []string{" o a ─┬─ o b one", "      ╰─ o c one"}},
		"three": {"a0 b1 c1 d1 a-b a-c a-d", 15, []string{" o a ─┬─ o b", "      ├─ o c",
			"      ╰─ o d"}},
		"together at the right": {"a2 b2 c3 a-c b-c", 18, []string{" o a one ─┬─ o c", " o b one ─╯"}},
		"in one column":         {"a2 b2 a-b b-a", 14, []string{" o a one ─╮", " o b one ─╯"}},
		"past a column":         {"a0 b1 c2 a-b a-c", 26, []string{" o a ─┬─ o b", "      ╰─ ─────── o c one"}},
		"no joint where lines cross": {"a1 b2 c2 d2 x3 y3 a-b a-c a-d b-x c-y d-x", 26, []string{
			" o a ─┬─ o b one ─┬─ o x", "      ├─ o c one ─── o y", "      ╰─ o d one ─╯"}},
		"two parents": {"p1 i1 a2 b2 i-a p-a p-b", 17, []string{" o p ─┬─ o b one", " o i ─┴─ o a one"}},
		"too far":     {"a0 b3 a-b", 13, []string{" o a", "         o b"}},
		"unknown":     {"a0 a-b c-a a-a", 10, []string{" o a one"}},
	} {
		g := NewGraph(th, 3)
		g.Empty = "none"
		g.Set(planPicture(tt.text, th))
		got := strings.Split(uitest.Text(widget.Render(th, g, tt.w, max(len(tt.want), 2))), "\n")[:len(tt.want)]
		if len(tt.want) > 2 || tt.text == "" {
			got = strings.Split(uitest.Text(widget.Render(th, g, tt.w, len(tt.want)+1)), "\n")[:len(tt.want)]
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// walk follows the lines of a gap from the left end of a row, and returns the rows of the ends that it reaches.
func walk(g *gap, row int) (lefts, rights map[int]bool) {
	lefts, rights = map[int]bool{row: true}, map[int]bool{}
	type step struct {
		r, x  int
		enter uint8 // the side from which the cell is entered
	}
	seen := map[step]bool{}
	var from func(s step)
	from = func(s step) {
		if s.x < 0 {
			lefts[s.r] = true
			return
		}
		if s.x > g.tracks+1 {
			rights[s.r] = true
			return
		}
		if seen[s] || s.r < 0 || s.r >= len(g.cells) {
			return
		}
		seen[s] = true
		goes := g.cells[s.r][s.x].goes
		if goes == goesLeft|goesRight && s.enter&(goesUp|goesDown) != 0 {
			goes = goesUp | goesDown // it passes below
		}
		for _, way := range []struct {
			out, in uint8
			r, x    int
		}{
			{goesUp, goesDown, -1, 0}, {goesDown, goesUp, 1, 0},
			{goesLeft, goesRight, 0, -1}, {goesRight, goesLeft, 0, 1},
		} {
			if goes&way.out != 0 {
				from(step{s.r + way.r, s.x + way.x, way.in})
			}
		}
	}
	from(step{row, 0, goesLeft})
	return lefts, rights
}

// TestEveryEdgeIsDrawn: in random pictures the lines of each object lead to all that it is joined to, unless there are
// more lines than tracks, and no two objects share a place.
func TestEveryEdgeIsDrawn(t *testing.T) {
	th := theme.New("none", true)
	random := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		var words []string
		var names [5][]string
		for i := range 1 + random.IntN(20) {
			layer := random.IntN(5)
			name := fmt.Sprintf("n%d_", i)
			names[layer] = append(names[layer], name)
			words = append(words, fmt.Sprint(name, layer))
		}
		for layer, list := range names[:4] {
			for _, from := range list {
				for _, to := range names[layer+1] {
					if random.IntN(3) == 0 {
						words = append(words, from+"-"+to)
					}
				}
			}
		}
		nodes, edges := planPicture(strings.Join(words, " "), th)
		p := NewPlan(nodes, edges, 3, 80)
		places := map[[2]int]bool{}
		for i := range p.Nodes {
			at := [2]int{p.Nodes[i].Layer, p.rows[i]}
			if places[at] {
				t.Fatalf("%v: two objects at %v", words, at)
			}
			places[at] = true
		}
		for _, e := range edges {
			from, to := p.byKey[e.From], p.byKey[e.To]
			gap := &p.gaps[p.Nodes[from].Layer]
			if gap.tracks == maxTracks {
				continue
			}
			if _, rights := walk(gap, p.rows[from]); !rights[p.rows[to]] {
				t.Fatalf("%v: the line from %s does not lead to %s", words, e.From, e.To)
			}
		}
	}
}

// TestManyLines: what has no track is begun with dashes.
func TestManyLines(t *testing.T) {
	th := theme.New("none", true)
	text := ""
	for i := range 9 {
		text += fmt.Sprintf("a%d_2 b%d_2 ", i, i)
	}
	for i := range 9 {
		text += fmt.Sprintf("a%d_-b%d_ ", i, i)
	}
	nodes, edges := planPicture(text, th)
	slices.SortStableFunc(nodes, func(a, b Node) int { return strings.Compare(a.Name[:1], b.Name[:1]) })
	p := NewPlan(nodes, edges, 3, 80)
	if p.gaps[2].tracks != maxTracks {
		t.Fatalf("%d tracks", p.gaps[2].tracks)
	}
	for i := range 9 {
		c := p.gaps[2].cells[p.rows[p.byKey[fmt.Sprintf("a%d_", i)]]][0]
		if glyph := c.glyph(&th.Glyphs); (glyph == th.Glyphs.DashH) != (i >= maxTracks) {
			t.Errorf("line %d begins with %q", i, glyph)
		}
	}
}

// TestWalk: the arrows walk over the objects, the lines of the one under the cursor stand out, and it stays in sight.
func TestWalk(t *testing.T) {
	th := uitest.Tokens()
	g := NewGraph(th, 3)
	g.Focused = true
	g.Set(planPicture("d0 p1 q1 a2 b2 c2 x3 y3 h4 d-p d-q p-a p-b q-c a-x b-x c-y x-h", th))
	widget.Render(th, g, 60, 8)
	at := func() string {
		n, _ := g.At()
		return n.Name
	}
	if at() != "d" {
		t.Fatalf("the cursor begins on %s", at())
	}
	for _, tt := range []struct{ key, want string }{
		{"right", "p"}, {"down", "q"}, {"down", "q"}, {"right", "c"}, {"up", "b"}, {"right", "x"}, {"right", "h"},
		{"right", "h"}, {"left", "x"}, {"down", "y"}, {"right", "h"}, {"home", "h"}, {"left", "x"}, {"left", "a"},
		{"end", "c"}, {"home", "a"}, {"pgdown", "c"}, {"k", "b"}, {"j", "c"}, {"h", "q"}, {"l", "c"},
	} {
		if g.Update(keymap.Press(tt.key)); at() != tt.want {
			t.Fatalf("%s: on %s, want %s", tt.key, at(), tt.want)
		}
	}
	if g.Update(keymap.Press("x")) {
		t.Error("x moves")
	}
	for h := 1; h < 8; h++ {
		for _, k := range []string{"home", "end", "up", "left", "right", "down"} {
			g.Update(keymap.Press(k))
			view := widget.Render(th, g, 60, h)
			if !strings.Contains(uitest.Text(view), "o "+at()) {
				t.Errorf("%d rows, %s: %s is out of sight:\n%s", h, k, at(), uitest.Text(view))
			}
			uitest.Exact(t, view, 60, h)
		}
	}
	for w := range 60 {
		for _, k := range []string{"left", "left", "left", "left", "right", "right", "right", "right"} {
			g.Update(keymap.Press(k))
			if view := uitest.Text(widget.Render(th, g, w, 8)); w > 8 && !strings.Contains(view, "o "+at()) {
				t.Errorf("%d cells: %s is out of sight:\n%s", w, at(), view)
			}
		}
	}
	g.Choose("x")
	view := widget.Render(th, g, 60, 8)
	if got := uitest.Marked(t, view, "o a"); !strings.Contains(got, "‹Accent›") {
		t.Errorf("the line to x does not stand out: %s", got)
	}
	if got := uitest.Marked(t, view, "o x"); !strings.Contains(got, "‹Value+Selection›x") {
		t.Errorf("the cursor is not seen: %s", got)
	}
	if got := uitest.Marked(t, view, "about x"); !strings.Contains(got, "‹Label›about x") {
		t.Errorf("x is not described: %s", got)
	}
}

// TestCursorStays: the cursor stays on its object while others come and go, and moves to a neighbour when that is gone.
func TestCursorStays(t *testing.T) {
	th := theme.New("none", true)
	g := NewGraph(th, 3)
	for _, tt := range []struct{ text, choose, want string }{
		{"a0 b0 c0", "b", "b"}, {"n0 a0 b0 c0", "", "b"}, {"a0 c0", "", "c"}, {"", "", ""}, {"c0", "", "c"},
		{"c0 d0", "no such", "c"},
	} {
		g.Set(planPicture(tt.text, th))
		g.Choose(tt.choose)
		if n, ok := g.At(); n.Name != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: on %q, want %q", tt.text, n.Name, tt.want)
		}
		g.Update(keymap.Press("left"))
	}
}

// TestPoint: a click takes the object under it, the wheel moves, and a click beside the objects does nothing.
func TestPoint(t *testing.T) {
	th := theme.New("none", true)
	g := NewGraph(th, 3)
	g.Set(planPicture("a0 b1 c1 a-b a-c", th))
	rows := strings.Split(uitest.Text(widget.Render(th, g, 40, 4)), "\n")
	for y := -1; y < 6; y++ {
		for x := range 40 {
			g.Choose("a")
			want := ""
			for _, name := range []string{"a", "b", "c"} {
				for row, text := range rows[:2] {
					if from := strings.Index(text, "o "+name); from >= 0 {
						from = len([]rune(text[:from]))
						if row == y && x >= from && x < from+11 {
							want = name
						}
					}
				}
			}
			took := g.Mouse(widget.Mouse{Kind: widget.Click, X: x, Y: y})
			if n, _ := g.At(); took != (want != "") || took && n.Name != want {
				t.Errorf("a click at %d,%d takes %q (%v), want %q", x, y, n.Name, took, want)
			}
		}
	}
	g.Choose("b")
	g.Mouse(widget.Mouse{Kind: widget.WheelDown})
	if n, _ := g.At(); n.Name != "c" {
		t.Errorf("the wheel moves to %s", n.Name)
	}
	g.Mouse(widget.Mouse{Kind: widget.WheelUp})
	if n, _ := g.At(); n.Name != "b" {
		t.Errorf("the wheel moves to %s", n.Name)
	}
}
