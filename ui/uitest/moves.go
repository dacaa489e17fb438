package uitest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
)

// Moves is a block with rows that do not all fit, for [Moves.Check]. It is drawn in the
// theme of [Tokens].
type Moves struct {
	Block  widget.Block
	Update func(k tea.KeyPressMsg)
	W, H   int
	Page   int                // rows in sight
	Leap   int                // rows that page up and down move by, 0 for Page
	Rows   int                // of all
	Wheel  int                // rows that the wheel moves by
	Cursor bool               // a cursor moves, and the window follows; else the window moves
	Tail   bool               // the cursor begins on the last row
	Typed  bool               // letters are typed text, and there is no key to the ends
	Row    func(i int) string // a text that no other row contains
	// Add and Drop, if set, make rows come at the end and drop the oldest.
	Add, Drop func(n int)
}

// at is where a list should be, as keys and rows that come and go leave it.
type at struct {
	Moves
	th          *theme.Theme
	cursor, top int
	oldest      int  // rows that were dropped
	follows     bool // the cursor was moved to the last row
}

// Check moves at random, by keys, wheel and rows that come and go, and compares what is
// in sight after each step with what should be.
func (m Moves) Check(t *testing.T) {
	t.Helper()
	if m.Leap == 0 {
		m.Leap = m.Page
	}
	r := rand.New(rand.NewPCG(1, 2))
	keys := map[string]int{"up": -1, "down": 1, "pgup": -m.Leap, "pgdown": m.Leap}
	names := []string{"up", "down", "pgup", "pgdown"}
	if m.Typed {
		keys["shift+tab"], keys["tab"] = -1, 1
		names = append(names, "shift+tab", "tab")
	} else {
		far := 1 << 20
		for name, by := range map[string]int{"k": -1, "j": 1, "home": -far, "g": -far, "end": far, "G": far} {
			keys[name] = by
		}
		names = append(names, "k", "j", "home", "g", "end", "G")
	}
	x, steps := &at{Moves: m, th: Tokens(), follows: m.Tail}, []string{}
	if m.Tail {
		x.cursor = m.Rows - 1
	}
	x.compare(t, steps)
	for range 400 {
		switch n := r.IntN(len(names) + 2); {
		case m.Add != nil && r.IntN(2) == 0:
			steps = append(steps, x.change(r.IntN(5), r.IntN(2) == 0))
		case n < len(names):
			m.Update(Key(names[n]))
			x.move(keys[names[n]])
			steps = append(steps, names[n])
		case n == len(names):
			m.Block.(widget.Mouser).Mouse(widget.Mouse{Kind: widget.WheelUp})
			x.move(-m.Wheel)
			steps = append(steps, "wheel up")
		default:
			m.Block.(widget.Mouser).Mouse(widget.Mouse{Kind: widget.WheelDown})
			x.move(m.Wheel)
			steps = append(steps, "wheel down")
		}
		if !x.compare(t, steps) {
			return
		}
	}
}

func (x *at) move(by int) {
	if x.Cursor {
		x.cursor = max(min(x.cursor+by, x.Rows-1), 0)
		x.follows = x.cursor == x.Rows-1
	} else {
		x.top = max(min(x.top+by, x.Rows-x.Page), 0)
	}
}

// change makes rows come or go. The cursor stays on its row, or goes on to the last.
func (x *at) change(n int, add bool) string {
	if add {
		x.Add(n)
		x.Rows += n
		if x.follows {
			x.cursor = x.Rows - 1
		}
		return fmt.Sprint(n, " come")
	}
	n = min(n, max(x.Rows-x.Page, 0))
	x.Drop(n)
	x.Rows, x.oldest = x.Rows-n, x.oldest+n
	x.cursor, x.top = max(x.cursor-n, 0), max(x.top-n, 0)
	return fmt.Sprint(n, " go")
}

func (x *at) compare(t *testing.T, steps []string) (same bool) {
	t.Helper()
	if x.Cursor { // the least movement that keeps the cursor in sight, without blank rows
		x.top = min(max(x.top, x.cursor-x.Page+1), x.cursor)
		x.top = max(min(x.top, x.Rows-x.Page), 0)
	}
	raw := widget.Render(x.th, x.Block, x.W, x.H)
	same = true
	fail := func(what string, i int) {
		t.Helper()
		same = false
		t.Errorf("after %s: row %d %s\n%s", strings.Join(steps, ", "), i, what, Text(raw))
	}
	lines, plain, seen := strings.Split(raw, "\n"), strings.Split(Text(raw), "\n"), 0
	for i := range x.Rows {
		name := x.Row(x.oldest + i)
		for y, l := range lines {
			if !strings.Contains(plain[y], name) {
				continue
			}
			if seen++; i < x.top || i >= x.top+x.Page {
				fail("is in sight", i)
			}
			if x.Cursor && strings.Contains(l, x.th.Selection.SGR()) != (i == x.cursor) {
				fail(fmt.Sprintf("is marked or not, the cursor is on %d", x.cursor), i)
			}
		}
	}
	if want := min(x.Page, x.Rows); seen != want {
		fail(fmt.Sprintf("should be the first of %d in sight, not %d", want, seen), x.top)
	}
	return same
}
