package bringup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// Each window shows the panes that fit.
func TestPanesFit(t *testing.T) {
	for _, tt := range []struct {
		setup bool // without queue pairs
		keys  []string
		w, h  int
		boxes []string
	}{
		// One pane, above two lines of the result, unless it has the result.
		{false, nil, 59, 12, []string{"a: 59x10+0+0"}},
		{false, nil, 60, 11, []string{"a: 60x9+0+0"}}, {false, nil, 60, 7, []string{"a: 60x5+0+0"}},
		{false, []string{"]"}, 59, 12, []string{"queue 59x10+0+0"}},
		{false, []string{"["}, 59, 12, []string{"C 59x12+0+0"}},
		// The form shares its place with the attributes; from 20 lines on the call has 8 of them, else 6.
		{false, nil, 60, 12, []string{"queue 32x6+0+0", "a: 28x6+32+0", "C 60x6+0+6"}},
		{false, nil, 80, 19, []string{"queue 32x13+0+0", "a: 48x13+32+0", "C 80x6+0+13"}},
		{false, nil, 80, 20, []string{"queue 32x12+0+0", "a: 48x12+32+0", "C 80x8+0+12"}},
		{false, nil, 99, 24, []string{"queue 32x16+0+0", "a: 67x16+32+0", "C 99x8+0+16"}},
		{false, nil, 100, 23, []string{"queue 32x15+0+0", "a: 68x15+32+0", "C 100x8+0+15"}},
		{false, []string{"]", "]"}, 80, 20, []string{"queue 32x12+0+0", "attributes 48x12+32+0", "C 80x8+0+12"}},
		{false, []string{"["}, 80, 20, []string{"queue 32x12+0+0", "a: 48x12+32+0", "C 80x8+0+12"}},
		// The queue pairs have 46 % of the width and a line each, the call a quarter of the height, at least 9; the
		// attributes have what is left, at least 5.
		{false, nil, 100, 24, []string{"queue 46x15+0+0", "a: 54x15+46+0", "C 100x9+0+15"}},
		{false, nil, 100, 28, []string{"queue 46x19+0+0", "a: 54x19+46+0", "C 100x9+0+19"}},
		{false, nil, 100, 29, []string{"queue 46x15+0+0", "a: 54x20+46+0", "attributes 46x5+0+15", "C 100x9+0+20"}},
		{false, nil, 100, 39, []string{"queue 46x15+0+0", "a: 54x30+46+0", "attributes 46x15+0+15", "C 100x9+0+30"}},
		{false, nil, 120, 40, []string{"queue 55x15+0+0", "a: 65x30+55+0", "attributes 55x15+0+15", "C 120x10+0+30"}},
		{false, nil, 200, 60, []string{"queue 92x15+0+0", "a: 108x45+92+0", "attributes 92x30+0+15", "C 200x15+0+45"}},
		{false, []string{"z"}, 120, 40, []string{"a: 120x40+0+0"}},
		{false, []string{"[", "z"}, 120, 40, []string{"C 120x40+0+0"}},
		// The objects to make: seven, with titles and explanation, and the result below.
		{true, nil, 59, 12, []string{"enter 59x10+0+0"}},
		{true, nil, 60, 12, []string{"no 60x8+0+0", "result 60x4+0+8"}},
		{true, nil, 80, 20, []string{"no 80x16+0+0", "result 80x4+0+16"}},
		{true, nil, 120, 40, []string{"no 120x16+0+0", "result 120x24+0+16"}},
	} {
		d, _, _ := start(t, theme.New("none", true), !tt.setup)
		d.Keys(tt.keys...)
		if got := uitest.Boxes(d.View(tt.w, tt.h)); !slices.Equal(got, tt.boxes) {
			t.Errorf("%q in %dx%d: %q, want %q", tt.keys, tt.w, tt.h, got, tt.boxes)
		}
	}
}

