package wire

import (
	"testing"

	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// NAKs and lost packets are errors, an ACK and a request are not.
func TestTokens(t *testing.T) {
	run(t, uitest.Tokens(), func(x *bench) {
		x.journey()
		x.keys("home")
		uitest.Golden(x.t, "journey", uitest.Marked(x.t, widget.Render(x.s.th, x.s, 160, 40), "NAK", "lost", "ACK",
			"WRITE_ONLY"))
	})
}
