package connections

import (
	"testing"

	"rdmatui/session"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A rejected identifier is an error, a listener and a waiting request are not.
func TestTokens(t *testing.T) {
	th := uitest.Tokens()
	run(t, th, func(x *bench) {
		x.serve()
		x.ask()
		uitest.Golden(t, "request", uitest.Marked(t, widget.Render(th, x.s, 200, 50), "LISTENING", "listen-1"))
	})
	run(t, th, func(x *bench) {
		x.client(session.IDError)
		uitest.Golden(t, "rejected", uitest.Marked(t, widget.Render(th, x.s, 200, 50), "REJECTED", "ERROR"))
	})
}
