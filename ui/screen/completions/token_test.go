package completions

import (
	"testing"

	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A failed completion is an error, a success is not; the row with the keys is laid over
// it, and is told from the same row in a pane without them.
func TestTokens(t *testing.T) {
	x := newBench(t, uitest.Tokens(), 64)
	x.journey()
	view := func(name string) {
		x.refresh()
		uitest.Golden(t, name, uitest.Marked(t, widget.Render(x.s.th, x.s, 160, 40), "REM_ACCESS_ERR", "WR_FLUSH_ERR",
			" SUCCESS"))
	}
	x.keys("up", "up", "up")
	view("failed")
	x.keys("]")
	view("failed-unfocused")
	x.keys("[", "home")
	view("ok")
}
