package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// Each window shows the panes that fit: the form has about half the width, and each region at least a row.
func TestPanesFit(t *testing.T) {
	for _, tt := range []struct {
		keys  []string
		w, h  int
		boxes []string
	}{
		// One pane, above two lines of the result.
		{nil, 59, 12, []string{"request 59x10+0+0"}},
		{nil, 60, 11, []string{"request 60x9+0+0"}},
		{[]string{"tab", "tab"}, 60, 11, []string{"dst 60x9+0+0"}},
		{[]string{"d"}, 60, 11, []string{"steps 60x9+0+0"}},
		{[]string{"m"}, 60, 11, []string{"src 60x9+0+0"}},
		// Both regions in one box; 52 % of the width for the form, 7 fields and 2 lines of the frame.
		{nil, 60, 12, []string{"request 31x5+0+0", "will 29x5+31+0", "src 60x5+0+7"}},
		{nil, 80, 19, []string{"request 41x9+0+0", "will 39x9+41+0", "src 80x8+0+11"}},
		{nil, 80, 20, []string{"request 41x11+0+0", "will 39x11+41+0", "src 80x5+0+15"}},
		{nil, 99, 24, []string{"request 51x11+0+0", "will 48x11+51+0", "src 99x9+0+15"}},
		{nil, 100, 23, []string{"request 52x11+0+0", "will 48x11+52+0", "src 100x8+0+15"}},
		{[]string{"["}, 80, 20, []string{"request 41x11+0+0", "result 39x11+41+0", "src 80x5+0+15"}},
		{[]string{"[", "["}, 80, 20, []string{"request 41x11+0+0", "will 39x11+41+0", "src 80x5+0+15"}},
		{[]string{"[", "[", "["}, 80, 20, []string{"request 41x11+0+0", "data 39x11+41+0", "src 80x5+0+15"}},
		{[]string{"]", "]"}, 80, 20, []string{"request 41x11+0+0", "will 39x11+41+0", "src 80x5+0+15"}},
		// All panes; 55 % of the width for the form, 8 lines for the result unless the checks have less than 6, and 5
		// for the data path.
		{nil, 100, 24, []string{"request 55x13+0+0", "will 45x6+55+0", "result 45x7+55+6", "data 100x5+0+13",
			"src 100x3+0+18", "dst 100x3+0+21"}},
		{nil, 159, 40, []string{"request 87x17+0+0", "will 72x9+87+0", "result 72x8+87+9", "data 159x5+0+17",
			"src 159x9+0+22", "dst 159x9+0+31"}},
		{nil, 160, 40, []string{"request 88x17+0+0", "will 72x9+88+0", "result 72x8+88+9", "data 160x5+0+17",
			"src 80x18+0+22", "dst 80x18+80+22"}},
		// Regions or steps alone, above two lines of the result.
		{[]string{"m"}, 60, 12, []string{"src 60x5+0+0", "dst 60x5+0+5"}},
		{[]string{"m"}, 120, 40, []string{"src 120x19+0+0", "dst 120x19+0+19"}},
		{[]string{"d"}, 60, 12, []string{"steps 60x10+0+0"}},
		{[]string{"d"}, 120, 40, []string{"steps 120x38+0+0"}},
		// One pane without anything else.
		{[]string{"z"}, 60, 11, []string{"request 60x11+0+0"}},
		{[]string{"z"}, 120, 40, []string{"request 120x40+0+0"}},
		{[]string{"z", "tab"}, 120, 40, []string{"src 120x40+0+0"}},
		{[]string{"m", "z"}, 120, 40, []string{"src 120x40+0+0"}},
		{[]string{"d", "z"}, 120, 40, []string{"steps 120x40+0+0"}},
	} {
		d, _, _, _ := start(t, theme.New("none", true))
		d.Keys(tt.keys...)
		if got := uitest.Boxes(d.View(tt.w, tt.h)); !slices.Equal(got, tt.boxes) {
			t.Errorf("%q in %dx%d: %q, want %q", tt.keys, tt.w, tt.h, got, tt.boxes)
		}
	}
	d, _, _, _ := startOn(uitest.NewSession(t, session.Options{}), theme.New("none", true), t)
	for h, want := range map[int]string{9: "post 80x6+0+0", 6: "post 80x4+0+0", 40: "post 80x37+0+0"} {
		if got := uitest.Boxes(d.View(80, h)); !slices.Equal(got, []string{want}) {
			t.Errorf("without a queue pair in %d lines: %q, want %q", h, got, want)
		}
	}
}

