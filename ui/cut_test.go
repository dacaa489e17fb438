package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
	"rdmatui/verbs/verbstest/race"
)

// cutSizes are the window sizes in which each screen is checked. All of them would take minutes under the race
// detector.
var cutSizes = [][2]int{{80, 24}, {100, 30}, {120, 40}, {160, 45}, {200, 60}}

func init() {
	if race.Enabled {
		cutSizes = cutSizes[:1]
	}
}

// marked are texts that end in an ellipsis of their own.
var marked = []string{"reading the host…", "reading the devices…", "looking…", "reading…", "text, 0x…,", "more; …"}

const (
	frameSigns = "│├┤╭╮╰╯─"
	longRows   = 90 // rows of a pane that are checked
)

// cutCells lists the text before each ellipsis in a view, without blanks: if blanks
// split it, the last part, since the parts may stand apart elsewhere.
func cutCells(view string) (out []string) {
	for _, m := range marked {
		view = strings.ReplaceAll(view, m, "")
	}
	for l := range strings.Lines(view) {
		parts := strings.Split(l, "…")
		for _, cell := range parts[:len(parts)-1] {
			if i := strings.LastIndexAny(cell, frameSigns); i >= 0 {
				cell = cell[i+len("│"):]
			}
			for _, sep := range []string{"  ", " · ", " →"} {
				if i := strings.LastIndex(strings.TrimRight(cell, " "), sep); i >= 0 {
					cell = cell[i+len(sep):]
				}
			}
			if cell = unspaced(cell); len(cell) > 2 {
				out = append(out, cell)
			}
		}
	}
	return out
}

func unspaced(s string) string {
	return strings.Join(strings.Fields(s), "")
}

// columns returns the text of a view without blanks, one pane after another.
func columns(view string) string {
	cols := map[int]string{} // by the column where they start
	for l := range strings.Lines(view) {
		from := 0
		for x, r := range append([]rune(strings.TrimSuffix(l, "\n")), '│') {
			if strings.ContainsRune(frameSigns, r) {
				cols[from] += unspaced(string([]rune(l)[from:x]))
				from = x + 1
			}
		}
	}
	return strings.Join(slices.Collect(maps.Values(cols)), "\n")
}

// goesOn reports whether a text shows what follows the cut of a cell.
func goesOn(text, cell string) bool {
	for {
		_, after, found := strings.Cut(text, cell)
		if !found {
			return false
		}
		if after != "" && after[0] != '\n' && !strings.HasPrefix(after, "…") {
			return true
		}
		text = after
	}
}

// walk is the keys that show all of a place: to the first row, to the next one, to
// enlarge it, and to the next pane; "" for none.
type walk struct{ first, next, zoom, pane string }

var (
	byPanes   = walk{"g", "down", "z", "tab"}
	byConsole = walk{"pgdown", "pgup", "ctrl+o", ""}
	byList    = walk{"pgup", "down", "", ""}
)

func (g *guided) pressAny(keys ...string) {
	for _, k := range keys {
		if k != "" {
			g.Press(k)
		}
	}
}

// cuts returns the cells that are cut in the current view and whose full text no
// pane shows, whatever row the cursor is on, normal size or enlarged.
func (g *guided) cuts(by walk) []string {
	left := cutCells(g.View())
	look := func() string { // with styles: a cursor may be nothing else
		v := g.View()
		text := columns(v)
		left = slices.DeleteFunc(left, func(c string) bool { return goesOn(text, c) })
		return g.Raw()
	}
	for range 8 { // panes
		for range 2 { // as it is, and enlarged
			g.pressAny(by.first)
			for last, n := "", 0; n < longRows && len(left) > 0; n++ {
				v := look()
				if v == last {
					break
				}
				last = v
				g.pressAny(by.next)
			}
			g.pressAny(by.first, by.zoom)
			g.View() // redoes the layout of the panes
		}
		if len(left) == 0 || by.pane == "" {
			break
		}
		g.Keys(by.pane)
	}
	return left
}

// wantNoCuts fails for each cell that is cut unseen.
func (g *guided) wantNoCuts(by walk, where string) {
	g.t.Helper()
	g.app.Beat()
	for _, c := range g.cuts(by) {
		g.t.Errorf("%s: what follows %q is never shown", where, c)
	}
}

var connectedLines = append(slices.Clone(uitest.BenchLines), "connect_qps a b")

// The full text of a cut cell can be seen on the same screen: in the detail of its
// row, or in the enlarged pane.
func TestCutIsShownWhole(t *testing.T) {
	failing := []string{
		`write_mem src "hello"`, "post_recv b wr_id=7 sge=dst:0:4096",
		"post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED",
		"post_send a RDMA_WRITE wr_id=2 sge=src:0:5 remote_addr=dst.addr rkey=0xbad send_flags=SIGNALED",
	}
	for _, state := range []struct {
		name  string
		lines []string
		tour  string // its number of steps; "": none is on
	}{
		{"nothing", nil, ""},
		{"connected", connectedLines, ""},
		{"failed", slices.Concat(connectedLines, failing), ""},
		{"tour", nil, "step 1 of 3"},
		{"tour, connected", connectedLines, "step 3 of 3"},
	} {
		t.Run(state.name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for commands
			g := newGuided(t, 120, 40, "first-write")
			if state.tour != "" {
				g.Keys("enter")
			}
			g.typed(state.lines...)
			for _, size := range cutSizes {
				g.Resize(size[0], size[1])
				for id := range screen.Count {
					g.Keys(fmt.Sprint(id))
					if state.tour != "" {
						g.WaitFor(state.tour)
					}
					g.wantNoCuts(byPanes, fmt.Sprintf("screen %d at %v", id, size))
					g.Keys("esc", "esc", "esc")
				}
			}
		})
	}
}

// The same for what opens over the screens, and for a scenario that is stepped through.
func TestCutIsShownWholeElsewhere(t *testing.T) {
	scenario := func(keys ...string) func(*guided) {
		return func(g *guided) {
			g.Keys("7", "/")
			g.Type("rdma_server")
			g.Keys(append([]string{"enter"}, keys...)...)
		}
	}
	palette := func(letters string) func(*guided) {
		return func(g *guided) { g.Keys("ctrl+p"); g.Type(letters) }
	}
	for _, place := range []struct {
		name  string
		by    walk
		open  func(*guided)
		shows string
	}{
		{"console", byConsole, func(g *guided) {
			g.typed(append(slices.Clone(connectedLines), "query_qp a", "query_device soft0")...)
			g.Keys(":")
		}, "fw_ver="},
		{"themes", byList, func(g *guided) { g.Keys(":"); g.Type("theme"); g.Keys("enter") }, "colour-blind"},
		{"running scenario", byPanes, scenario("s", "space", "space", "space", "space"), "alloc_pd"},
		{"ended scenario", byPanes, scenario("enter"), "Finished."},
		{"palette", byList, palette(""), "find anything"},
		{"palette of commands", byList, palette("command qp"), "connect_qps"},
		{"palette of experiments", byList, palette("experiment"), "bad-rkey"},
		{"palette of explanations", byList, palette("explain wc"), "status"},
	} {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range cutSizes {
				g := newGuided(t, size[0], size[1], "first-write")
				place.open(g)
				g.WaitFor(place.shows)
				g.wantNoCuts(place.by, fmt.Sprint(size))
			}
		})
	}
}
