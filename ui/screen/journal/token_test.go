package journal

import (
	"testing"

	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A refused command and a failed completion are errors; a command that succeeded is not.
func TestTokens(t *testing.T) {
	x := newBench(t, uitest.Tokens(), 64)
	x.journey()
	x.refresh()
	uitest.Golden(t, "journey", uitest.Marked(t, widget.Render(x.s.th, x.s, 160, 40), "alloc_pd pd", "modify_qp a RTS",
		"SUCCESS", "_ERR"))
}