// A queue pair without another one to connect to shows its address for the peer, which takes three lines more; the list
// has at most six lines.
func TestPanesGrow(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	sess.Do("destroy_qp b")
	d.Frame()
	d.Settle()
	d.Shows(120, 40, "tell the peer:", "No peer yet. n creates a second QP, P enters a")
	if got := uitest.Boxes(d.View(120, 40))[0]; got != "queue 55x17+0+0" {
		t.Errorf("one queue pair: %s", got)
	}
	for i, h := range []int{15, 16, 17, 18, 19, 19, 19} {
		d.Keys("n")
		if got, want := uitest.Boxes(d.View(120, 60))[0], fmt.Sprintf("queue 55x%d+0+0", h); got != want {
			t.Errorf("%d queue pairs: %s, want %s", i+2, got, want)
		}
	}
}

// The hints show only keys that work.
func TestOfferedKeys(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"RESET to INIT", nil, "b f space u x"},                                 // ready; a number under the cursor
		{"INIT to RTR", []string{"enter"}, "b f u x"},                           // path_mtu is a choice
		{"no such transition", []string{"t"}, "b del e enter space u"},          // only as is; no field
		{"the list", []string{"]"}, "b del e f space u x"},                      // no field
		{"connected", []string{"c"}, "b del enter f u x"},                       // qp_access_flags: not set, flags
		{"the line that shows all", []string{"end"}, "b del e f space u x"},     // not a field
		{"without a required value", []string{"delete"}, "b del enter space u"}, // x sends as is
		{"flags", []string{"down", "down"}, "b f u x"},
	} {
		d, _, s := start(t, theme.New("none", true), true)
		d.Keys(tt.keys...)
		if got := uitest.Later(s.Context()); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	d, sess, s := start(t, theme.New("none", true), true)
	sess.Do("destroy_qp b", "dereg_mr dst")
	d.Frame()
	d.Settle()
	if got := uitest.Later(s.Context()); got != "c f o space x" { // b makes what is missing
		t.Errorf("a queue pair alone: %s", got)
	}
	sess.Do("destroy_qp a", "create_qp u pd=pd send_cq=cq recv_cq=cq qp_type=UD")
	d.Frame()
	d.Settle()
	if got := uitest.Later(s.Context()); got != "c f o space x" {
		t.Errorf("a queue pair of another type: %s", got)
	}
}

// A screen whose result is in sight says itself how a line ended.
func TestAnswers(t *testing.T) {
	for _, zoom := range []bool{false, true} {
		for _, focus := range []screen.Pane{paneForm, paneQPs, paneAttributes, paneCall} {
			s := &Screen{}
			s.Zoom, s.Focus = zoom, focus
			if want := !zoom || focus == paneCall; s.Answers() != want {
				t.Errorf("zoom %v, pane %d: the result shows: %t", zoom, focus, s.Answers())
			}
		}
	}
}

// The height of what explains the form depends on the window's.
func TestAdviceLines(t *testing.T) {
	for _, tt := range []struct {
		h    int
		zoom bool
		want int
	}{{40, false, 5}, {39, false, 3}, {20, false, 3}, {19, false, 2}, {5, false, 2}, {60, true, 5}, {15, true, 5},
		{14, true, 4}, {9, true, 3}, {8, true, 2}, {3, true, 2}} {
		s := &Screen{}
		if s.H, s.Zoom = tt.h, tt.zoom; s.adviceLines() != tt.want {
			t.Errorf("%+v: %d", tt, s.adviceLines())
		}
	}
}

// The note of a pane says what its key does: query, enlarge and, when enlarged, go back.
func TestNotesOfPanes(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		w, h int
		want string
		not  string
	}{
		{nil, 80, 20, "z enlarges", "z goes back"}, {nil, 120, 40, "r query_qp", "z "},
		{[]string{"z"}, 80, 20, "z goes back", "z enlarges"}, {[]string{"z"}, 120, 40, "z goes back", "z enlarges"},
		{[]string{"]", "]", "z"}, 120, 40, "r query_qp", "z "},
		{[]string{"t"}, 80, 20, "no such transition", "z enlarges"},
		{[]string{"t", "z"}, 120, 40, "no such transition", "z goes back"},
		{[]string{"P"}, 80, 20, "peer:", "z enlarges"},
	} {
		d, _, _ := start(t, theme.New("none", true), true)
		d.Keys(tt.keys...)
		if v := d.View(tt.w, tt.h); !strings.Contains(v, tt.want) || strings.Contains(v, tt.not) {
			t.Errorf("%q in %dx%d: want %q, not %q\n%s", tt.keys, tt.w, tt.h, tt.want, tt.not, v)
		}
	}
}