// The form grows with its fields, up to 10 beside the regions in one box, and the data path with what waits, up to 8
// lines in a window of 34.
func TestPanesGrow(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	boxes := func(w, h int) string { return strings.Join(uitest.Boxes(d.View(w, h)), " ") }
	for _, tt := range []struct {
		sges int
		want string
	}{{1, "request 46x11+0+0"}, {4, "request 46x13+0+0"}, {8, "request 46x14+0+0"}} {
		s.req.pieces[slot{"a", "SEND", "sge"}] = tt.sges
		s.refill()
		if got := boxes(90, 30); !strings.HasPrefix(got, tt.want+" ") {
			t.Errorf("%d SGEs: %s, want %s", tt.sges, got, tt.want)
		}
	}
	if got := boxes(90, 20); !strings.HasPrefix(got, "request 46x11+0+0 ") {
		t.Errorf("a long form in a small window: %s", got)
	}
	chainOf(s, 3)
	if got := boxes(120, 40); !strings.HasPrefix(got, "request 66x24+0+0 ") { // 14 fields, and 4 lines of the chain
		t.Errorf("a chain: %s", got)
	}
	for n, shows := range map[int]bool{0: true, 1: true, 2: false} { // the form keeps three lines
		chainOf(s, n)
		if got := strings.Contains(d.View(100, 24), "enter write_mem"); got != shows {
			t.Errorf("the lines that enter runs show beside a chain of %d: %t", n, got)
		}
	}
	for n, want := range map[int][2]int{0: {5, 5}, 1: {5, 5}, 2: {6, 5}, 3: {7, 5}, 9: {8, 5}} {
		lines := benchWith()
		for range n {
			lines = append(lines, "post_send a SEND sge=src:0:1")
		}
		d, _, _, _ = start(t, theme.New("none", true), lines...)
		for i, h := range []int{34, 33} {
			if got := boxes(120, h); !strings.Contains(got, fmt.Sprintf(" data 120x%d+", want[i])) {
				t.Errorf("%d requests wait, %d lines: %s, want %d", n, h, got, want[i])
			}
		}
	}
}

// The lines that enter will run show below the form: all of them in a roomy window, in 20 lines the post alone.
func TestPreview(t *testing.T) {
	d, _, _, _ := start(t, theme.New("none", true))
	const write, post = "enter write_mem src", "enter post_send a SEND"
	for _, tt := range []struct {
		w, h          int
		writes, posts bool
	}{
		{100, 24, true, false}, {99, 24, false, true}, {100, 23, false, true}, {80, 20, false, true},
		{80, 19, false, false},
	} {
		v := d.View(tt.w, tt.h)
		if strings.Contains(v, write) != tt.writes || strings.Contains(v, post) != tt.posts {
			t.Errorf("%dx%d:\n%s", tt.w, tt.h, v)
		}
	}
	d.Keys("t", "t", "t", "t") // RDMA_READ has no payload
	d.Shows(100, 24, "enter post_send a RDMA_READ wr_id=1 sge=src:32:16")
	d.Shows(80, 20, "enter post_send a RDMA_READ")
}

// The title bars of small windows say how to see the regions larger; the pane of checks says that enter posts in spite
// of what will not work, unless nothing can be posted.
func TestNotesOfPanes(t *testing.T) {
	const anyway = "enter posts anyway"
	d, _, s, _ := start(t, theme.New("none", true))
	d.Shows(120, 40, anyway)
	s.req.op = "RDMA_WRITE" // works
	s.refill()
	if v := d.View(120, 40); strings.Contains(v, anyway) {
		t.Errorf("what works has a warning:\n%s", v)
	}
	lines := benchWith()
	d, _, _, _ = start(t, theme.New("none", true), append(lines[:2:2], lines[4:]...)...) // no region
	if v := d.View(120, 40); strings.Contains(v, anyway) || !strings.Contains(v, "no memory region for the payload") {
		t.Errorf("what is not posted is said to be:\n%s", v)
	}
}

// Checks that have no room are counted, and all show when their pane has the focus.
func TestChecksAreCounted(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	rows := 5
	if len(s.checks) != rows {
		t.Fatalf("%d checks", len(s.checks))
	}
	box := func(h int) string { return uitest.Text(widget.Render(s.th, checksBox(s), 60, h+2)) }
	for h, want := range map[int]string{
		rows: "", rows - 1: "… and 2 lines more", rows - 3: "… and 4 lines more", 1: "… and 5 lines more",
	} {
		v := box(h)
		if got := strings.Contains(v, "lines more"); got != (want != "") || !strings.Contains(v, want) {
			t.Errorf("%d lines: want %q\n%s", h, want, v)
		}
	}
	s.Focus = paneChecks
	d.View(60, 6)
	d.Keys("end")
	d.Shows(60, 6, "✓", "b is RTS: it accepts packets")
}

// A screen whose result is in sight says itself how a line ended.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		zoom  bool
		focus screen.Pane
		want  bool
	}{{false, paneForm, true}, {false, paneResult, true}, {true, paneForm, false}, {true, paneResult, true}} {
		s := &Screen{}
		if s.Zoom, s.Focus = tt.zoom, tt.focus; s.Answers() != tt.want {
			t.Errorf("%+v: %t", tt, s.Answers())
		}
	}
}
