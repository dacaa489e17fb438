package measure

import (
	"testing"

	"rdmatui/session/measure"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A test that fails is an error; one that runs or has ended is not. Lost packets stand out beside counters that rest.
func TestTokens(t *testing.T) {
	x := open(t, uitest.Tokens())
	x.bandwidthRun()
	uitest.Golden(t, "runs", uitest.Marked(t, widget.Render(x.s.th, x.s, 160, 45), "retransmissions", "out of order"))
	x.bandwidthEnd(1e8)
	uitest.Golden(t, "ended", uitest.Marked(t, widget.Render(x.s.th, x.s, 160, 45), "ended"))
	x.Keys("enter")
	x.last().set(func(v *measure.View) { v.State, v.Err = measure.Failed, "the peer is gone" })
	x.Frame()
	uitest.Golden(t, "failed", uitest.Marked(t, widget.Render(x.s.th, x.s, 160, 45), "the peer is gone"))
}