// The pane that takes the keys is drawn as such: the form while something is typed into it.
func TestFocusedPane(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want screen.Pane
	}{
		{nil, paneForm}, {[]string{"]"}, paneQPs}, {[]string{"]", "]"}, paneAttributes}, {[]string{"["}, paneCall},
		{[]string{"e"}, paneForm}, {[]string{"]", "P"}, paneForm}, {[]string{"]", "P", "esc"}, paneQPs},
	} {
		d, _, s := start(t, theme.New("none", true), true)
		d.Keys(tt.keys...)
		d.View(120, 40)
		for i, box := range s.Boxes {
			if box.Focused != (screen.Pane(i) == tt.want) {
				t.Errorf("%q: pane %d is drawn with the focus: %t", tt.keys, i, box.Focused)
			}
		}
	}
}

// The chart marks [the current state] and (the target); what can be reached is bright, the rest dim.
func TestChart(t *testing.T) {
	th := uitest.Tokens()
	c := &chart{th: th, now: verbs.QPInit, to: verbs.QPRTR, reachables: []verbs.QPState{verbs.QPRTR, verbs.QPReset,
		verbs.QPErr}}
	for _, tt := range []struct {
		w    int
		want []string
	}{
		{wideChart, []string{" RESET ──▶[INIT]──▶(RTR)──▶ RTS ──▶ SQD",
			"                             │", " any ──▶ ERR ──▶ RESET       ╰──▶ SQE"}},
		{wideChart - 1, []string{"RESET▸[INIT]▸(RTR)▸RTS▸SQD", "any▸ERR▸RESET  RTS▸SQE"}},
	} {
		block := &widget.Func{Line: func(b *line.Buf, y, _, _ int) {
			if lines := c.lines(tt.w); y < len(lines) {
				if tt.w >= wideChart {
					b.Space(1) // as in its box
				}
				lines[y](b)
			}
		}}
		raw := widget.Render(th, block, 60, len(tt.want))
		got := strings.Split(uitest.Text(raw), "\n")
		for i, want := range tt.want {
			if tt.w >= wideChart {
				want = " " + want
			}
			if want = strings.ReplaceAll(want, "▸", th.Glyphs.Right); got[i] != want {
				t.Errorf("%d cells: %q, want %q", tt.w, got[i], want)
			}
		}
		marked := uitest.Marked(t, raw, "RESET", "ERR")
		for _, want := range []string{"‹Accent›[INIT]", "‹Key›(RTR)", "‹Undefined›", "‹Value›"} {
			if !strings.Contains(marked, want) {
				t.Errorf("%d cells: no %s in\n%s", tt.w, want, marked)
			}
		}
		for state, style := range map[string]string{"RESET": "Value", "RTS": "Undefined", "SQD": "Undefined",
			"ERR": "Value", "SQE": "Undefined"} {
			if mark := "‹" + style + "›"; !strings.Contains(marked, mark+state) &&
				!strings.Contains(marked, mark+" "+state) {
				t.Errorf("%d cells: %s is not %s in\n%s", tt.w, state, style, marked)
			}
		}
	}
	for st, want := range map[verbs.QPState]theme.Style{verbs.QPRTS: th.OK, verbs.QPErr: th.Err, verbs.QPSQE: th.Err,
		verbs.QPReset: th.Accent, verbs.QPInit: th.Accent, verbs.QPRTR: th.Accent, verbs.QPSQD: th.Accent} {
		if got := stateStyle(th, st); got != want {
			t.Errorf("%s has style %v", st, got)
		}
	}
}

// Keys turn through all states in the order of the enumeration, and come round.
func TestAround(t *testing.T) {
	states := []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPSQE,
		verbs.QPErr}
	for i, s := range states {
		next := states[(i+1)%len(states)]
		if got := around(s, 1); got != next {
			t.Errorf("%s is after %s, want %s", got, s, next)
		}
		if got := around(next, -1); got != s {
			t.Errorf("%s is before %s, want %s", got, next, s)
		}
	}
}
