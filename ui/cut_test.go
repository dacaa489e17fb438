package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
)

// cutSizes are the window sizes in which each screen is checked.
var cutSizes = [][2]int{{80, 24}, {100, 30}, {120, 40}, {160, 45}, {200, 60}}

// marked are texts that end in an ellipsis of their own.
var marked = []string{"reading the host…", "reading the devices…", "looking…", "text, 0x…,", "more; …"}

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

// cuts returns the cells that are cut on the current screen and whose full text no
// pane shows, whatever row the cursor is on, normal size or enlarged.
func (g *guided) cuts() []string {
	left := cutCells(g.View())
	look := func() (same string) {
		v := g.View()
		text := columns(v)
		left = slices.DeleteFunc(left, func(c string) bool { return goesOn(text, c) })
		return v
	}
	for range 8 { // panes
		for range 2 { // as it is, and enlarged
			g.Press("g")
			for last, n := "", 0; n < longRows && len(left) > 0; n++ {
				v := look()
				if v == last {
					break
				}
				last = v
				g.Press("down")
			}
			g.Press("g", "z")
			g.View() // redoes the layout of the panes
		}
		if len(left) == 0 {
			break
		}
		g.Keys("tab")
	}
	g.Keys("esc", "esc", "esc")
	return left
}

// The full text of a cut cell can be seen on the same screen: in the detail of its
// row, or in the enlarged pane.
func TestCutIsShownWhole(t *testing.T) {
	failing := []string{
		`write_mem src "hello"`, "post_recv b wr_id=7 sge=dst:0:4096", "post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED",
		"post_send a RDMA_WRITE wr_id=2 sge=src:0:5 remote_addr=dst.addr rkey=0xbad send_flags=SIGNALED",
	}
	for _, state := range []struct {
		name  string
		lines []string
	}{
		{"nothing", nil},
		{"connected", append(slices.Clone(uitest.BenchLines), "connect_qps a b")},
		{"failed", slices.Concat(uitest.BenchLines, []string{"connect_qps a b"}, failing)},
	} {
		t.Run(state.name, func(t *testing.T) {
			g := newGuided(t, 120, 40, "first-write")
			g.typed(state.lines...)
			for _, size := range cutSizes {
				g.Resize(size[0], size[1])
				for id := range screen.Count {
					g.Keys(fmt.Sprint(id))
					g.app.Beat()
					for _, c := range g.cuts() {
						t.Errorf("screen %d at %v: what follows %q is never shown", id, size, c)
					}
				}
			}
		})
	}
}
