package widget

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// tile is a block that shows its letter, and notes what reaches it.
type tile struct {
	name  string
	below int
	w, h  int
	hit   string
}

func (t *tile) SetSize(w, h int) { t.w, t.h = w, h }

func (t *tile) DrawLine(b *line.Buf, y int) {
	b.Text(strings.Repeat(t.name, t.w-1)+fmt.Sprint(y), theme.Style{})
}

func (t *tile) Below() int { return t.below }

func (t *tile) Mouse(m Mouse) bool {
	t.hit += fmt.Sprint(m.X, ",", m.Y, " ")
	return t.name != "c"
}

// TestRow: blocks stand side by side, the mouse reaches the one under it, and one that is left out is not there.
func TestRow(t *testing.T) {
	a, b, c := &tile{name: "a", below: 2}, &tile{name: "b", below: 9}, &tile{name: "c", below: 4}
	r := NewRow(Fixed(3, a), Fixed(4, b).OrDrop(1), Flex(1, 2, c))
	th := &theme.Theme{}
	for _, tt := range []struct {
		w     int
		want  string
		below int
		hits  string // what is hit at columns 0 to 9
	}{
		{10, "aa0bbb0cc0\naa1bbb1cc1", 9, "a0,1 a1,1 a2,1 b0,1 b1,1 b2,1 b3,1 -c0,1 -c1,1 -c2,1"},
		{9, "aa0bbb0c0\naa1bbb1c1", 9, "a0,1 a1,1 a2,1 b0,1 b1,1 b2,1 b3,1 -c0,1 -c1,1 -"},
		{8, "aa0cccc0\naa1cccc1", 4, "a0,1 a1,1 a2,1 -c0,1 -c1,1 -c2,1 -c3,1 -c4,1 - -"},
	} {
		if got := Render(th, r, tt.w, 2); got != tt.want || r.Below() != tt.below {
			t.Errorf("%d cells: %q, %d below, want %q, %d", tt.w, got, r.Below(), tt.want, tt.below)
		}
		at := func(i int) Mouse { return Mouse{X: i, Y: 1} }
		if got := hits(r, []*tile{a, b, c}, at); got != tt.hits {
			t.Errorf("%d cells: %s, want %s", tt.w, got, tt.hits)
		}
	}
	if i, left := r.Hit(4, 0); i != 2 || left != 3 {
		t.Errorf("column 4 is in %d, which begins at %d", i, left)
	}
	if i, _ := r.Hit(-1, 0); i != -1 {
		t.Errorf("column -1 is in %d", i)
	}
	r.SetChildren(Flex(1, 1, c))
	if got := Render(th, r, 3, 1); got != "cc0" {
		t.Errorf("after the change: %q", got)
	}
}

// TestCol is TestRow for blocks above each other.
func TestCol(t *testing.T) {
	a, b, c := &tile{name: "a", below: 2}, &tile{name: "b", below: 9}, &tile{name: "c", below: 4}
	x := NewCol(Fixed(3, a), Flex(1, 2, c), Fixed(2, b).OrDrop(1))
	th := &theme.Theme{}
	for _, tt := range []struct {
		h     int
		want  string
		below int
		hits  string
	}{
		{8, "a0 a1 a2 c0 c1 c2 b0 b1", 9, "a1,0 a1,1 a1,2 -c1,0 -c1,1 -c1,2 b1,0 b1,1 - -"},
		{7, "a0 a1 a2 c0 c1 b0 b1", 9, "a1,0 a1,1 a1,2 -c1,0 -c1,1 b1,0 b1,1 - - -"},
		{6, "a0 a1 a2 c0 c1 c2", 4, "a1,0 a1,1 a1,2 -c1,0 -c1,1 -c1,2 - - - -"},
	} {
		got := strings.ReplaceAll(Render(th, x, 2, tt.h), "\n", " ")
		if got != tt.want || x.Below() != tt.below {
			t.Errorf("%d rows: %q, %d below, want %q, %d", tt.h, got, x.Below(), tt.want, tt.below)
		}
		at := func(i int) Mouse { return Mouse{X: 1, Y: i} }
		if got := hits(x, []*tile{a, b, c}, at); got != tt.hits {
			t.Errorf("%d rows: %s, want %s", tt.h, got, tt.hits)
		}
	}
	if i, top := x.Hit(0, 3); i != 1 || top != 3 {
		t.Errorf("row 3 is in %d, which begins at %d", i, top)
	}
	if x.SetChildren(); x.Below() != 0 {
		t.Error("an empty column has rows below")
	}
	x.SetChildren(Flex(1, 1, &Func{Line: func(*line.Buf, int, int, int) {}}))
	if x.SetSize(1, 1); x.Mouse(Mouse{}) || x.Below() != 0 {
		t.Error("a block without a mouse takes it")
	}
}

// hits tells which tile each of ten actions reaches, where in it, and with "-" that it was not taken.
func hits(on Mouser, tiles []*tile, at func(i int) Mouse) string {
	var out []string
	for i := range 10 {
		text := ""
		if !on.Mouse(at(i)) {
			text = "-"
		}
		for _, k := range tiles {
			if k.hit != "" {
				text += k.name + strings.TrimSpace(k.hit)
			}
			k.hit = ""
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}
