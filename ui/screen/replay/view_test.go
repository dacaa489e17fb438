package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rdmatui/session/stages"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// drawn returns the lines of a request at a time of the request.
func drawn(t *testing.T, th *theme.Theme, req stages.Request, at time.Duration, w, h int) []string {
	t.Helper()
	var r Replay
	r.Set(req, began, true)
	r.Refresh(began.Add(time.Duration(float64(at) * r.factor)))
	view := widget.Render(th, Block(th, &r, "nothing yet"), w, h)
	uitest.Fits(t, view, w, h)
	return strings.Split(uitest.Text(view), "\n")
}

// TestWhatFits: the diagram is there from 50 times 8 cells on. The steps are in two columns below 13 lines, else in one
// with their notes; blank lines come with 16 lines, room within the diagram with 20.
func TestWhatFits(t *testing.T) {
	th := theme.New("none", true)
	req := onNIC(verbs.WRSend)
	req.Step(stages.Polled).Note = "by hand"
	for _, tt := range []struct {
		w, h    int
		diagram int // lines
		columns int
		source  bool // by name
		gap     bool // the time since the step before
		note    bool
		blank   int // lines
		now     bool
		guess   bool // what "~" means
	}{
		{49, 30, 0, 1, true, false, true, 22, false, false},
		{50, 6, 0, 1, true, false, false, 0, false, false},
		{60, 7, 0, 1, true, false, true, 0, false, false},
		{50, 8, 4, 2, false, false, false, 0, false, false},
		{75, 9, 4, 2, false, false, false, 0, true, false},
		{76, 8, 4, 2, true, false, false, 0, false, false},
		{76, 10, 4, 2, true, false, false, 0, true, true},
		{90, 12, 4, 2, true, false, false, 2, true, true},
		{89, 13, 4, 1, true, false, true, 0, true, false},
		{90, 13, 4, 1, true, true, true, 0, true, false},
		{90, 14, 4, 1, true, true, true, 0, true, true},
		{90, 15, 4, 1, true, true, true, 1, true, true},
		{90, 16, 4, 1, true, true, true, 2, true, true},
		{90, 19, 4, 1, true, true, true, 5, true, true},
		{90, 20, 6, 1, true, true, true, 4, true, true},
		{90, 24, 6, 1, true, true, true, 8, true, true},
	} {
		lines := drawn(t, th, req, 47*us, tt.w, tt.h)
		text := strings.Join(lines, "\n")
		diagram, blank, columns := 0, 0, 0
		for _, l := range lines {
			switch {
			case l == "":
				blank++
			case strings.ContainsAny(l, "[│╭") || strings.Contains(l, "requester"):
				diagram++
			}
			columns = max(columns, strings.Count(l, " posted ")+strings.Count(l, "placed "))
		}
		now := strings.Contains(text, "into its buffer.")
		got := fmt.Sprint(diagram, columns, strings.Contains(text, "inferred"), strings.Contains(text, "+10 µs"),
			strings.Contains(text, "by hand"), blank, now, strings.Contains(text, "~ The time is not"))
		// of the steps only the first and the last are measured: no time between two steps is known
		want := fmt.Sprint(tt.diagram, tt.columns, tt.source, false, tt.note, tt.blank, tt.now, tt.guess)
		if got != want {
			t.Errorf("%dx%d: %s, want %s\n%s", tt.w, tt.h, got, want, text)
		}
		all := drawn(t, th, request(verbs.WRSend), time.Second, tt.w, tt.h)
		if got := strings.Count(strings.Join(all, "\n"), "+10 µs"); (got == 7) != tt.gap || got != 0 && got != 7 {
			t.Errorf("%dx%d: %d times since the step before\n%s", tt.w, tt.h, got, strings.Join(all, "\n"))
		}
	}
}

// TestListScrolls: where the steps do not all fit, the current one is in sight, in the middle if possible.
func TestListScrolls(t *testing.T) {
	for h := 1; h < 8; h++ {
		for i := range int(stages.Stages) {
			lines := drawn(t, theme.New("none", true), request(verbs.WRSend), time.Duration(i)*10*us, 49, h)
			at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "▸") })
			first := max(min(i-h/2, 8-h), 0)
			if at != i-first || !strings.HasPrefix(lines[at], fmt.Sprintf("▸%d ", i+1)) || len(lines) != h {
				t.Errorf("%d lines, step %d: marked is line %d, want %d\n%s", h, i+1, at, i-first, strings.Join(lines,
					"\n"))
			}
		}
	}
}

// TestDiagramIsStraight: at each width the NICs' sides stand above each other, and the diagram fills the width but for
// the cells at its ends.
func TestDiagramIsStraight(t *testing.T) {
	th := theme.New("none", true)
	columns := func(l string, runes string) (at []int) {
		i := 0
		for _, c := range l {
			if strings.ContainsRune(runes, c) {
				at = append(at, i)
			}
			i++
		}
		return at
	}
	for w := leastWidth; w < 200; w++ {
		lines := drawn(t, th, request(verbs.WRSend), time.Second, w, 24)
		box, nic, lane := 7, 5, 2 // narrow
		switch {
		case w >= 110:
			box, nic, lane = 18, 7, 5
		case w >= 76:
			box, nic, lane = 12, 7, 3
		}
		// label, blank, box in brackets, blank, lane
		left := 1 + 6 + 1 + box + 2 + 1 + lane
		right := w - 1 - left
		want := []int{left, left + nic - 1, right - nic + 1, right}
		for y, l := range lines[1:6] {
			if got := columns(l, "│╭╮╰╯"); !slices.Equal(got, want) {
				t.Fatalf("%d cells, line %d: sides of the NICs at %v, want %v\n%s", w, y+1, got, want,
					strings.Join(lines, "\n"))
			}
			if y%2 == 1 {
				continue
			}
			brackets := []int{8, 8 + box + 1, w - 10 - box, w - 9}
			if got := columns(l, "[]"); !slices.Equal(got, brackets) {
				t.Fatalf("%d cells, line %d: boxes at %v, want %v\n%s", w, y+1, got, brackets, l)
			}
			if n := utf8.RuneCountInString(l); n != w-1 {
				t.Errorf("%d cells, line %d: ends at %d", w, y+1, n)
			}
		}
		if !strings.HasPrefix(lines[0], " requester a on soft0") || !strings.HasSuffix(lines[0], "responder b") ||
			utf8.RuneCountInString(lines[0]) != w-1 {
			t.Errorf("%d cells: %q", w, lines[0])
		}
	}
}
